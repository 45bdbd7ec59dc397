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
import { newestRoot, openRootOf } from '../../engine/operations/root-incident.ts';
import { oneMonitorNamed } from '../../engine/operations/select-monitors.ts';

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

/**
 * The monitor of an id, a name or a group of one; null when neither the configuration nor the record has it. Throws `usage`,
 * with the candidates, when a word means several.
 */
export function findMonitor(word: string, { config, store }: KnownSources): KnownMonitor | null {
  const configured = oneMonitorNamed(config.monitors, word);
  if (configured !== null) return { id: configured.id, name: configured.name, configured };
  const isConfigured = new Set(config.monitors.map(({ id }) => id));
  const removed = monitors.list(store.sql).filter(({ id }) => !isConfigured.has(id));
  const row = oneMonitorNamed(
    removed.map(({ id, name }) => ({ id, name, group: null })),
    word,
  );
  if (row !== null) return { id: row.id, name: row.name, configured: null };
  // The monitor of an old incident may be forgotten by now.
  const [last] = incidents.list(store.sql, { limit: 1, monitors: [word] }).incidents;
  return last === undefined ? null : { id: word, name: last.name, configured: null };
}

/** Whether a word is the id of a monitor, of the configuration or of the record. */
export function isMonitorId(word: string, { config, store }: KnownSources): boolean {
  return config.monitors.some(({ id }) => id === word) || monitors.find(store.sql, word) !== null;
}

/** As `findMonitor`. Throws `not_found`, too, with the nearest id there is. */
export function knownMonitor(word: string, place: KnownSources): KnownMonitor {
  const found = findMonitor(word, place);
  if (found !== null) return found;
  throw new StatusdError('not_found', `there is no monitor ${quoted(word)}`, {
    hint: monitorHint(word, place),
  });
}

/**
 * The incident of a number, a uid or the word `last`, which is the root of the newest trouble: `incidents` lists it first.
 * Null when there is none.
 */
export function findIncident(
  word: string,
  { store: { sql } }: Pick<KnownSources, 'store'>,
): RecordedIncidentRow | null {
  if (word === 'last') return newestRoot(sql);
  const id = rowNumber(word);
  return (id === null ? null : recorded.find(sql, id)) ?? recorded.find(sql, word);
}

/** As `findIncident`; a word that names a monitor means its newest incident. Throws `not_found`. */
export function knownIncident(word: string, place: KnownSources): RecordedIncidentRow {
  const { sql } = place.store;
  const found = findIncident(word, place);
  if (found !== null) return found;
  const monitor = findMonitor(word, place);
  if (monitor !== null) {
    const [newest] = incidents.list(sql, { limit: 1, monitors: [monitor.id] }).incidents;
    if (newest !== undefined) return recorded.find(sql, newest.uid) ?? newest;
    throw new StatusdError('not_found', `${quoted(word)} never had an incident`, {
      hint: 'See `statusd incidents`.',
    });
  }
  const last = newestRoot(sql);
  throw new StatusdError('not_found', `there is no incident ${quoted(word)}`, {
    hint:
      last === null
        ? 'No incident was ever recorded.'
        : `The last one is ${last.id}. See \`statusd incidents\`.`,
  });
}

/** Says of an incident that is folded into another one where readers look; empty: it is not. With a line break. */
export function foldedLine(incident: RecordedIncidentRow, { store }: Pick<KnownSources, 'store'>): string {
  const root = openRootOf(store.sql, incident);
  if (root === null) return '';
  return `  It is folded into incident ${root.id} (${subjectOf(root)}), whose words the status page shows.\n`;
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
