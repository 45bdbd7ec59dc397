/** Keeps the open outages in memory, in step with the incident record: folding asks for all of them at every turn. */
import type { Operation } from '../../db/store/operation.ts';
import type { SqlReader } from '../../db/store/sql.ts';
import { incidents, type IncidentRow } from '../../db/tables/incidents.ts';
import type { DeliveryRow } from '../../db/tables/outbox.ts';
import type { Outage, OutageMessage, Outages } from '../../engine/alerting/fold.ts';
import { namedByOf } from '../../engine/alerting/group.ts';
import { type OutagePayload, readOutage } from '../../engine/alerting/events/outage.ts';
import { isConnected, type DeliverySettings } from './context.ts';

export interface OpenOutagesOptions {
  readonly sql: SqlReader;
  /** Every delivery about an incident: the same list as long as none of them changed. */
  readonly rowsOf: (incident: string) => readonly DeliveryRow[];
  /** The deliveries under way that blame no upstream. */
  readonly isNotifiedAlone: (deliveryId: string) => boolean;
}

type Open = Pick<IncidentRow, 'uid' | 'monitor' | 'startedAt' | 'confirmedAt'>;

/** What the deliveries about an outage say of it. */
interface Notified {
  readonly rows: readonly DeliveryRow[];
  readonly windowEndsAt: number;
  readonly wasNotifiedAlone: boolean;
  /** Those that blame no upstream. */
  readonly withoutCause: readonly string[];
  readonly channels: ReadonlyMap<string, OutageMessage>;
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

  /** The monitors with an open outage about which a message was sent, failed, or is held for another reason now. */
  withChangedMessages(operations: readonly Operation[]): ReadonlySet<string> {
    const monitors = new Set<string>();
    for (const [name, deliveryId] of operations) {
      if (!name.startsWith('outbox.') || name === 'outbox.put' || typeof deliveryId !== 'string') continue;
      const monitor = this.open.get(incidentOf(deliveryId))?.monitor;
      if (monitor !== undefined) monitors.add(monitor);
    }
    return monitors;
  }

  /** Those of monitors that depend on others, or others on them. */
  connected(settings: DeliverySettings): Outages {
    const outages = new Map<string, Outage>();
    for (const incident of this.open.values())
      if (isConnected(settings, incident.monitor))
        outages.set(incident.monitor, this.outageOf(incident, settings.windowMs));
    return outages;
  }

  /** The uids of all of them, by monitor. */
  byMonitor(): ReadonlyMap<string, string> {
    return new Map([...this.open.values()].map(({ monitor, uid }) => [monitor, uid]));
  }

  /** Reads all of them anew. Answers none: no outage begins or ends with that. */
  load(): readonly string[] {
    this.open.clear();
    this.notified.clear();
    for (const incident of incidents.listOpen(this.options.sql)) if (isOutage(incident)) this.keep(incident);
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
function incidentOf(deliveryId: string): string {
  const end = deliveryId.lastIndexOf('.down.');
  return end === -1 ? '' : deliveryId.slice(0, end);
}

/** What cannot be checked is not known to be down: nothing is folded into it. */
function isOutage({ ownFault }: IncidentRow): boolean {
  return ownFault === null;
}

function readNotified(rows: readonly DeliveryRow[]): Notified {
  const downs = rows
    .filter(({ event }) => event === 'down')
    .map((row) => ({ row, payload: readOutage(row.payload) }));
  const withoutCause = downs.filter(({ payload }) => (payload?.cause ?? null) === null).map(({ row }) => row);
  // What only the message about its upstream named can speak for no dependent of its own.
  const heard = downs.filter(
    ({ row: { state, payload } }) => state === 'waiting' || (state === 'sent' && namedByOf(payload) === null),
  );
  return {
    rows,
    windowEndsAt: downs.reduce((latest, { payload }) => Math.max(latest, payload?.windowEndsAt ?? 0), 0),
    wasNotifiedAlone: withoutCause.some(({ state, attempts }) => state === 'sent' || attempts > 0),
    withoutCause: withoutCause.map(({ deliveryId }) => deliveryId),
    channels: new Map(
      heard.map(({ row, payload }) => [
        row.channel,
        { isSent: row.state === 'sent', dueAt: dueAtOf(row, payload) },
      ]),
    ),
  };
}

/** When a message that waits for nothing but its window is due; Infinity: it waits for something else. */
function dueAtOf({ attempts }: DeliveryRow, payload: OutagePayload | null): number {
  if (payload === null || attempts > 0) return Infinity;
  return (payload.hold?.reason ?? 'window') === 'window' ? payload.windowEndsAt : Infinity;
}
