/** Keeps open episodes in memory: outages, which folding needs at every turn, and monitors that cannot be checked. */
import type { Operation } from '../../db/store/operation.ts';
import type { SqlReader } from '../../db/store/sql.ts';
import { incidents, type OpenOutline, type UncheckedRow } from '../../db/tables/incidents.ts';
import type { DeliveryRow } from '../../db/tables/outbox.ts';
import type { Outage, OutageMessage, Outages } from '../../engine/alerting/blast.ts';
import type { LaterGroup } from '../../engine/alerting/group.ts';
import { failingOf, groupOf, laterGroupOf, namedByOf, namedOf } from '../../engine/alerting/group.ts';
import { type Hold, holdOf } from '../../engine/alerting/events/stored.ts';
import { type OutagePayload, readOutage } from '../../engine/alerting/events/outage-payload.ts';
import type { Graph } from '../../engine/core/graph.ts';
import { readRecovery } from '../../engine/alerting/events/recovered.ts';
import type { OutboxCache } from './outbox-cache.ts';

export interface OpenOutagesOptions {
  readonly sql: SqlReader;
  /** Every delivery about an incident: the same list as long as none of them changed. */
  readonly rowsOf: (incident: string) => readonly DeliveryRow[];
  /** The deliveries under way that name no upstream as the cause. */
  readonly isNotifiedAlone: (deliveryId: string) => boolean;
}

/** What the configuration says about folding. */
export interface FoldSettings {
  readonly graph: Graph;
  readonly windowMs: number;
}

type Open = Omit<OpenOutline, 'ownFault'>;

/** What the deliveries about an outage say of it. */
interface Notified {
  readonly rows: readonly DeliveryRow[];
  readonly windowEndsAt: number;
  readonly wasNotifiedAlone: boolean;
  /** Those that name no upstream as the cause. */
  readonly withoutCause: readonly string[];
  readonly channels: ReadonlyMap<string, OutageMessage>;
  /** The later groups that they were told in. */
  readonly later: readonly (LaterGroup & { readonly channel: string })[];
}

export class OpenOutages {
  private readonly options: OpenOutagesOptions;
  private readonly open = new Map<string, Open>();
  private readonly notified = new Map<string, Notified>();

  constructor(options: OpenOutagesOptions) {
    this.options = options;
    this.load();
  }

  /** Takes in what was written; answers the monitors whose outage began or ended. */
  note(operations: readonly Operation[]): readonly string[] {
    return operations.flatMap(([name, uid]) => {
      if (typeof uid !== 'string') return [];
      if (name === 'monitor.rename') return this.load();
      if (name === 'incident.close') return this.letGo(uid) ?? [];
      if (name !== 'incident.open') return [];
      const incident = incidents.find(this.options.sql, uid);
      if (incident === null || !isOutage(incident)) return [];
      // What was written since may have closed it.
      if (incident.endedAt === null) this.keep(incident);
      return incident.monitor;
    });
  }

  /** The monitors with an open outage about which a message was queued, sent, failed, or is held for another reason now. */
  withChangedMessages(operations: readonly Operation[]): ReadonlySet<string> {
    const uids = operations.map(([, deliveryId]) => incidentOf(deliveryId));
    return new Set(uids.flatMap((uid) => this.open.get(uid)?.monitor ?? []));
  }

  /** Those of monitors that depend on others, or others on them. */
  connected(settings: FoldSettings): Outages {
    const outages = new Map<string, Outage>();
    for (const incident of this.open.values())
      if (isConnected(settings.graph, incident.monitor))
        outages.set(incident.monitor, this.outageOf(incident, settings.windowMs));
    return outages;
  }

  /** How many later groups below the outage of a root (its uid) a channel was sent about what is down still. */
  laterGroups(): (root: string, channel: string) => number {
    const numbers = new Map<string, number>();
    for (const { uid } of this.open.values())
      for (const { root, channel, number } of this.notifiedOf(uid).later) {
        const key = keyOf(channel, root);
        numbers.set(key, Math.max(number, numbers.get(key) ?? 0));
      }
    return (root, channel) => numbers.get(keyOf(channel, root)) ?? 0;
  }

  /** The uids of all of them, by monitor. */
  byMonitor(): ReadonlyMap<string, string> {
    return new Map([...this.open.values()].map(({ monitor, uid }) => [monitor, uid]));
  }

