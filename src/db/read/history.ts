/** Everything one monitor was found to be over a stretch of time, in columns. */
import { HistoryBuilder, type History } from '../../engine/core/replay/history.ts';
import { findOwner } from '../samples/owner.ts';
import { daySecs } from '../samples/slots.ts';
import { readableWithin } from '../samples/stored.ts';
import type { SqlReader } from '../sql.ts';
import { samples, type Between } from '../topics/samples.ts';

/**
 * The samples of a monitor, oldest first; hours whose samples are damaged are a gap. Read day by day, so that no
 * more than a day of them exists as objects. `isPush` says how to take what is no heartbeat.
 */
export function readHistory(
  sql: SqlReader,
  monitor: string,
  { fromAt, toAt, isPush }: Between & { readonly isPush: boolean },
): History {
  const builder = new HistoryBuilder({ isPush });
  const owner = findOwner(sql, monitor);
  if (owner === null) return builder.finish();
  const remarked = new Set(
    samples
      .remarks(sql, monitor, { fromAt, toAt })
      .filter(({ category }) => category !== null)
      .map(({ at }) => at),
  );
  const end = Math.ceil(toAt / 1000);
  for (let fromSecs = Math.ceil(fromAt / 1000); fromSecs < end; fromSecs += daySecs) {
    const span = { fromSecs, toSecs: Math.min(end, fromSecs + daySecs) };
    for (const sample of readableWithin(sql, owner, span)) {
      builder.add(sample, sample.status === 'degraded' && remarked.has(sample.at));
    }
  }
  return builder.finish();
}
