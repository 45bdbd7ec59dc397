/** Gathers what a turn decides by; what is expensive only when it is asked for. */
import { channels, type ChannelHealthRow } from '../../db/topics/channels.ts';
import { incidents, type IncidentRow } from '../../db/topics/incidents.ts';
import { silences } from '../../db/topics/silences.ts';
import type { DeliveryRow } from '../../db/topics/outbox.ts';
import type { SqlReader } from '../../db/sql.ts';
import type { State } from '../../engine/core/confirm/state.ts';
import type { Situation } from '../../engine/core/mute.ts';
import type { Look } from '../../engine/core/tell/fold.ts';
import type { Outage, Outages } from '../../engine/core/tell/outage.ts';
import { readOutage } from '../../engine/core/tell/payload.ts';
import { isConnected, type Setting } from './setting.ts';

export interface Facts {
  readonly nowAt: number;
  readonly setting: Setting;
  readonly situation: Situation;
  /** The open outages of monitors that depend on others, or others on them. */
  readonly outages: () => Outages;
  readonly incident: (uid: string) => IncidentRow | null;
  readonly look: (monitor: string) => Look;
  readonly stateOf: (monitor: string) => State | null;
  readonly healthOf: (channel: string) => ChannelHealthRow | null;
}

export interface Sources {
  readonly sql: SqlReader;
  readonly stateOf: (monitor: string) => State | null;
  /** When somebody last had a monitor checked out of turn. */
  readonly askedAt: (monitor: string) => number | null;
  readonly rowsOf: (incident: string) => readonly DeliveryRow[];
  /** The deliveries under way that blame no upstream. */
  readonly isToldAlone: (deliveryId: string) => boolean;
}

export function gather(nowAt: number, setting: Setting, sources: Sources): Facts {
  const { sql, stateOf, askedAt } = sources;
  const { graph, maintenances } = setting;
  return {
    nowAt,
    setting,
    stateOf,
    situation: { nowAt, graph, mutes: { silences: silences.active(sql, nowAt), maintenances } },
    outages: once(() => outagesOf(setting, sources)),
    incident: remembering((uid) => incidents.find(sql, uid)),
    look: (monitor) => {
      const state = stateOf(monitor);
      const lookedAt = Math.max(state?.knownAt ?? -Infinity, askedAt(monitor) ?? -Infinity);
      return {
        failingSinceAt: state?.incident === null ? (state.failures?.sinceAt ?? null) : null,
        lookedAt: lookedAt === -Infinity ? null : lookedAt,
      };
    },
    healthOf: (channel) => channels.list(sql).find((health) => health.channel === channel) ?? null,
  };
}

function outagesOf(setting: Setting, { sql, rowsOf, isToldAlone }: Sources): Outages {
  const connected = incidents.listOpen(sql).filter(({ monitor }) => isConnected(setting, monitor));
  return new Map(
    connected.map((incident) => [
      incident.monitor,
      outageOf(incident, {
        rows: rowsOf(incident.uid).filter(({ event }) => event === 'down'),
        windowMs: setting.windowMs,
        isToldAlone,
      }),
    ]),
  );
}

interface Deliveries {
  readonly rows: readonly DeliveryRow[];
  readonly windowMs: number;
  readonly isToldAlone: (deliveryId: string) => boolean;
}

function outageOf(
  { uid, monitor, startedAt, confirmedAt }: IncidentRow,
  { rows, windowMs, isToldAlone }: Deliveries,
): Outage {
  const read = rows.map((row) => ({ row, payload: readOutage(row.payload) }));
  return {
    uid,
    monitor,
    startedAt,
    windowEndsAt: read.reduce(
      (latest, { payload }) => Math.max(latest, payload?.windowEndsAt ?? 0),
      confirmedAt + windowMs,
    ),
    isToldAlone: read.some(
      ({ row, payload }) =>
        (payload?.cause ?? null) === null &&
        (row.state === 'sent' || row.attempts > 0 || isToldAlone(row.deliveryId)),
    ),
    channels: new Set(
      rows.filter(({ state }) => state === 'sent' || state === 'waiting').map(({ channel }) => channel),
    ),
  };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function remembering<T>(look: (key: string) => T): (key: string) => T {
  const seen = new Map<string, T>();
  return (key) => {
    const known = seen.get(key);
    if (known !== undefined) return known;
    const found = look(key);
    seen.set(key, found);
    return found;
  };
}
