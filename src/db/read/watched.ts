/** The monitors a page shows, with what tells whether anything of theirs has changed. */
import { type Owner, tailOf } from '../samples/owner.ts';
import type { SqlReader } from '../sql.ts';

export interface Watched extends Pick<Owner, 'key' | 'tail' | 'packedBefore' | 'oldestHour'> {
  readonly id: string;
  readonly samples: number;
  readonly rewrites: number;
}

/** Every monitor that is not removed. */
export function readWatched(sql: SqlReader): Watched[] {
  return sql.all(
    `SELECT key, id, samples, rewrites, tail_secs, tail_status, tail_hold_secs, oldest_hour, packed_before
     FROM monitors WHERE removed_at IS NULL`,
    [],
    (row) => ({
      key: row.number('key'),
      id: row.text('id'),
      samples: row.number('samples'),
      rewrites: row.number('rewrites'),
      tail: tailOf(row),
      oldestHour: row.number('oldest_hour'),
      packedBefore: row.number('packed_before'),
    }),
  );
}
