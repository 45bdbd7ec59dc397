/** All samples of one monitor over a span of time, in columns. */
import { HistoryBuilder, type SampleHistory } from '../../engine/core/sample-history.ts';
import type { SampleColumns } from '../samples/columns.ts';
import { findOwner } from '../samples/owner.ts';
import { type OldHour, visitReadable } from '../samples/stored.ts';
import type { SqlReader } from '../store/sql.ts';
import { samples, type TimeRange } from '../tables/samples.ts';

/**
 * The samples of a monitor, oldest first; hours whose samples are damaged are a gap. `isPush` says how to take what is
 * no heartbeat; `older` are the samples that are not in memory (see readOldHours).
 */
export function readHistory(
  sql: SqlReader,
  monitor: string,
  {
    fromAt,
    toAt,
    isPush,
    older = [],
  }: TimeRange & { readonly isPush: boolean; readonly older?: readonly OldHour[] },
): SampleHistory {
  const builder = new HistoryBuilder({ isPush });
  const owner = findOwner(sql, monitor);
  if (owner === null) return builder.finish();
  const remarked = new Set(
    older
      .filter(({ hour }) => hour < owner.prunedBefore)
      .flatMap(({ remarks }) => remarks)
      .concat(samples.remarks(sql, monitor, { fromAt, toAt }))
      .filter(({ category }) => category !== null)
      .map(({ at }) => at),
  );
  const span = { fromSecs: Math.ceil(fromAt / 1000), toSecs: Math.ceil(toAt / 1000) };
  const visit = (columns: SampleColumns, index: number): void => {
    const at = columns.ats[index] ?? 0;
    const status = columns.statusOf(index);
    builder.add(
      { at, status, latencyMs: columns.latencyOf(index), isHeartbeat: columns.isHeartbeat(index) },
      status === 'degraded' && remarked.has(at),
    );
  };
  visitReadable(sql, { owner, span, visit, older });
  return builder.finish();
}
