/** Sums of days of all monitors together: one scan where reading monitor by monitor would be thousands of reads. */
import { daySecs, firstSlotOf } from '../samples/slots.ts';
import type { ByStatus } from '../samples/tally.ts';
import { visitDaySecs, weekDays, weekOfDay } from '../samples/weeks.ts';
import type { SqlReader } from '../store/sql.ts';
import { addTail, countsWithin } from './tail.ts';
import { readWatched } from './watched.ts';

/** How far apart the slots of two days of one monitor are. */
const stride = firstSlotOf(1);

/** The credited seconds of whole days that are over, `toAt` (epoch ms) not in it, by config id. They must be packed. */
export function sumDays(
  sql: SqlReader,
  { fromAt, toAt }: { readonly fromAt: number; readonly toAt: number },
): Map<string, ByStatus> {
  const [firstDay, endDay] = [fromAt, toAt].map((at) => at / 1000 / daySecs) as [number, number];
  const sums = new Map(
    sql.all(
      `SELECT slot % ? AS key, sum(up_secs) AS up, sum(degraded_secs) AS degraded, sum(down_secs) AS down,
         sum(unknown_secs) AS unknown FROM daily WHERE slot >= ? AND slot < ? GROUP BY 1`,
      [stride, firstSlotOf(firstDay), firstSlotOf(endDay)],
      (row): [number, ByStatus] => [
        row.number('key'),
        {
          up: row.number('up'),
          degraded: row.number('degraded'),
          down: row.number('down'),
          unknown: row.number('unknown'),
        },
      ],
    ),
  );
  for (let week = weekOfDay(firstDay); week * weekDays < endDay; week++)
    visitDaySecs(sql, { week, fromKey: 0, toKey: stride }, (key, { ats, columns }) => {
      const sum = sums.get(key) ?? { up: 0, degraded: 0, down: 0, unknown: 0 };
      for (const [row, day] of ats.entries()) {
        if (day < firstDay || day >= endDay) continue;
        sums.set(key, sum);
        sum.up += columns[0]?.[row] ?? 0;
        sum.degraded += columns[1]?.[row] ?? 0;
        sum.down += columns[2]?.[row] ?? 0;
        sum.unknown += columns[3]?.[row] ?? 0;
      }
    });
  const span = { fromSecs: fromAt / 1000, toSecs: toAt / 1000 };
  return new Map(
    readWatched(sql).flatMap(({ key, id, tail }) => {
      const sum = sums.get(key) ?? { up: 0, degraded: 0, down: 0, unknown: 0 };
      addTail(sum, tail, span);
      return sums.has(key) || countsWithin(tail, span) ? [[id, sum] as const] : [];
    }),
  );
}