  /** Whether the outage of a monitor is open. */
  isOpen(id: string): boolean {
    return [...this.open.values()].some(({ monitor }) => monitor === id);
  }

  /** Reads all of them anew. Answers none: no outage begins or ends with that. */
  load(): readonly string[] {
    this.open.clear();
    this.notified.clear();
    for (const incident of incidents.listOpenOutlines(this.options.sql))
      if (isOutage(incident)) this.keep(incident);
    return [];
  }

  private keep({ uid, monitor, startedAt, confirmedAt }: Open): void {
    this.open.set(uid, { uid, monitor, startedAt, confirmedAt });
  }

  private letGo(uid: string): string | null {
    const monitor = this.open.get(uid)?.monitor ?? null;
    this.open.delete(uid);
    this.notified.delete(uid);
    return monitor;
  }

  private outageOf({ uid, monitor, startedAt, confirmedAt }: Open, windowMs: number): Outage {
    const { windowEndsAt, wasNotifiedAlone, withoutCause, channels } = this.notifiedOf(uid);
    return {
      uid,
      monitor,
      startedAt,
      windowEndsAt: Math.max(windowEndsAt, confirmedAt + windowMs),
      isNotifiedAlone: wasNotifiedAlone || withoutCause.some(this.options.isNotifiedAlone),
      channels,
    };
  }

  private notifiedOf(uid: string): Notified {
    const rows = this.options.rowsOf(uid);
    const known = this.notified.get(uid);
    if (known?.rows === rows) return known;
    const notified = readNotified(rows);
    this.notified.set(uid, notified);
    return notified;
  }
}

/** The uid that the name of a `down` delivery begins with: see deliveryIdOf. */
function incidentOf(deliveryId: unknown): string {
  return typeof deliveryId === 'string' ? (/^(.+)\.down\./.exec(deliveryId)?.[1] ?? '') : '';
}

/** What cannot be checked is not known to be down: nothing is folded into it. */
function isOutage({ ownFault }: OpenOutline): boolean {
  return ownFault === null;
}

function readNotified(rows: readonly DeliveryRow[]): Notified {
  const downs = rows
    .filter(({ event }) => event === 'down')
    .map((row) => ({ row, payload: readOutage(row.payload) }));
  const withoutCause = downs.filter(({ payload }) => (payload?.cause ?? null) === null).map(({ row }) => row);
  // What only the message about its upstream named covers no dependent of its own.
  const alerted = downs.filter(
    ({ row: { state, payload } }) =>
      (state === 'waiting' && !isForNobody(payload)) || (state === 'sent' && namedByOf(payload) === null),
  );
  return {
    rows,
    windowEndsAt: downs.reduce((latest, { payload }) => Math.max(latest, payload?.windowEndsAt ?? 0), 0),
    wasNotifiedAlone: withoutCause.some(({ state, attempts }) => state === 'sent' || attempts > 0),
    withoutCause: withoutCause.map(({ deliveryId }) => deliveryId),
    channels: new Map(alerted.map(({ row, payload }) => [row.channel, messageOf(row, payload)])),
    later: laterOf(rows),
  };
}

/** Not to be sent now: someone else is on call, it is acknowledged, or its channel left the route. */
export function isForNobody(payload: DeliveryRow['payload']): boolean {
  const reason = holdOf(payload)?.reason;
  return reason === 'off_call' || reason === 'acknowledged' || reason === 'not_routed';
}

/** The message about an outage, as its delivery to one channel is stored. */
function messageOf(row: DeliveryRow, payload: OutagePayload | null): OutageMessage {
  const isWaiting = row.state === 'waiting';
  const hold = payload?.hold?.reason ?? 'window';
  const isFailed = isWaiting && (row.attempts > 0 || hold === 'channel_failed');
  return {
    isSent: row.state === 'sent',
    isComing: isFailed || (isWaiting && comingSoon.has(hold)),
    dueAt: dueAtOf(row, payload),
    sentAt: row.state === 'sent' ? row.finishedAt : null,
    groupId: groupOf(row.payload),
    named: new Set(namedOf(row.payload)?.filter((ref) => typeof ref === 'string')),
    failing: failingOf(row.payload),
  };
}

/** The holds after which a message leaves by itself, and soon. */
const comingSoon: ReadonlySet<Hold['reason']> = new Set(['window', 'upstream_due', 'upstream_failing']);

