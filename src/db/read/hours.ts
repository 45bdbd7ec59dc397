/** The last hours of a monitor, from hourly rollups. Finished hours are read once and remembered. */
import type { Status } from '../../engine/core/status.ts';
import { hourOf, slotOf } from '../samples/slots.ts';
import type { SqlReader } from '../store/sql.ts';
import { findShown, type StoredMonitor } from './watched.ts';

interface HourFigures {
  /** Rounded to a millisecond; null: nothing was measured. */
  readonly averageMs: number | null;
  /** The worst of the hour; `unknown`: no data. */
  readonly status: Status;
}

interface CachedHours {
  readonly rewrites: number;
  readonly hours: Map<number, HourFigures>;
}

const nothing: HourFigures = { averageMs: null, status: 'unknown' };

/** Remembers finished hours between readings. */
export class HourReader {
  readonly #remembered = new Map<number, CachedHours>();

  /** The last `count` hours by config id, this one last; empty: there is no such monitor. */
  read(sql: SqlReader, id: string, { now, count }: { readonly now: number; readonly count: number }) {
    const monitor = findShown(sql, id);
    if (monitor === null) return [];
    const last = hourOf(now / 1000);
    const { hours } = this.#of(monitor);
    for (const hour of hours.keys()) if (hour <= last - count) hours.delete(hour);
    return Array.from({ length: count }, (_, index) => {
      const hour = last - count + 1 + index;
      if (hour < monitor.oldestHour) return nothing;
      const known = hours.get(hour);
      if (known !== undefined) return known;
      const figures = figuresOf(sql, slotOf(hour, monitor.key));
      if (hour < hourOf((monitor.tail?.at ?? 0) / 1000)) hours.set(hour, figures);
      return figures;
    });
  }

  /** A late sample changes hours that were finished. */
  #of({ key, rewrites }: StoredMonitor): CachedHours {
    const known = this.#remembered.get(key);
    if (known?.rewrites === rewrites) return known;
    const anew = { rewrites, hours: new Map<number, HourFigures>() };
    this.#remembered.set(key, anew);
    return anew;
  }
}

function figuresOf(sql: SqlReader, slot: number): HourFigures {
  return (
    sql.get(
      'SELECT up_secs, degraded_secs, down_secs, latency_count, latency_sum_ms FROM hourly WHERE slot = ?',
      [slot],
      (row): HourFigures => {
        const count = row.number('latency_count');
        return {
          averageMs: count === 0 ? null : Math.round(row.number('latency_sum_ms') / count),
          status:
            row.number('down_secs') > 0
              ? 'down'
              : row.number('degraded_secs') > 0
                ? 'degraded'
                : row.number('up_secs') > 0 || count > 0
                  ? 'up'
                  : 'unknown',
        };
      },
    ) ?? nothing
  );
}
