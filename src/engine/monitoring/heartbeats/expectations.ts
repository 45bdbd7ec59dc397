/**
 * Remembers which heartbeats each push monitor has to send and since when; none is expected from before its settings
 * said so.
 */
import type { Monitor } from '../../config/config.ts';
import { aNumber, fieldsOf, readAs } from '../../core/decode.ts';
import type { Operation } from '../../../db/store/operation.ts';
import type { SqlReader } from '../../../db/store/sql.ts';
import { meta } from '../../../db/tables/meta.ts';

/** What its settings say of the heartbeats of a monitor, to be compared; null: it sends none. */
function expectationOf(monitor: Monitor): string | null {
  if (monitor.kind !== 'push') return null;
  const { schedule, timezone, interval_secs, grace_secs } = monitor;
  // UTC is left out, as in what versions without time zones kept.
  const zone = schedule === null || timezone === 'UTC' ? [] : [timezone];
  return JSON.stringify([schedule ?? interval_secs, grace_secs, ...zone]);
}

/** Whether both have to send the same heartbeats. */
export function expectsTheSame(one: Monitor, other: Monitor): boolean {
  return expectationOf(one) === expectationOf(other);
}

/** Set by the first load that keeps expectations: what has none was no push monitor, and not one of an earlier version. */
const isKept = 'heartbeat_expectations';

export interface ExpectationChange {
  readonly configured: readonly Monitor[];
  /** The id that a monitor had until now. */
  readonly idBefore: (id: string) => string;
  readonly now: number;
}

/** What brings the expectations in line with a configuration: nothing for those that did not change. */
export function expectationOperations(
  sql: SqlReader,
  { configured, idBefore, now }: ExpectationChange,
): readonly Operation[] {
  const before = meta.heartbeats.read(sql);
  const isFirst = meta.get(sql, isKept) !== true;
  const changed = configured.flatMap((monitor): Operation[] => {
    const { id } = monitor;
    const known = fieldsOf(before(idBefore(id)));
    const expected = expectationOf(monitor);
    // The clock may have been ahead when it was written.
    const isAhead = (readAs(known['sinceAt'], aNumber) ?? now) > now;
    if (expected !== (known['expected'] ?? null) || isAhead) {
      const sinceAt = isFirst ? null : now;
      return [meta.heartbeats.set(id, expected === null ? null : { expected, sinceAt })];
    }
    return idBefore(id) === id || expected === null ? [] : [meta.heartbeats.set(id, before(idBefore(id)))];
  });
  return isFirst ? [meta.set({ name: isKept, value: true }), ...changed] : changed;
}

/** Since when the heartbeats of a monitor are expected as they are now, epoch ms; null: since it was first seen. */
export function expectedSince(sql: SqlReader): (id: string) => number | null {
  const kept = meta.heartbeats.read(sql);
  return (id) => readAs(fieldsOf(kept(id))['sinceAt'], aNumber);
}
