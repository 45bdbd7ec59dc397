/**
 * The months that are closed, with the facts their reports are made of: a report says the same at any time after it.
 * A table of its own, because neither rollups nor incidents are kept for as long, and both may be corrected later.
 */
import {
  aFlag,
  aList,
  aNumber,
  aText,
  document,
  orAbsent,
  orNull as nullable,
  parseJson,
  readAs,
  readList,
  tuple,
} from '../../engine/core/decode.ts';
import type { Stretch } from '../../engine/core/maintained.ts';
import type { SqlReader } from '../store/sql.ts';
import type { OutageSpan } from '../read/outages.ts';
import type { ByStatus } from '../samples/tally.ts';
import { instant, json, monitorId, optional, text, whole } from './fields.ts';
import { declareWrite } from './write.ts';

/** A monitor in a closed month. Instants are epoch ms. */
export interface ClosedMonitor {
  readonly id: string;
  readonly name: string;
  readonly group: string | null;
  readonly sloUptimePercent: number | null;
  readonly isPrivate: boolean;
  /** The place among the monitors of the file. */
  readonly position: number;
  /** Since when the file has it no more; null: it did when the month was closed. */
  readonly removedAt: number | null;
  /** Seconds by status within the month, those under maintenance left out. */
  readonly secs: Readonly<ByStatus>;
  readonly maintained: readonly Stretch[];
  readonly outages: readonly OutageSpan[];
}

export interface ClosedMonth {
  /** `2026-11`. */
  readonly month: string;
  /** The time zone whose month it is. */
  readonly zone: string;
  /** When it was closed, epoch ms. */
  readonly closedAt: number;
  /** The version of the definitions that its figures were made by. */
  readonly definitions: number;
}

const month = text(7);

/** Stores the facts of one monitor. They count from when the month is closed. */
export const keepClosedMonitor = declareWrite(
  'month.keep',
  { month, monitor: monitorId, facts: json(1_000_000) },
  (sql, { month: of, monitor, facts }) => {
    sql.run(
      `INSERT OR REPLACE INTO closed_monitors (month, monitor, facts)
       SELECT ?1, ?2, ?3 WHERE NOT EXISTS (SELECT 1 FROM closed_months WHERE month = ?1)`,
      of,
      monitor,
      JSON.stringify(facts),
    );
    return null;
  },
);

/** From now on the report of this month is made of what was kept. A month is closed once. */
export const closeMonth = declareWrite(
  'month.close',
  { month, at: instant, definitions: whole(1, 1000), zone: optional(text(100), 'UTC') },
  (sql, { month: of, at, definitions, zone }) => {
    sql.run(
      'INSERT OR IGNORE INTO closed_months (month, closed_at, definitions, zone) VALUES (?, ?, ?, ?)',
      of,
      at,
      definitions,
      zone,
    );
    return null;
  },
);

/** Deletes the closed months before this one. */
export const forgetMonths = declareWrite('month.forget', { before: month }, (sql, { before }) => {
  sql.run('DELETE FROM closed_months WHERE month < ?', before);
  sql.run('DELETE FROM closed_monitors WHERE month < ?', before);
  return null;
});

const aStretch = tuple([aNumber, aNumber]);
const anOutage = tuple([aNumber, nullable(aNumber)]);
const someFacts = document({
  name: aText,
  group: nullable(aText),
  slo: nullable(aNumber),
  private: aFlag,
  position: aNumber,
  removed: orAbsent(nullable(aNumber)),
  secs: tuple([aNumber, aNumber, aNumber, aNumber]),
  maintained: aList,
  outages: aList,
});

export const closedMonths = {
  close: closeMonth,
  forget: forgetMonths,

  keep: (of: string, monitor: ClosedMonitor) => {
    const { up, degraded, down, unknown } = monitor.secs;
    return keepClosedMonitor({
      month: of,
      monitor: monitor.id,
      facts: {
        name: monitor.name,
        group: monitor.group,
        slo: monitor.sloUptimePercent,
        private: monitor.isPrivate,
        position: monitor.position,
        ...(monitor.removedAt !== null && { removed: monitor.removedAt }),
        secs: [up, degraded, down, unknown],
        maintained: monitor.maintained.map(({ fromAt, toAt }) => [fromAt, toAt]),
        outages: monitor.outages.map(({ startedAt, endedAt }) => [startedAt, endedAt]),
      },
    });
  },

  /** All of them, the first one first. */
  list: (sql: SqlReader): ClosedMonth[] =>
    sql.all('SELECT month, closed_at, definitions, zone FROM closed_months ORDER BY month', [], (row) => ({
      month: row.text('month'),
      zone: row.text('zone'),
      closedAt: row.number('closed_at'),
      definitions: row.number('definitions'),
    })),

  /** Null: it is not closed. */
  find: (sql: SqlReader, of: string): ClosedMonth | null =>
    closedMonths.list(sql).find((closed) => closed.month === of) ?? null,

  /** The monitors of a month in the order of the file they had; what cannot be read is left out. */
  monitors: (sql: SqlReader, of: string): ClosedMonitor[] =>
    sql
      .all('SELECT monitor, facts FROM closed_monitors WHERE month = ? ORDER BY monitor', [of], (row) =>
        closedMonitorOf(row.text('monitor'), row.text('facts')),
      )
      .flatMap((monitor) => monitor ?? [])
      .toSorted((a, b) => a.position - b.position),
};

function closedMonitorOf(id: string, stored: string): ClosedMonitor | null {
  const facts = readAs(parseJson(stored), someFacts);
  if (facts === null) return null;
  const [up, degraded, down, unknown] = facts.secs;
  return {
    id,
    name: facts.name,
    group: facts.group,
    sloUptimePercent: facts.slo,
    isPrivate: facts.private,
    position: facts.position,
    removedAt: facts.removed ?? null,
    secs: { up, degraded, down, unknown },
    maintained: readList(facts.maintained, aStretch).map(([fromAt, toAt]) => ({ fromAt, toAt })),
    outages: readList(facts.outages, anOutage).map(([startedAt, endedAt]) => ({ startedAt, endedAt })),
  };
}
