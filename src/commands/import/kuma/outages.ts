/** Reads the outages that Uptime Kuma has on record, and keeps them as incidents. */
import type { SqlReader, SqlRow } from '../../../db/store/sql.ts';
import { tables } from './database.ts';
import type { Operation } from '../../../db/store/operation.ts';
import { incidents } from '../../../db/tables/incidents.ts';
import { monitors } from '../../../db/tables/monitors.ts';
import type { Redact } from '../../../engine/config/redact.ts';
import { kumaUid } from '../../../engine/core/past-uid.ts';
import { cleanLine, cutText } from '../../../engine/core/text.ts';
import type { OpenedStore } from '../../open-store.ts';

interface KumaOutage {
  /** When its first check failed, as far as that is still on record. */
  readonly startedAt: number;
  /** When Kuma called it down, which stays the same however often old checks are deleted. */
  readonly confirmedAt: number;
  readonly endedAt: number;
  /** The start of what Kuma said was wrong, as it was said; may be empty. */
  readonly message: string;
}

export interface PastOutages {
  /** In the order they began. */
  readonly outages: readonly KumaOutage[];
  /** How many are left out because they ended before `sinceAt`. */
  readonly tooOld: number;
  /** How many are left out because there are more than `maxOutages`. */
  readonly tooMany: number;
  /** One that was going on when Kuma looked last: nobody knows its end. */
  readonly unfinished: 0 | 1;
}

/** A monitor that flaps for a year is a story of its own; the last of them show it well enough. */
export const maxOutages = 1000;

/**
 * Kuma marks as important the heartbeats that changed something: 0 is down; up again (1) and maintenance (3) are the
 * end of it. Before it calls something down it retries, which are heartbeats of status 2; here the first of each row.
 */
const turns = `
  WITH beats AS (
    SELECT id, status, time, important, lag(status) OVER (ORDER BY time, id) AS previous
    FROM heartbeat WHERE monitor_id = ?)
  SELECT CAST(status AS INTEGER) AS status, CAST(time AS TEXT) AS time, previous IS 2 AS is_retried,
    (SELECT CAST(substr(msg, 1, 2000) AS TEXT) FROM heartbeat WHERE id = beats.id AND status = 0) AS msg
  FROM beats WHERE important = 1 OR (status = 2 AND previous IS NOT 2) ORDER BY beats.time, id`;

interface Turn {
  readonly status: number;
  readonly at: number;
  /** The heartbeat before it was a retry. */
  readonly isRetried: boolean;
  readonly message: string;
}

export interface OutageWish {
  readonly monitorId: number;
  /** Those that ended before it are too old. */
  readonly sinceAt: number;
}

export function pastOutages(sql: SqlReader, { monitorId, sinceAt }: OutageWish): PastOutages {
  const found = tables(sql).has('heartbeat') ? sql.all(turns, [monitorId], turnOf) : [];
  const { ended, unfinished } = outagesOf(found.filter((turn) => turn !== null));
  const recent = ended.filter(({ endedAt }) => endedAt >= sinceAt);
  const outages = recent.slice(-maxOutages);
  return {
    outages,
    tooOld: ended.length - recent.length,
    tooMany: recent.length - outages.length,
    unfinished,
  };
}

function outagesOf(found: readonly Turn[]): {
  readonly ended: readonly KumaOutage[];
  readonly unfinished: 0 | 1;
} {
  const ended: KumaOutage[] = [];
  let retriedAt: number | null = null;
  let open: Omit<KumaOutage, 'endedAt'> | null = null;
  for (const { status, at, isRetried, message } of found) {
    if (status === 2) retriedAt = at;
    else if (status === 0) {
      open ??= { startedAt: isRetried ? (retriedAt ?? at) : at, confirmedAt: at, message };
    } else if (open !== null) {
      ended.push({ ...open, endedAt: at });
      open = null;
    }
  }
  return { ended, unfinished: open === null ? 0 : 1 };
}

/** Null when its time makes no sense. */
function turnOf(row: SqlRow): Turn | null {
  const at = instantOf(row.textOrNull('time') ?? '');
  if (at === null) return null;
  return {
    status: row.numberOrNull('status') ?? 1,
    at,
    isRetried: row.number('is_retried') === 1,
    message: row.textOrNull('msg') ?? '',
  };
}

/** Kuma writes UTC: `2026-11-21 18:00:00.000`. */
function instantOf(text: string): number | null {
  const [, day, clock] = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)Z?$/.exec(text) ?? [];
  const at = day === undefined || clock === undefined ? NaN : Date.parse(`${day}T${clock}Z`);
  return Number.isNaN(at) || at < 0 ? null : at;
}

/** What became of the outages of one monitor: how many are on record now, and how many are not, and why. */
export interface KeptOutages {
  readonly kept: number;
  readonly leftOut: LeftOut;
}

export interface LeftOut {
  /** Brought in before. */
  readonly known: number;
  /** They ended when statusd was watching itself, and has its own. */
  readonly watched: number;
  readonly unfinished: number;
  readonly tooOld: number;
  readonly tooMany: number;
  /** The monitor is down now, and the record holds one at a time that is not over. */
  readonly waiting: number;
}

interface OutageOwner {
  readonly id: string;
  readonly name: string;
  readonly past: PastOutages;
}

/** How many incidents one record of the log holds. */
const atOnce = 100;

const reasonLength = 500;

/**
 * Each is opened and closed in one transaction, so it is never seen open: what is sent, held back or pending follows
 * from open incidents alone. `owner` is in the store already, which knows since when it is watched here.
 */
export async function keepOutages(
  owner: OutageOwner,
  { store, redact }: Pick<OpenedStore, 'store' | 'redact'>,
): Promise<KeptOutages> {
  const { id, past } = owner;
  const { tooOld, tooMany, unfinished } = past;
  const watchedSinceAt = monitors.find(store.sql, id)?.firstSeenAt ?? 0;
  const before = past.outages.filter(({ endedAt }) => endedAt <= watchedSinceAt);
  const fresh = before.filter(
    (outage) => incidents.find(store.sql, kumaUid(id, outage.confirmedAt)) === null,
  );
  let kept = 0;
  for (let start = 0; start < fresh.length; start += atOnce) {
    const step = fresh.slice(start, start + atOnce);
    const answers = await store.write(step.flatMap((outage) => operationsOf(owner, outage, redact)));
    // What could be closed had been opened: while another incident of the monitor is open, none is.
    kept += answers.filter((answer) => answer === true).length;
  }
  return {
    kept,
    leftOut: {
      known: before.length - fresh.length,
      watched: past.outages.length - before.length,
      unfinished,
      tooOld,
      tooMany,
      waiting: fresh.length - kept,
    },
  };
}

function operationsOf({ id, name }: OutageOwner, outage: KumaOutage, redact: Redact): Operation[] {
  const { startedAt, confirmedAt, endedAt, message } = outage;
  const uid = kumaUid(id, confirmedAt);
  const reason = cutText(cleanLine(redact(message)).trim(), reasonLength);
  return [
    incidents.open({
      uid,
      monitor: id,
      name,
      startedAt,
      confirmedAt,
      category: null,
      reason: reason === '' ? null : reason,
      cause: null,
      impacted: [],
      snapshot: null,
      vantage: null,
    }),
    incidents.close({ uid, endedAt }),
  ];
}
