/** Remembers which schedule the digest follows, and since when. */
import type { Operation } from '../../db/store/operation.ts';
import type { SqlReader } from '../../db/store/sql.ts';
import { meta } from '../../db/tables/meta.ts';

export interface DigestPlan {
  readonly schedule: string;
  /** Its slots up to then are nobody's. */
  readonly firstSeenAt: number;
}

const name = 'digest_plan';

/** Null when the configuration had no digest the last time. */
export function readPlan(sql: SqlReader): DigestPlan | null {
  const value = meta.get(sql, name);
  if (typeof value !== 'object' || value === null || !('schedule' in value) || !('firstSeenAt' in value))
    return null;
  const { schedule, firstSeenAt } = value;
  return typeof schedule === 'string' && typeof firstSeenAt === 'number' ? { schedule, firstSeenAt } : null;
}

export function savePlan(schedule: string, firstSeenAt: number): Operation {
  return meta.set({ name, value: { schedule, firstSeenAt } });
}

export function forgetPlan(): Operation {
  return meta.set({ name, value: null });
}
