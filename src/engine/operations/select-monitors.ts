/** Picks the monitors that an operator names. */
import { nearest } from '../core/nearest.ts';
import { StatusdError } from '../core/errors.ts';
import { cleanLine, cutText } from '../core/text.ts';
import type { Peer } from '../config/config.ts';

export interface Selectable {
  readonly id: string;
  readonly group: string | null;
  /** Another name that an operator may use; ids take precedence. */
  readonly alias?: string;
}

/** A peer as an operator names it: by its `listen_id`, under which it is kept, or by its id. */
export function selectablePeer({ id, listen_id }: Pick<Peer, 'id' | 'listen_id'>): Selectable {
  return { id: listen_id, group: null, alias: id };
}

export interface Selection {
  readonly ids: readonly string[];
  readonly groups: readonly string[];
}

/**
 * The monitors named by id or by group, in the order of the configuration; all of them when nothing is named.
 * Throws StatusdError `not_found` for an id or a group that does not exist, with the nearest one that does.
 */
export function selectMonitors<M extends Selectable>(
  monitors: readonly M[],
  { ids, groups }: Selection,
): readonly M[] {
  const knownIds = monitors.map((monitor) => monitor.id);
  const knownGroups = [...new Set(monitors.flatMap(({ group }) => (group === null ? [] : [group])))];
  refuseUnknown('monitor', ids, knownIds);
  refuseUnknown('group', groups, knownGroups);
  if (ids.length === 0 && groups.length === 0) return monitors;
  return monitors.filter(({ id, group }) => ids.includes(id) || (group !== null && groups.includes(group)));
}

/**
 * The ids of what an operator named, in the order of the configuration; none when nothing is named. What names nothing
 * may be a secret that was typed in the wrong place, so it is masked in the error. Throws as `selectMonitors`, and `usage`
 * for an empty id.
 */
export function namedMonitors(
  known: readonly Selectable[],
  { ids: typed, groups }: Selection,
  redact: (text: string) => string,
): readonly string[] {
  const ids = namesIn('monitor', typed);
  if (ids.length + groups.length === 0) return [];
  const wanted = ids.map((id) => {
    const found = known.find((each) => each.id === id) ?? known.find(({ alias }) => alias === id);
    return found?.id ?? redact(id);
  });
  return selectMonitors(known, { ids: wanted, groups }).map(({ id }) => id);
}

/**
 * Names without blanks around them. Throws `usage` for an empty one, such as a variable of a script that is not set: where
 * no name means everything, it would mean everything.
 */
export function namesIn(what: 'monitor' | 'group', typed: readonly string[]): readonly string[] {
  const names = typed.map((name) => name.trim());
  if (!names.includes('')) return names;
  throw new StatusdError('usage', `the name of a ${what} is empty`, {
    hint: 'Is a variable not set? To mean everything, leave it out.',
  });
}

function refuseUnknown(what: 'monitor' | 'group', wanted: readonly string[], known: readonly string[]): void {
  const unknown = wanted.find((word) => !known.includes(word));
  if (unknown === undefined) return;
  throw new StatusdError('not_found', `there is no ${what} '${cutText(cleanLine(unknown), 80)}'`, {
    hint: suggestion(nearest(unknown, known), known),
  });
}

function suggestion(guess: string | null, known: readonly string[]): string {
  if (guess !== null) return `Did you mean ${cleanLine(guess)}?`;
  if (known.length === 0) return 'The configuration has none.';
  const names = known.slice(0, 10).map(cleanLine).join(', ');
  return `There are: ${names}${known.length > 10 ? ` and ${known.length - 10} more` : ''}.`;
}
