/** Finds what a command line names: a monitor (configured or only in the record) or an incident. */
import type { SqlReader } from '../../db/store/sql.ts';
import { incidents } from '../../db/tables/incidents.ts';
import { recorded, type RecordedIncidentRow } from '../../db/tables/recorded-incidents.ts';
import { monitors } from '../../db/tables/monitors.ts';
import type { Config, Monitor } from '../../engine/config/config.ts';
import { StatusdError } from '../../engine/core/errors.ts';
import { nearest } from '../../engine/core/nearest.ts';
import { cleanLine } from '../../engine/core/text.ts';
import { quoted, rowNumber } from '../../engine/operations/arguments.ts';

interface KnownSources {
  readonly config: Config;
  readonly store: { readonly sql: SqlReader };
}

export interface KnownMonitor {
  readonly id: string;
  readonly name: string;
  /** Null: the configuration no longer has it. */
  readonly configured: Monitor | null;
}

/** Null when neither the configuration nor the record has such a monitor. */
export function findMonitor(id: string, { config, store }: KnownSources): KnownMonitor | null {
  const configured = config.monitors.find((monitor) => monitor.id === id) ?? null;
  if (configured !== null) return { id, name: configured.name, configured };
  const row = monitors.find(store.sql, id);
  if (row !== null) return { id, name: row.name, configured: null };
  // The monitor of an old incident may be forgotten by now.
  const [last] = incidents.list(store.sql, { limit: 1, monitors: [id] }).incidents;
  return last === undefined ? null : { id, name: last.name, configured: null };
}

/** Throws `not_found`, with the nearest id there is. */
export function knownMonitor(id: string, place: KnownSources): KnownMonitor {
  const found = findMonitor(id, place);
  if (found !== null) return found;
  throw new StatusdError('not_found', `there is no monitor ${quoted(id)}`, { hint: monitorHint(id, place) });
}

/** The incident of a number, a uid or the word `last`; null when there is none. */
export function findIncident(
  word: string,
  { store: { sql } }: Pick<KnownSources, 'store'>,
): RecordedIncidentRow | null {
  if (word === 'last') return lastIncident(sql);
  const id = rowNumber(word);
  return (id === null ? null : recorded.find(sql, id)) ?? recorded.find(sql, word);
}

/** The one that `incidents` lists first. What was recorded last may be the past of another program. */
function lastIncident(sql: SqlReader): RecordedIncidentRow | null {
  return recorded.list(sql, { limit: 1 }).incidents[0] ?? null;
}

/** Throws `not_found`. */
export function knownIncident(word: string, place: Pick<KnownSources, 'store'>): RecordedIncidentRow {
  const found = findIncident(word, place);
  if (found !== null) return found;
  const last = lastIncident(place.store.sql);
  throw new StatusdError('not_found', `there is no incident ${quoted(word)}`, {
    hint:
      last === null
        ? 'No incident was ever recorded.'
        : `The last one is ${last.id}. See \`statusd incidents\`.`,
  });
}

/** What it is called in a sentence: the monitor, or the title of one that was opened by hand. */
export function subjectOf(incident: RecordedIncidentRow): string {
  return cleanLine(incident.monitor ?? incident.title);
}

/** `peers`: the ids of peers that would do as well. */
export function monitorHint(
  word: string,
  { config, store }: KnownSources,
  peers: readonly string[] = [],
): string {
  const configured = config.monitors.map(({ id }) => id);
  const known = [...configured, ...peers, ...monitors.list(store.sql).map(({ id }) => id)];
  const guess = nearest(word, known);
  if (guess !== null) return `Did you mean ${cleanLine(guess)}?`;
  const ids = [...new Set(known)];
  if (ids.length === 0) return 'The configuration has none.';
  const more = ids.length > 10 ? ` and ${ids.length - 10} more` : '';
  return `There are: ${cleanLine(ids.slice(0, 10).join(', '))}${more}.`;
}
