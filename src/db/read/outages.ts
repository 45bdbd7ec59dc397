/** When each monitor had confirmed outages, remembered while the record stays the same. */
import type { SqlReader } from '../store/sql.ts';
import { incidents } from '../tables/incidents.ts';

/** Epoch ms; `endedAt` null: it lasts. */
export interface OutageSpan {
  readonly startedAt: number;
  readonly endedAt: number | null;
}

/** What moved or removed incidents, which the marks of the record do not show, is seen after so long at most. */
const rereadMs = 60_000;

export class OutageReader {
  #known: {
    marks: string;
    readAt: number;
    fromAt: number;
    spans: ReadonlyMap<string, readonly OutageSpan[]>;
  } | null = null;

  /** The outages of the last `days` UTC days by config id. The same object while nothing changed. */
  read(
    sql: SqlReader,
    { now, days }: { readonly now: number; readonly days: number },
  ): ReadonlyMap<string, readonly OutageSpan[]> {
    const fromAt = (Math.floor(now / dayMs) - days + 1) * dayMs;
    const marks = marksOf(sql);
    const known = this.#known;
    const isFresh = known?.marks === marks && known.fromAt === fromAt && now >= known.readAt;
    if (isFresh && now - known.readAt < rereadMs) return known.spans;
    const spans = new Map<string, OutageSpan[]>();
    for (const { monitor, startedAt, endedAt } of incidents.spansWithin(sql, { fromAt, toAt: now + dayMs })) {
      const own = spans.get(monitor) ?? [];
      own.push({ startedAt, endedAt });
      spans.set(monitor, own);
    }
    this.#known = { marks, readAt: now, fromAt, spans };
    return spans;
  }
}

const dayMs = 86_400_000;

/** What indexes answer without a scan: how many incidents began, how many are open, when the last one ended. */
function marksOf(sql: SqlReader): string {
  return (
    sql.get(
      `SELECT (SELECT max(id) FROM incidents) || ' ' ||
         (SELECT count(*) FROM incidents WHERE ended_at IS NULL) || ' ' ||
         coalesce((SELECT max(ended_at) FROM incidents WHERE ended_at IS NOT NULL), '') AS marks`,
      [],
      (row) => row.textOrNull('marks'),
    ) ?? ''
  );
}
