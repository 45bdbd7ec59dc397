/** Picks the monitors that an operator names: by id, by display name or by group. */
import { nearest } from '../core/nearest.ts';
import { StatusdError } from '../core/errors.ts';
import { cleanLine, cutText, foldCase } from '../core/text.ts';
import type { Peer } from '../config/config.ts';

export interface Selectable {
  readonly id: string;
  /** The display name; absent: there is none beside the id. */
  readonly name?: string;
  readonly group: string | null;
  /** Another id that an operator may use; ids take precedence. */
  readonly alias?: string;
}

/** A peer as an operator names it: by its `listen_id`, under which it is kept, by its id or by its name. */
export function selectablePeer({ id, name, listen_id }: Pick<Peer, 'id' | 'name' | 'listen_id'>): Selectable {
  return { id: listen_id, name, group: null, alias: id };
}

export interface Selection {
  /** Ids, names or groups. */
  readonly ids: readonly string[];
  /** Groups alone. */
  readonly groups: readonly string[];
}

/**
 * The monitors that a word names, in the order of `known`; none: it names nothing. An id precedes a name, a name precedes a
 * group. What is spelled exactly so precedes what differs in letter case. Throws `usage`, with the candidates, for a name
 * of several monitors.
 */
export function monitorsNamed<M extends Selectable>(known: readonly M[], word: string): readonly M[] {
  for (const fold of folds) {
    const isWanted = meaning(word, fold);
    const candidates = [
      known.filter(({ id }) => isWanted(id)),
      known.filter(({ alias }) => isWanted(alias)),
      known.filter(({ name }) => isWanted(name)),
    ].find((found) => found.length > 0);
    if (candidates?.length === 1) return candidates;
    if (candidates !== undefined) throw ambiguous(word, candidates);
    const members = membersOf(known, word, fold);
    if (members.length > 0) return members;
  }
  return [];
}

/** The monitors of the group that a word names; none: there is no such group. Throws as `monitorsNamed`. */
function groupNamed<M extends Selectable>(known: readonly M[], word: string): readonly M[] {
  for (const fold of folds) {
    const members = membersOf(known, word, fold);
    if (members.length > 0) return members;
  }
  return [];
}

function membersOf<M extends Selectable>(known: readonly M[], word: string, fold: Fold): readonly M[] {
  const members = known.filter(({ group }) => meaning(word, fold)(group));
  const groups = groupsIn(members);
  if (groups.length > 1) throw severalGroups(word, groups);
  return members;
}

type Fold = (text: string) => string;
const exactly: Fold = (text) => text;
const folds: readonly Fold[] = [exactly, foldCase];

function meaning(word: string, fold: Fold): (text: string | null | undefined) => boolean {
  const wanted = fold(word);
  return (text) => typeof text === 'string' && fold(text) === wanted;
}

/**
 * The one monitor that a word names; null: it names none. Throws `usage`, with the candidates, for a name of several and
 * for a group of several.
 */
export function oneMonitorNamed<M extends Selectable>(known: readonly M[], word: string): M | null {
  const [first, ...others] = monitorsNamed(known, word);
  if (first === undefined || others.length === 0) return first ?? null;
  const count = others.length + 1;
  throw new StatusdError('usage', `${typed(word)} is a group of ${count} monitors`, {
    hint: `Name one of them: ${idsOf([first, ...others])}.`,
  });
}

/** The same. Throws `not_found`, too, with the nearest id there is. */
export function theMonitorNamed<M extends Selectable>(known: readonly M[], word: string): M {
  return oneMonitorNamed(known, word) ?? raiseUnknown('monitor', word, idsIn(known));
}

/**
 * The monitors named by id, name or group, in the order of the configuration; all of them when nothing is named. Words may
 * hold several names between commas. Throws StatusdError `not_found` for what does not exist, with the nearest that does,
 * and `usage` for a name of several.
 */
export function selectMonitors<M extends Selectable>(
  monitors: readonly M[],
  { ids, groups }: Selection,
  redact: (text: string) => string = exactly,
): readonly M[] {
  if (ids.length === 0 && groups.length === 0) return monitors;
  const wanted = new Set(
    ids
      .flatMap((word) => partsOf(monitors, word))
      .flatMap(byName)
      .concat(groups.flatMap(byGroup)),
  );
  return monitors.filter((monitor) => wanted.has(monitor));

  function byName(word: string): readonly M[] {
    const found = monitorsNamed(monitors, word);
    return found.length > 0 ? found : raiseUnknown('monitor', redact(word), idsIn(monitors));
  }
  function byGroup(word: string): readonly M[] {
    const found = groupNamed(monitors, word);
    return found.length > 0 ? found : raiseUnknown('group', redact(word), groupsIn(monitors));
  }
}

