/** What the store knows of the clock: how far it is believed, and what was written while it was ahead. */
import { shiftClock } from './mutations/clock.ts';
import { setMeta } from './mutations/meta.ts';
import type { Json } from '../store/operation.ts';
import { hourOf } from '../samples/slots.ts';
import type { SqlReader } from '../store/sql.ts';
import { meta } from './meta.ts';

const name = 'clock';

export const clockRecord = {
  shift: shiftClock,

  save: (record: Json) => setMeta({ name, value: record }),

  read: (sql: SqlReader): Json => meta.get(sql, name),

  /** Whether anything that is open or waits was written down later than `at`, or no sample would be taken in at `at`. */
  isAnyAhead: (sql: SqlReader, at: number): boolean =>
    sql.get(
      `SELECT 1 AS ahead WHERE
         EXISTS (SELECT 1 FROM incidents WHERE ended_at IS NULL AND max(started_at, confirmed_at) > ?1)
         OR EXISTS (SELECT 1 FROM outbox WHERE state = 'waiting' AND created_at > ?1)
         OR EXISTS (SELECT 1 FROM silences WHERE created_at > ?1)
         OR EXISTS (SELECT 1 FROM announcements WHERE created_at > ?1)
         OR EXISTS (SELECT 1 FROM alert_states WHERE saved_at > ?1)
         OR EXISTS (SELECT 1 FROM peers WHERE heard_at > ?1)
         OR EXISTS (SELECT 1 FROM monitors WHERE pruned_before > ?2 OR heard_at > ?1)`,
      [at, hourOf(at / 1000)],
      () => true,
    ) === true,
};
