/** Brings the record in line with a configuration: what is watched, which incidents are open, what is remembered. */
import type { Monitor } from '../config/config.ts';
import { resume } from '../core/confirm/resume.ts';
import { reasons } from '../core/tell/reasons.ts';
import type { Operation } from '../../db/operation.ts';
import type { SqlReader } from '../../db/sql.ts';
import { alertStates } from '../../db/topics/alert-states.ts';
import { decisions } from '../../db/topics/decisions.ts';
import { incidents, type IncidentRow } from '../../db/topics/incidents.ts';
import { monitors } from '../../db/topics/monitors.ts';
import { readDocument, type Remembered } from './memory.ts';

/** The operations that make the list of monitors that of `configured`, and end what nobody watches any more. */
export function alignment(sql: SqlReader, configured: readonly Monitor[], now: number): Operation[] {
  const removedAt = new Map(monitors.list(sql).map((row) => [row.id, row.removedAt]));
  const watched = new Set(configured.map(({ id }) => id));
  const seen = new Set<string>();
  const closings = incidents.listOpen(sql).flatMap((incident): Operation[] => {
    const isOnly = !seen.has(incident.monitor);
    seen.add(incident.monitor);
    if (watched.has(incident.monitor))
      return isOnly ? [] : [incidents.close({ uid: incident.uid, endedAt: incident.confirmedAt })];
    return abandon(incident, removedAt.get(incident.monitor) ?? now, now);
  });
  return [...monitors.sync(sql, configured, now), ...closings];
}

/** Ends the incident of a monitor that is no longer configured, with the reason. */
function abandon(
  { uid, monitor, confirmedAt }: IncidentRow,
  removedAt: number,
  now: number,
): [Operation, Operation] {
  return [
    incidents.close({ uid, endedAt: Math.max(confirmedAt, removedAt) }),
    decisions.log({
      at: now,
      monitor,
      incident: uid,
      channel: null,
      event: 'recovered',
      verdict: 'spared',
      reason: 'monitor_removed',
      detail: reasons.monitor_removed,
    }),
  ];
}

/** What the store remembers of `ids`, the incident record having the last word. */
export function recall(sql: SqlReader, ids: readonly string[], now: number): Map<string, Remembered> {
  const firstSeenAt = new Map(monitors.list(sql).map((row) => [row.id, row.firstSeenAt]));
  const open = new Map(incidents.listOpen(sql).map((row) => [row.monitor, row]));
  const documents = alertStates.list(sql);
  return new Map(
    ids.map((id) => {
      const incident = open.get(id) ?? null;
      const read = readDocument(documents.get(id));
      const remembered: Remembered = {
        ...read,
        firstSeenAt: firstSeenAt.get(id) ?? now,
        state: resume(read.state, incident),
        uid: incident?.uid ?? null,
      };
      return [id, remembered];
    }),
  );
}
