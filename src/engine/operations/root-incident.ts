/** Follows the recorded causes of an incident to the one that caused them all. */
import type { SqlReader } from '../../db/store/sql.ts';
import { type IncidentRow, incidents } from '../../db/tables/incidents.ts';
import { recorded, type RecordedIncidentRow } from '../../db/tables/recorded-incidents.ts';

/** The incident at the end of the chain of causes, over or not; the incident itself where nothing caused it. */
export function rootOf(sql: SqlReader, incident: RecordedIncidentRow): RecordedIncidentRow {
  return incident.monitor === null ? incident : (chainEnd(sql, incident, () => true) ?? incident);
}

/**
 * The open incident that an open one is folded into, whose alert named both; null: nothing that lasts caused it, or it is
 * over.
 */
export function openRootOf(sql: SqlReader, incident: RecordedIncidentRow): IncidentRow | null {
  if (incident.monitor === null || incident.endedAt !== null) return null;
  return chainEnd(sql, incident, ({ endedAt }) => endedAt === null);
}

/** The root of the incident that began last, which lists of incidents show first; null: there is no incident. */
export function newestRoot(sql: SqlReader): RecordedIncidentRow | null {
  // An incident of another program may be recorded later than it began.
  const [newest] = recorded.list(sql, { limit: 1 }).incidents;
  return newest === undefined ? null : rootOf(sql, newest);
}

/** Null: no incident that is `isLink` caused this one, or they cause each other. */
function chainEnd(
  sql: SqlReader,
  incident: IncidentRow,
  isLink: (cause: IncidentRow) => boolean,
): IncidentRow | null {
  const seen = new Set([incident.uid]);
  let root = incident;
  for (;;) {
    const cause = causeOf(sql, root);
    if (cause === null || !isLink(cause)) return root === incident ? null : root;
    if (seen.has(cause.uid)) return null;
    seen.add(cause.uid);
    root = cause;
  }
}

function causeOf(sql: SqlReader, { cause, startedAt, endedAt }: IncidentRow): IncidentRow | null {
  if (cause === null) return null;
  return incidents.newestWithin(sql, cause, { fromAt: startedAt, toAt: endedAt ?? Number.MAX_SAFE_INTEGER });
}
