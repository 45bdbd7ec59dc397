/** Brings the database in line with a configuration: monitors, open incidents, stored states. */
import type { Monitor } from '../config/config.ts';
import { atOnce, type Steps } from '../core/yielding.ts';
import { resume } from './confirm/resume.ts';
import { asRecorded } from './confirm/said.ts';
import { freshState, readState } from './confirm/state.ts';
import { renamesOf, type Rename } from './renames.ts';
import { degradationOf, unstableEpisodeOf } from '../alerting/events/outage.ts';
import { queue } from '../alerting/queue.ts';
import { reasons } from '../alerting/reasons.ts';
import type { Operation } from '../../db/store/operation.ts';
import type { SqlReader } from '../../db/store/sql.ts';
import { alertStates } from '../../db/tables/alert-states.ts';
import { decisions } from '../../db/tables/decisions.ts';
import { incidents, type OpenOutline } from '../../db/tables/incidents.ts';
import { monitors, type MonitorRow, type ShownAs } from '../../db/tables/monitors.ts';
import { outbox } from '../../db/tables/outbox.ts';
import { expectedSince, expectationOperations } from './heartbeats/expectations.ts';
import { identityOf, saltOf } from './identity.ts';
import { documentOf, readDocument, type MonitorMemory } from './monitor-memory.ts';
import { operationsOf } from './alert-operations.ts';

/** What a configuration changes in the record. */
export interface Alignment {
  readonly operations: readonly Operation[];
  /** The monitors that go by another id. */
  readonly renames: readonly Rename[];
}

/**
 * What makes the list of monitors that of `configured`, recognising those that were renamed, and ends the incidents of
 * those that are no longer watched.
 */
export function alignment(sql: SqlReader, configured: readonly Monitor[], terms: AlignmentTerms): Alignment {
  return atOnce(alignmentSteps(sql, configured, terms));
}

interface AlignmentTerms {
  /** Epoch ms. */
  readonly now: number;
  /**
   * Monitors that are not configured stay as they are, with their incidents and names: another node has them, for which
   * this one stands in. Default: they are removed.
   */
  readonly keepsOthers?: boolean;
}

/** The same in steps: a monitor at a time, then a table at a time. */
export function* alignmentSteps(
  sql: SqlReader,
  configured: readonly Monitor[],
  { now, keepsOthers = false }: AlignmentTerms,
): Steps<Alignment> {
  const { salt, operations: saltOperations } = saltOf(sql);
  const identified: Identified[] = [];
  for (const monitor of configured) {
    identified.push({
      id: monitor.id,
      name: monitor.name,
      identity: identityOf(monitor, salt),
      shown: { group: monitor.group, sloUptimePercent: monitor.slo_uptime, isPrivate: !monitor.public },
    });
    yield;
  }
  const rows = monitors.list(sql);
  yield;
  const renames = keepsOthers ? [] : recognised(rows, identified);
  const nowCalled = new Map(renames.map(({ from, to }) => [from, to]));
  const idOf = (id: string) => nowCalled.get(id) ?? id;
  const ids = new Set(rows.map(({ id }) => id));
  // A name that is taken by the history of a removed monitor is left to it.
  const known = rows.map((row) => (ids.has(idOf(row.id)) ? row : { ...row, id: idOf(row.id) }));
  const removedAt = new Map(known.map((row) => [row.id, row.removedAt]));
  const own = new Set(configured.map(({ id }) => id));
  const watched = keepsOthers ? new Set([...own, ...ids]) : own;
  const seen = new Set<string>();
  yield;
  const open = incidents.listOpenOutlines(sql);
  yield;
  const closings = open.flatMap((incident): Operation[] => {
    const monitor = idOf(incident.monitor);
    const isOnly = !seen.has(monitor);
    seen.add(monitor);
    if (watched.has(monitor))
      return isOnly ? [] : [incidents.close({ uid: incident.uid, endedAt: incident.confirmedAt })];
    return abandon(sql, incident, { removedAt: removedAt.get(monitor) ?? now, now });
  });
  const degradations = rows
    .filter(({ id, removedAt: gone }) => gone === null && !watched.has(idOf(id)))
    .flatMap(({ id }) => [...abandonDegradation(sql, id, now), ...abandonUnstable(sql, id, now)]);
  // What failed, or was last heard, before it was left out says nothing of now: heartbeats are expected from here on.
  // A monitor that has the id of a removed one now was watched all along.
  const renamed = new Set(renames.map(({ to }) => to));
  const back = documentOf({ state: freshState, heardAt: now, burning: [] });
  const returns = known
    .filter(({ id, removedAt: gone }) => gone !== null && own.has(id) && !renamed.has(id))
    .map(({ id }) => alertStates.save({ monitor: id, state: back, at: now }));
  yield;
  const removed = known.filter(({ removedAt: gone }) => gone !== null);
  const wasCalled = new Map(renames.map(({ from, to }) => [to, from]));
  const idBefore = (id: string) => wasCalled.get(id) ?? id;
  const expectations = expectationOperations(sql, { configured, idBefore, now });
  yield;
  return {
    renames,
    operations: [
      ...saltOperations,
      ...renames.map((rename) => monitors.rename(rename)),
      ...expectations,
      ...(keepsOthers
        ? monitors.syncFrom(removed, missingIn(known, identified), now)
        : monitors.syncFrom(known, identified, now)),
      ...closings,
      ...degradations,
      ...returns,
    ],
  };
}

interface Identified {
  readonly id: string;
  readonly name: string;
  readonly identity: string | null;
  readonly shown: ShownAs;
}

