/** Figures of many monitors, under their config ids in place of their keys. */
import type { SqlReader } from '../store/sql.ts';
import { readWatched } from './watched.ts';

/** Leaves out what is of no monitor that is watched. */
export function byId<T>(sql: SqlReader, values: ReadonlyMap<number, T>): Map<string, T> {
  return new Map(
    readWatched(sql).flatMap(({ key, id }) => {
      const value = values.get(key);
      return value === undefined ? [] : [[id, value] as const];
    }),
  );
}
