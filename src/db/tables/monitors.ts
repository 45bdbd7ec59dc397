/** The monitors the store has history for. */
import {
  aFlag,
  aNumber,
  aText,
  document,
  orNull as orNullShape,
  parseJson,
  readAs,
} from '../../engine/core/decode.ts';
import { renameMonitor } from './renames.ts';
import type { Operation } from '../store/operation.ts';
import { lastOf, type LastSample } from '../samples/last-sample.ts';
import type { Sql, SqlReader, SqlRow } from '../store/sql.ts';
import { createMonitor, findOwner, hoursEnd, type SampleOwner } from '../samples/owner.ts';
import { oldestBucket } from '../samples/rollups.ts';
import { maxSecs } from '../samples/sample.ts';
import { dayOfHour, hourOf, slotOf } from '../samples/slots.ts';
import { deleteWeek, weekHours, weekOfDay } from '../samples/weeks.ts';
import { type Field, FieldError, flag, instant, monitorId, orNull, text, whole } from './fields.ts';
import { declareWrite } from './write.ts';

const hour = whole(0, hourOf(maxSecs));

/** Of a hundred. */
const share: Field<number> = (value) => {
  if (typeof value === 'number' && value >= 0 && value <= 100) return value;
  throw new FieldError('expected a number from 0 to 100');
};

/** The config has this monitor, under this name. One that was removed is back. */
export const seeMonitor = declareWrite(
  'monitor.see',
  { id: monitorId, name: text(200), at: instant },
  (sql, monitor) => {
    const changed = sql.run(
      'UPDATE monitors SET name = ?, last_seen_at = ?, removed_at = NULL WHERE id = ?',
      monitor.name,
      monitor.at,
      monitor.id,
    );
    if (changed === 0) createMonitor(sql, monitor);
    return null;
  },
);

/** A digest of what a monitor watches, by which it is recognised under another id. */
export const identifyMonitor = declareWrite(
  'monitor.identify',
  { id: monitorId, identity: text(64) },
  (sql, { id, identity }) => {
    sql.run('UPDATE monitors SET identity = ? WHERE id = ?', identity, id);
    return null;
  },
);

/** With what the months that a monitor was watched in show it, also when the configuration has it no more. */
export interface ShownAs {
  readonly group: string | null;
  readonly sloUptimePercent: number | null;
  readonly isPrivate: boolean;
}

/** The configuration shows it in this way. */
export const showMonitor = declareWrite(
  'monitor.show',
  { id: monitorId, group: orNull(text(200)), slo: orNull(share), private: flag },
  (sql, { id, ...shown }) => {
    sql.run('UPDATE monitors SET shown = ? WHERE id = ?', JSON.stringify(shown), id);
    return null;
  },
);

/** An operator wants it checked now. Nothing is kept of it: the daemon that follows the log checks it. */
export const askForCheck = declareWrite('monitor.check', { id: monitorId, at: instant }, () => null);

/** The config no longer has this monitor; its history is kept for a while. */
export const removeMonitor = declareWrite(
  'monitor.remove',
  { id: monitorId, at: instant },
  (sql, { id, at }) => {
    sql.run(
      'UPDATE monitors SET removed_at = ?, last_seen_at = ? WHERE id = ? AND removed_at IS NULL',
      at,
      at,
      id,
    );
    return null;
  },
);

/** Forgets the samples and rollups of a monitor before an hour: one step of several. */
export const forgetHours = declareWrite(
  'monitor.forget',
  { id: monitorId, before: hour },
  (sql, { id, before }) => {
    const owner = findOwner(sql, id);
    if (owner === null) return null;
    const to = Math.min(before, hoursEnd(owner));
    const from = (table: 'packed_hours' | 'hourly') =>
      Math.max(owner.oldestHour, oldestBucket(sql, table) ?? to);
    for (const table of ['packed_hours', 'hourly'] as const) {
      for (let each = from(table); each < to; each++) {
        sql.run(`DELETE FROM ${table} WHERE slot = ?`, slotOf(each, owner.key));
      }
    }
    const firstDay = Math.max(dayOfHour(owner.oldestHour), oldestBucket(sql, 'daily') ?? 0);
    for (let day = firstDay; day <= dayOfHour(to - 1); day++) {
      sql.run('DELETE FROM daily WHERE slot = ?', slotOf(day, owner.key));
      sql.run('DELETE FROM hourly_days WHERE slot = ?', slotOf(day, owner.key));
      sql.run('DELETE FROM maintained_days WHERE slot = ?', slotOf(day, owner.key));
    }
    forgetWeeks(sql, owner, to);
    sql.run('UPDATE monitors SET oldest_hour = max(oldest_hour, ?) WHERE key = ?', before, owner.key);
    return null;
  },
);

/** Those that end before an hour; the last step of forgetting is behind all of them. */
function forgetWeeks(sql: Sql, { key, oldestHour }: SampleOwner, to: number): void {
  const oldest = oldestBucket(sql, 'daily_weeks');
  if (oldest === null) return;
  const first = Math.max(oldest, weekOfDay(dayOfHour(oldestHour)));
  for (let week = first; (week + 1) * weekHours <= to; week++)
    for (const table of ['hourly_weeks', 'daily_weeks', 'latency_weeks'] as const)
      deleteWeek(sql, table, slotOf(week, key));
}