/**
 * The ids of what an operator named, in the order of the configuration; none when nothing is named. What names nothing
 * may be a secret that was typed in the wrong place, so it is masked in the error. Throws as `selectMonitors`, and `usage`
 * for an empty id.
 */
export function namedMonitors(
  known: readonly Selectable[],
  { ids: words, groups }: Selection,
  redact: (text: string) => string,
): readonly string[] {
  const ids = namesIn('monitor', words);
  if (ids.length + groups.length === 0) return [];
  return selectMonitors(known, { ids, groups }, redact).map(({ id }) => id);
}

/**
 * The same where the word `all` stands for everything; null: everything. A monitor that is called `all` is named by
 * `all,all`. Throws `usage`, too, when nothing is named.
 */
export function namedMonitorsOrAll(
  known: readonly Selectable[],
  selection: Selection,
  redact: (text: string) => string,
): readonly string[] | null {
  refuseNobody(selection);
  const parts = selection.ids.flatMap((word) => partsOf(known, word.trim()));
  const isCalledAll = parts.length > 1 && known.some(({ id }) => id === everything);
  if (parts.includes(everything) && !isCalledAll) return null;
  return namedMonitors(known, { ...selection, ids: parts.filter((part) => part !== '') }, redact);
}

/** The word that stands for every monitor and peer. */
export const everything = 'all';

/** Throws `usage` when neither a monitor nor a group is named. */
export function refuseNobody(
  { ids, groups }: Selection,
  hint = 'Name monitors or peers by their ids or names, a group, or all.',
): void {
  const names = [...groups, ...ids.flatMap((word) => word.split(','))];
  if (names.some((name) => name.trim() !== '')) return;
  throw new StatusdError('usage', 'no monitor is named', { hint });
}

/**
 * Names without blanks around them. Throws `usage` for an empty one, such as a variable of a script that is not set: where
 * no name means everything, it would mean everything.
 */
export function namesIn(what: 'monitor' | 'group', words: readonly string[]): readonly string[] {
  const names = words.map((name) => name.trim());
  if (!names.includes('')) return names;
  throw new StatusdError('usage', `the name of a ${what} is empty`, {
    hint: 'Is a variable not set?',
  });
}

/** A word that names something as a whole, or what stands between its commas. */
function partsOf(known: readonly Selectable[], word: string): readonly string[] {
  if (!word.includes(',') || monitorsNamed(known, word).length > 0) return [word];
  return word.split(',').map((part) => part.trim());
}

const typed = (word: string) => `'${cutText(cleanLine(word), 80)}'`;
const idsIn = (known: readonly Selectable[]) => known.map(({ id }) => id);
const groupsIn = (known: readonly Selectable[]) => [...new Set(known.flatMap(({ group }) => group ?? []))];

function idsOf(monitors: readonly Selectable[]): string {
  const ids = idsIn(monitors).map(cleanLine);
  const more = ids.length > 10 ? ` and ${ids.length - 10} more` : '';
  return `${ids.slice(0, 10).join(', ')}${more}`;
}

function ambiguous(word: string, candidates: readonly Selectable[]): StatusdError {
  return new StatusdError('usage', `${typed(word)} names ${candidates.length} monitors`, {
    hint: `Name one by its id: ${idsOf(candidates)}.`,
  });
}

function severalGroups(word: string, groups: readonly string[]): StatusdError {
  return new StatusdError('usage', `${typed(word)} names ${groups.length} groups`, {
    hint: `Write one as the configuration does: ${groups.map(cleanLine).join(' or ')}.`,
  });
}

function raiseUnknown(what: 'monitor' | 'group', word: string, known: readonly string[]): never {
  throw new StatusdError('not_found', `there is no ${what} ${typed(word)}`, {
    hint: suggestion(nearest(word, known), known),
  });
}

function suggestion(guess: string | null, known: readonly string[]): string {
  if (guess !== null) return `Did you mean ${cleanLine(guess)}?`;
  if (known.length === 0) return 'The configuration has none.';
  const names = known.slice(0, 10).map(cleanLine).join(', ');
  return `There are: ${names}${known.length > 10 ? ` and ${known.length - 10} more` : ''}.`;
}