/** The later groups that deliveries about an outage were in. */
function laterOf(rows: readonly DeliveryRow[]): Notified['later'] {
  return rows.flatMap(({ channel, payload }) => {
    const later = laterGroupOf(payload);
    return later === null ? [] : { ...later, channel };
  });
}

/** When a message that waits for nothing but its window is due; Infinity: it waits for something else. */
function dueAtOf({ attempts, nextAt }: DeliveryRow, payload: OutagePayload | null): number {
  if (payload === null || attempts > 0) return Infinity;
  if (payload.hold?.reason === 'quiet_hours') return nextAt;
  return (payload.hold?.reason ?? 'window') === 'window' ? payload.windowEndsAt : Infinity;
}

/** Whether folding can concern a monitor: it depends on another, or another on it. */
function isConnected(graph: Graph, id: string): boolean {
  return (graph.above.get(id)?.length ?? 0) > 0 || (graph.below.get(id)?.length ?? 0) > 0;
}

export interface UnknownSources {
  readonly open: readonly UncheckedRow[];
  readonly deliveries: Pick<OutboxCache, 'all' | 'ofIncident'>;
}

/** One message that was sent about all that shared a cause. */
interface UnknownGroup {
  /** The delivery that names it. */
  readonly id: string;
  /** When the latest of its monitors could not be checked for the first time, epoch ms. */
  readonly startedAt: number;
  /** Monitors of it, or covered by it, that still cannot be checked. */
  readonly unchecked: readonly string[];
}

export interface UnknownGroups {
  /** The groups of a cause (ownFaultKey) on a channel. */
  readonly of: (channel: string, ownFault: string) => readonly UnknownGroup[];
  /** The monitors of a group that still cannot be checked. */
  readonly uncheckedIn: (group: string) => readonly string[];
  /** Whether a monitor that the message was about still cannot be checked, and has a recovery of its own. */
  readonly isOngoing: (group: string) => boolean;
}

interface Growing {
  readonly id: string;
  startedAt: number;
  readonly unchecked: string[];
}

/** A group lasts until its recovery was sent: while one of its incidents is open, or a recovery of it waits. */
export function unknownGroups({ open, deliveries }: UnknownSources): UnknownGroups {
  const groups = new Map<string, Map<string, Growing>>();
  const ongoing = new Set<string>();
  const groupOf = (channel: string, ownFault: string, id: string): Growing => {
    const key = keyOf(channel, ownFault);
    const known = groups.get(key) ?? new Map<string, Growing>();
    groups.set(key, known);
    const group = known.get(id) ?? { id, startedAt: 0, unchecked: [] };
    known.set(id, group);
    return group;
  };
  for (const { uid, monitor, ownFault } of open) {
    for (const { event, state, channel, payload, deliveryId } of deliveries.ofIncident(uid)) {
      const outage = event === 'unknown' ? readOutage(payload) : null;
      if (outage === null) continue;
      // What was sent, or may have been received.
      if (outage.causeGroup !== null) ongoing.add(outage.causeGroup);
      if (state === 'sent') {
        const group = groupOf(channel, ownFault, outage.causeGroup ?? deliveryId);
        group.startedAt = Math.max(group.startedAt, outage.startedAt);
        group.unchecked.push(monitor);
      } else if (state === 'waiting' && outage.hold?.reason === 'same_cause' && outage.hold.by !== null) {
        groupOf(channel, ownFault, outage.hold.by).unchecked.push(monitor);
      }
    }
  }
  for (const pending of deliveries.all()) {
    const recovery = pending.row.event === 'recovered' ? readRecovery(pending.row.payload) : null;
    const ownFault = recovery?.ownFault ?? null;
    if (recovery === null || ownFault === null || recovery.causeGroup === null) continue;
    const group = groupOf(pending.row.channel, ownFault, recovery.causeGroup);
    group.startedAt = Math.max(group.startedAt, recovery.startedAt);
  }
  return {
    // One that nothing but held messages belongs to is over.
    of: (channel, ownFault) =>
      [...(groups.get(keyOf(channel, ownFault))?.values() ?? [])].filter(({ startedAt }) => startedAt > 0),
    uncheckedIn: (group) => [...groups.values()].flatMap((known) => known.get(group)?.unchecked ?? []),
    isOngoing: (group) => ongoing.has(group),
  };
}

function keyOf(channel: string, ownFault: string): string {
  return `${JSON.stringify(channel)} ${ownFault}`;
}