const tablesByMonitor = [
  'decisions',
  'incident_totals',
  'alert_states',
  'producer_alerts',
  'certificates',
  'domains',
  'peer_verdicts',
];

/** The last step: forgets everything else about a monitor. An incident that is still open stays. */
export const dropMonitor = declareWrite('monitor.drop', { id: monitorId }, (sql, { id }) => {
  const owner = findOwner(sql, id);
  if (owner === null) return null;
  sql.run('DELETE FROM samples WHERE monitor = ?', owner.key);
  sql.run('DELETE FROM remarks WHERE monitor = ?', owner.key);
  sql.run('DELETE FROM monitors WHERE key = ?', owner.key);
  sql.run('DELETE FROM incidents WHERE monitor = ? AND ended_at IS NOT NULL', id);
  for (const table of tablesByMonitor) sql.run(`DELETE FROM ${table} WHERE monitor = ?`, id);
  return null;
});

export interface MonitorRow {
  readonly id: string;
  readonly name: string;
  readonly firstSeenAt: number;
  /** When the config had it last, as far as was noted. */
  readonly lastSeenAt: number;
  /** Since when the config no longer has it; null while it does. */
  readonly removedAt: number | null;
  /** A digest of what it watches; null: not known. */
  readonly identity: string | null;
  /** How many samples were ever kept. */
  readonly samples: number;
  /** The sample that came last; null: none yet. */
  readonly last: LastSample | null;
  /** When it was last heard, as far as its state of alerting does not say it. */
  readonly heardAt: number | null;
  /** Null: not known. */
  readonly shown: ShownAs | null;
}

export interface ConfiguredMonitor {
  readonly id: string;
  readonly name: string;
  /** A digest of what it watches; null: it has none. */
  readonly identity?: string | null;
  readonly shown?: ShownAs;
}

const columns = `id, name, first_seen_at, last_seen_at, removed_at, identity, samples,
  last_secs, last_status, last_latency_ms, last_category, last_message, heard_at, shown`;

export const monitors = {
  see: seeMonitor,
  remove: removeMonitor,
  rename: renameMonitor,
  askForCheck,

  /** The ids of those that these operations ask to be checked. */
  checksAskedFor: (operations: readonly Operation[]): string[] =>
    operations.flatMap(([name, id]) => (name === askForCheck.row.name && typeof id === 'string' ? [id] : [])),

  /** What brings the list in line with the monitors of a config: nothing for those that did not change. */
  sync: (sql: SqlReader, configured: readonly ConfiguredMonitor[], at: number): Operation[] =>
    syncFrom(list(sql), configured, at),

  /** The same, where `known` is what the list will be by then. */
  syncFrom,

  /** All of them, the removed ones too, in the order they were first seen. */
  list,

  find: (sql: SqlReader, id: string): MonitorRow | null =>
    sql.get(`SELECT ${columns} FROM monitors WHERE id = ?`, [id], monitorOf),
};

function syncFrom(
  known: readonly MonitorRow[],
  configured: readonly ConfiguredMonitor[],
  at: number,
): Operation[] {
  const rows = new Map(known.map((row) => [row.id, row]));
  const seen = configured
    .filter(({ id, name }) => rows.get(id)?.name !== name || rows.get(id)?.removedAt !== null)
    .map(({ id, name }) => seeMonitor({ id, name, at }));
  const identified = configured.flatMap(({ id, identity = null }) =>
    identity === null || rows.get(id)?.identity === identity ? [] : [identifyMonitor({ id, identity })],
  );
  const shown = configured.flatMap(({ id, shown: wantedAs }) => {
    if (wantedAs === undefined || isAlike(rows.get(id)?.shown ?? null, wantedAs)) return [];
    const { group, sloUptimePercent: slo, isPrivate } = wantedAs;
    return [showMonitor({ id, group, slo, private: isPrivate })];
  });
  const wanted = new Set(configured.map(({ id }) => id));
  const gone = known
    .filter((row) => row.removedAt === null && !wanted.has(row.id))
    .map(({ id }) => removeMonitor({ id, at }));
  return [...seen, ...identified, ...shown, ...gone];
}

function isAlike(a: ShownAs | null, b: ShownAs): boolean {
  return a?.group === b.group && a.sloUptimePercent === b.sloUptimePercent && a.isPrivate === b.isPrivate;
}

const someShown = document({ group: orNullShape(aText), slo: orNullShape(aNumber), private: aFlag });

function shownOf(stored: string | null): ShownAs | null {
  const found = stored === null ? null : readAs(parseJson(stored), someShown);
  return found === null
    ? null
    : { group: found.group, sloUptimePercent: found.slo, isPrivate: found.private };
}

function list(sql: SqlReader): MonitorRow[] {
  return sql.all(`SELECT ${columns} FROM monitors ORDER BY key`, [], monitorOf);
}

function monitorOf(row: SqlRow): MonitorRow {
  return {
    id: row.text('id'),
    name: row.text('name'),
    firstSeenAt: row.number('first_seen_at'),
    lastSeenAt: row.number('last_seen_at'),
    removedAt: row.numberOrNull('removed_at'),
    identity: row.textOrNull('identity'),
    samples: row.number('samples'),
    last: lastOf(row),
    heardAt: row.numberOrNull('heard_at'),
    shown: shownOf(row.textOrNull('shown')),
  };
}
