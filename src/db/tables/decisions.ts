/** The decisions about alerts: what was sent, held back or suppressed, and why. */
import type { DecisionFacts } from '../../engine/core/record.ts';
import type { SqlReader, SqlRow } from '../store/sql.ts';
import { channelName, instant, monitorId, optional, orNull, sentence, text, uid } from './fields.ts';
import { declareWrite } from './write.ts';

const word = text(60);

/** `verdict` and `reason` are short words that are counted; `detail` is the sentence for people. */
export const logDecision = declareWrite(
  'decision',
  {
    at: instant,
    monitor: orNull(monitorId),
    incident: orNull(uid),
    channel: orNull(channelName),
    event: word,
    verdict: word,
    reason: word,
    detail: optional(orNull(sentence), null),
  },
  (sql, decision) => {
    sql.run(
      `INSERT INTO decisions (at, monitor, incident, channel, event, verdict, reason, detail)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      decision.at,
      decision.monitor,
      decision.incident,
      decision.channel,
      decision.event,
      decision.verdict,
      decision.reason,
      decision.detail,
    );
    sql.run(
      `INSERT INTO decision_totals (verdict, reason, count) VALUES (?, ?, 1)
       ON CONFLICT (verdict, reason) DO UPDATE SET count = count + 1`,
      decision.verdict,
      decision.reason,
    );
    return null;
  },
);

export interface DecisionCount {
  readonly verdict: string;
  readonly reason: string;
  readonly count: number;
}

export const decisions = {
  log: logDecision,

  /** The last `limit` decisions about a monitor up to an instant, oldest first. */
  ofMonitor: (
    sql: SqlReader,
    monitor: string,
    until: { readonly at: number; readonly limit: number },
  ): DecisionFacts[] =>
    sql
      .all(
        'SELECT * FROM decisions WHERE monitor = ? AND at <= ? ORDER BY at DESC, id DESC LIMIT ?',
        [monitor, until.at, until.limit],
        decisionOf,
      )
      .reverse(),

  /** All decisions about an incident, oldest first. */
  ofIncident: (sql: SqlReader, uid: string): DecisionFacts[] =>
    sql.all('SELECT * FROM decisions WHERE incident = ? ORDER BY at, id', [uid], decisionOf),

  /** The last `limit` decisions of an end up to an instant: sent, suppressed, not delivered; oldest first. */
  latest: (sql: SqlReader, until: { readonly at: number; readonly limit: number }): DecisionFacts[] =>
    sql
      .all(
        `SELECT * FROM decisions WHERE at <= ? AND verdict IN ('told', 'spared', 'undelivered')
         ORDER BY at DESC, id DESC LIMIT ?`,
        [until.at, until.limit],
        decisionOf,
      )
      .reverse(),

  /**
   * How many events were sent to any channel in each of the last `hours`, the one that ends at `at` last; `followUps`
   * do not count, as in `countWithin`.
   */
  sentByHour: (
    sql: SqlReader,
    {
      at,
      hours,
      followUps,
    }: { readonly at: number; readonly hours: number; readonly followUps: readonly string[] },
  ): number[] => {
    const counts = new Array<number>(hours).fill(0);
    const seen = new Set<string>();
    const fromAt = at - hours * 3_600_000;
    const rows = sql.all(
      `SELECT at, event, monitor, incident FROM decisions WHERE at > ? AND at <= ? AND verdict = 'told'
         AND (reason = 'late' OR event NOT IN (SELECT value FROM json_each(?))) ORDER BY at`,
      [fromAt, at, JSON.stringify(followUps)],
      (row) => ({
        at: row.number('at'),
        key: `${row.text('event')} ${row.textOrNull('incident') ?? `${row.textOrNull('monitor') ?? ''} ${row.number('at')}`}`,
      }),
    );
    for (const { at: sentAt, key } of rows) {
      // Several channels get the same message.
      if (seen.has(key)) continue;
      seen.add(key);
      const index = Math.min(hours - 1, Math.floor((sentAt - fromAt) / 3_600_000));
      counts[index] = (counts[index] ?? 0) + 1;
    }
    return counts;
  },

  /** How often each verdict was given for each reason, ever. */
  totals: (sql: SqlReader): DecisionCount[] =>
    sql.all('SELECT verdict, reason, count FROM decision_totals ORDER BY verdict, reason', [], countOf),

  /**
   * How many events each verdict was given to within a stretch of time (`toAt` is not in it): channels do not count. Of
   * what was sent, `followUps` are events that do not count either, unless one came late in the place of its alert.
   */
  countWithin: (
    sql: SqlReader,
    between: { readonly fromAt: number; readonly toAt: number; readonly followUps: readonly string[] },
  ): DecisionCount[] =>
    sql.all(
      `SELECT verdict, reason,
         count(DISTINCT event || ' ' || coalesce(incident, coalesce(monitor, '') || ' ' || at)) AS count
       FROM decisions WHERE at >= ? AND at < ?
         AND (verdict <> 'told' OR reason = 'late' OR event NOT IN (SELECT value FROM json_each(?)))
       GROUP BY verdict, reason ORDER BY verdict, reason`,
      [between.fromAt, between.toAt, JSON.stringify(between.followUps)],
      countOf,
    ),
};

function decisionOf(row: SqlRow): DecisionFacts {
  return {
    id: row.number('id'),
    at: row.number('at'),
    monitor: row.textOrNull('monitor'),
    incident: row.textOrNull('incident'),
    channel: row.textOrNull('channel'),
    event: row.text('event'),
    verdict: row.text('verdict'),
    reason: row.text('reason'),
    detail: row.textOrNull('detail'),
  };
}

function countOf(row: SqlRow): DecisionCount {
  return { verdict: row.text('verdict'), reason: row.text('reason'), count: row.number('count') };
}