/** Those of the configured monitors that the database does not watch. */
function missingIn<Configured extends { readonly id: string }>(
  rows: readonly MonitorRow[],
  configured: readonly Configured[],
): readonly Configured[] {
  const present = new Set(rows.flatMap(({ id, removedAt }) => (removedAt === null ? id : [])));
  return configured.filter(({ id }) => !present.has(id));
}

/** The monitors of before that are configured under another id now. */
function recognised(
  rows: readonly MonitorRow[],
  configured: readonly { readonly id: string; readonly identity: string | null }[],
): readonly Rename[] {
  const wanted = new Set(configured.map(({ id }) => id));
  const present = rows.filter(({ removedAt }) => removedAt === null);
  const before = new Set(present.map(({ id }) => id));
  return renamesOf(
    present.filter(({ id }) => !wanted.has(id)).map(({ id, identity }) => ({ name: id, identity })),
    configured.filter(({ id }) => !before.has(id)).map(({ id, identity }) => ({ name: id, identity })),
  );
}

/** Ends the incident of a monitor that is no longer configured; the channels that were sent its alert are notified. */
function abandon(
  sql: SqlReader,
  { uid, monitor, startedAt, confirmedAt, ownFault }: OpenOutline,
  { removedAt, now }: { readonly removedAt: number; readonly now: number },
): Operation[] {
  const endedAt = Math.max(confirmedAt, removedAt);
  const intents = queue(
    {
      kind: ownFault === null ? 'incident_closed' : 'unknown_ended',
      by: 'removal',
      uid,
      monitor,
      at: now,
      startedAt,
      endedAt,
    },
    { rows: outbox.ofIncident(sql, uid), channels: [], windowMs: 0, isDegradedNotified: false },
  );
  const isSomeoneNotified = intents.some(({ kind }) => kind === 'put');
  return [
    incidents.close({ uid, endedAt }),
    ...operationsOf(intents, now),
    ...(isSomeoneNotified ? [] : [nobodyNotified(monitor, uid, now)]),
  ];
}

function nobodyNotified(monitor: string, incident: string, at: number): Operation {
  return decisions.log({
    at,
    monitor,
    incident,
    channel: null,
    event: 'recovered',
    verdict: 'spared',
    reason: 'monitor_removed',
    detail: reasons.monitor_removed,
  });
}

/** The same for a confirmed degradation, which is in the state of the monitor alone. */
function abandonDegradation(sql: SqlReader, monitor: string, now: number): Operation[] {
  const { degradation } = readDocument(alertStates.find(sql, monitor)).state;
  if (degradation === null) return [];
  const { startedAt, confirmedAt } = degradation;
  const ended = {
    kind: 'degraded_ended',
    by: 'removal',
    monitor,
    at: now,
    startedAt,
    endedAt: Math.max(confirmedAt, now),
  } as const;
  const rows = outbox.ofIncident(sql, degradationOf(monitor, startedAt));
  return operationsOf(queue(ended, { rows, channels: [], windowMs: 0, isDegradedNotified: true }), now);
}

/** The same for an unstable time. */
function abandonUnstable(sql: SqlReader, monitor: string, now: number): Operation[] {
  const { unstable } = readDocument(alertStates.find(sql, monitor)).stability;
  if (unstable === null) return [];
  const { startedAt, confirmedAt, outages } = unstable;
  const ended = {
    kind: 'unstable_ended',
    by: 'removal',
    monitor,
    at: now,
    startedAt,
    endedAt: Math.max(confirmedAt, now),
    outages,
  } as const;
  const rows = outbox.ofIncident(sql, unstableEpisodeOf(monitor, startedAt));
  return operationsOf(queue(ended, { rows, channels: [], windowMs: 0, isDegradedNotified: true }), now);
}

/** What the store remembers of `ids`, the incident record having the last word. */
export function recall(sql: SqlReader, ids: readonly string[], now: number): Map<string, MonitorMemory> {
  const rows = new Map(monitors.list(sql).map((row) => [row.id, row]));
  const open = new Map(incidents.listOpen(sql).map((row) => [row.monitor, row]));
  const documents = alertStates.list(sql);
  const expectedAtOf = expectedSince(sql);
  return new Map(
    ids.map((id) => {
      const incident = open.get(id) ?? null;
      const row = rows.get(id);
      const stored = documents.get(id);
      const heardAt = row?.heardAt ?? (readState(stored) === null ? lastSampleOf(row) : null);
      const read = heardSince(readDocument(stored), heardAt);
      const memory: MonitorMemory = {
        ...read,
        firstSeenAt: row?.firstSeenAt ?? now,
        expectedAt: expectedAtOf(id),
        state: asRecorded(resume(read.state, incident), incident),
        uid: incident?.uid ?? null,
      };
      return [id, memory];
    }),
  );
}

/** Where the state is gone, the last sample says when a monitor was heard; imported ones, older than the monitor, do not. */
function lastSampleOf(row: MonitorRow | undefined): number | null {
  const at = row?.last?.at ?? null;
  return row !== undefined && at !== null && at >= row.firstSeenAt ? at : null;
}

type StoredMemory = ReturnType<typeof readDocument>;

/** Heartbeats after which nothing is worth a write but their instant. */
function heardSince(remembered: StoredMemory, heardAt: number | null): StoredMemory {
  if (heardAt === null || heardAt <= (remembered.heardAt ?? -Infinity)) return remembered;
  const { state } = remembered;
  return {
    ...remembered,
    heardAt,
    state: { ...state, knownAt: Math.max(state.knownAt ?? heardAt, heardAt) },
  };
}
