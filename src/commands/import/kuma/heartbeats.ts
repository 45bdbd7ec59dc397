/** Reads every heartbeat of Uptime Kuma once, in the order they were stored. */
import type { SqlReader, SqlRow } from '../../../db/store/sql.ts';
import { type CountedDay, daySecs } from '../history/days.ts';
import { tables } from './database.ts';

/** How many rows are read between two pauses: some 10 ms of work. */
const rowsAtOnce = 10_000;

/**
 * A change of the status that Kuma calls important: 0 is down; up again (1) and maintenance (3) are the end of it. Before
 * Kuma calls a monitor down it retries, which are heartbeats of status 2; here the first of each row of retries.
 */
export interface StatusChange {
  readonly id: number;
  readonly status: number;
  readonly at: number;
  /** The heartbeat before it was a retry. */
  readonly isRetried: boolean;
}

/** The heartbeats of one monitor. */
export interface BeatHistory {
  /** By UTC day since the epoch. */
  readonly days: Map<number, { day: number; up: number; down: number }>;
  readonly changes: StatusChange[];
}

interface ScanTools {
  /** Called between two pieces with the part that is done, 0 to 1. May throw, to end the scan. */
  readonly onProgress: (part: number) => void;
  /** Gives way to the event loop. */
  readonly yieldTurn: () => Promise<void>;
}

const bounds = 'SELECT CAST(min(id) AS INTEGER) AS first, CAST(max(id) AS INTEGER) AS last FROM heartbeat';

const piece = `
  SELECT id, monitor_id AS monitor, CAST(status AS INTEGER) AS status, important = 1 AS is_important,
    CAST(time AS TEXT) AS time
  FROM heartbeat WHERE id > ? AND typeof(monitor_id) = 'integer' ORDER BY id LIMIT ${rowsAtOnce}`;

/** Resolves with the heartbeats by monitor. A database of 30 million of them takes a minute. */
export async function scanHeartbeats(
  sql: SqlReader,
  { onProgress, yieldTurn }: ScanTools,
): Promise<ReadonlyMap<number, BeatHistory>> {
  const scan = new Scan();
  const { first, last } = (tables(sql).has('heartbeat') ? sql.get(bounds, [], boundsOf) : null) ?? noRows;
  for (let after = first - 1; after < last; ) {
    const ids = sql.all(piece, [after], scan.add);
    after = ids.at(-1) ?? last;
    onProgress((after - first + 1) / (last - first + 1));
    await yieldTurn();
  }
  return scan.monitors;
}

const noRows = { first: 0, last: -1 };

function boundsOf(row: SqlRow): typeof noRows {
  return { first: row.numberOrNull('first') ?? 0, last: row.numberOrNull('last') ?? -1 };
}

interface OpenHistory extends BeatHistory {
  previous: number | null;
}

class Scan {
  readonly monitors = new Map<number, OpenHistory>();
  private dayText = '';
  private day: number | null = null;

  readonly add = (row: SqlRow): number => {
    const [id, status, time] = [
      row.number('id'),
      row.numberOrNull('status') ?? 1,
      row.textOrNull('time') ?? '',
    ];
    const history = this.historyOf(row.number('monitor'));
    const isRetried = history.previous === 2;
    history.previous = status;
    this.count(history, this.dayOf(time), status);
    if (row.numberOrNull('is_important') !== 1 && (status !== 2 || isRetried)) return id;
    const at = instantOf(time);
    if (at !== null) history.changes.push({ id, status, at, isRetried });
    return id;
  };

  private historyOf(monitor: number): OpenHistory {
    const known = this.monitors.get(monitor);
    if (known !== undefined) return known;
    const history = { days: new Map<number, CountedDay>(), changes: [], previous: null };
    this.monitors.set(monitor, history);
    return history;
  }

  /** Version 2 counts a retry (2) as down, too; maintenance (3) says nothing. */
  private count({ days }: BeatHistory, day: number | null, status: number): void {
    if (day === null || (status !== 0 && status !== 1 && status !== 2)) return;
    let counted = days.get(day);
    if (counted === undefined) days.set(day, (counted = { day, up: 0, down: 0 }));
    counted[status === 1 ? 'up' : 'down'] += 1;
  }

  /** Rows of one day come together, so the day that was read last is kept. */
  private dayOf(time: string): number | null {
    const text = time.slice(0, 10);
    if (text !== this.dayText) {
      const at = instantOf(`${text} 00:00:00`);
      this.dayText = text;
      this.day = at === null ? null : Math.floor(at / 1000 / daySecs);
    }
    return this.day;
  }
}

/** Kuma writes UTC: `2026-11-21 18:00:00.000`. Null for a text that is no time. */
function instantOf(text: string): number | null {
  const [, day, clock] = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)Z?$/.exec(text) ?? [];
  const at = day === undefined || clock === undefined ? NaN : Date.parse(`${day}T${clock}Z`);
  return Number.isNaN(at) || at < 0 ? null : at;
}
