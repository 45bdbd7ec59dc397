/** What many processes were promised by one database, held against what stands in it. */
import { announcements } from '../../src/db/tables/announcements.ts';
import { decisions } from '../../src/db/tables/decisions.ts';
import { incidents } from '../../src/db/tables/incidents.ts';
import { outbox } from '../../src/db/tables/outbox.ts';
import { samples } from '../../src/db/tables/samples.ts';
import { silences } from '../../src/db/tables/silences.ts';
import type { SqlReader } from '../../src/db/store/sql.ts';

/** A row that was acknowledged: the number it was given, and words that no other row has. */
export interface Row {
  readonly id: number;
  readonly words: string;
}

export interface Promised {
  readonly silences: readonly Row[];
  readonly announcements: readonly Row[];
  /** By the number of the incident; each incident is annotated once. */
  readonly notes: readonly Row[];
  /** Each heartbeat has a latency that no other has. */
  readonly pings: readonly number[];
}

export interface Found extends Promised {
  /** What of a transaction is there without the rest of it. */
  readonly halves: readonly string[];
}

/** The monitor whose heartbeats fail and recover: each of its outages is one transaction of several tables. */
export interface Pushed {
  readonly monitor: string;
  /** The others that only say that they are up. */
  readonly steady: string;
}

export function found(sql: SqlReader, nowAt: number, { monitor, steady }: Pushed): Found {
  const within = { fromAt: nowAt - 600_000, toAt: nowAt + 60_000 };
  const beats = [monitor, steady].flatMap((id) => samples.list(sql, id, within));
  const all = incidents.list(sql, { limit: 10_000 }).incidents;
  return {
    silences: silences.active(sql, nowAt).map(({ id, reason }) => ({ id, words: reason ?? '' })),
    announcements: announcements.active(sql, nowAt).map(({ id, title }) => ({ id, words: title })),
    notes: all.flatMap(({ id, note }) => (note === null ? [] : [{ id, words: note }])),
    pings: beats.flatMap(({ latencyMs }) => (latencyMs === null ? [] : [latencyMs])),
    halves: halvesOf(sql, monitor, within),
  };
}

/** A heartbeat that fails writes its sample, an incident, a decision and a delivery, or nothing. */
function halvesOf(
  sql: SqlReader,
  monitor: string,
  within: { readonly fromAt: number; readonly toAt: number },
): string[] {
  const statuses = samples.list(sql, monitor, within).map(({ status }) => status);
  const outages = statuses.filter((status, at) => status === 'down' && statuses[at - 1] !== 'down').length;
  const ends = statuses.filter((status, at) => status !== 'down' && statuses[at - 1] === 'down').length;
  const { incidents: all } = incidents.list(sql, { limit: 10_000, monitors: [monitor] });
  const closed = all.filter(({ endedAt }) => endedAt !== null).length;
  const halves: string[] = [];
  if (all.length !== outages) halves.push(`${outages} outages in the samples, ${all.length} incidents`);
  if (closed !== ends) halves.push(`${ends} outages ended in the samples, ${closed} incidents are closed`);
  for (const { uid } of all) {
    const rows = outbox.ofIncident(sql, uid).length;
    const queued = decisions.ofIncident(sql, uid).filter(({ verdict }) => verdict === 'queued').length;
    if (rows !== 1 || queued !== 1)
      halves.push(`incident ${uid} has ${rows} deliveries, ${queued} decisions`);
  }
  return halves;
}

/** What was promised and is not there, what is there twice, and what is there in part. */
export function broken(promised: Promised, there: Found): string[] {
  const wrong = [...there.halves];
  for (const kind of ['silences', 'announcements', 'notes'] as const) {
    const byId = new Map(there[kind].map(({ id, words }) => [id, words]));
    for (const { id, words } of promised[kind]) {
      const at = byId.get(id);
      if (at !== words)
        wrong.push(`${kind} ${id} is ${at === undefined ? 'lost' : `"${at}"`}, not "${words}"`);
    }
    wrong.push(...twice(there[kind].map(({ words }) => words)).map((words) => `${kind}: "${words}" twice`));
  }
  const pings = new Set(there.pings);
  wrong.push(...promised.pings.filter((ping) => !pings.has(ping)).map((ping) => `heartbeat ${ping} is lost`));
  wrong.push(...twice(there.pings).map((ping) => `heartbeat ${ping} twice`));
  return wrong;
}

function twice<T>(values: readonly T[]): T[] {
  const seen = new Set<T>();
  return values.filter((value) => seen.size === seen.add(value).size);
}
