/** Gathers the facts for the decisions of one turn; expensive ones only when asked for. */
import { alertStates } from '../../db/tables/alert-states.ts';
import { certificates } from '../../db/tables/certificates.ts';
import { type ChannelHealthRow, channels } from '../../db/tables/channels.ts';
import { domains } from '../../db/tables/domains.ts';
import { type IncidentRow, incidents } from '../../db/tables/incidents.ts';
import type { DeliveryRow } from '../../db/tables/outbox.ts';
import { silences } from '../../db/tables/silences.ts';
import type { SqlReader } from '../../db/store/sql.ts';
import { plannedMaintenance } from '../../engine/operations/planned-maintenance.ts';
import { meta } from '../../db/tables/meta.ts';
import type { Stability } from '../../engine/monitoring/confirm/unstable.ts';
import type { MonitorState } from '../../engine/monitoring/confirm/state.ts';
import { type MonitorMemory, readDocument } from '../../engine/monitoring/monitor-memory.ts';
import { type Network, readNetwork } from '../../engine/monitoring/network/episode.ts';
import { type MuteContext, muteOf } from '../../engine/core/mute.ts';
import { quieted } from '../../engine/alerting/filter.ts';
import type { IncidentRef } from '../../engine/alerting/group.ts';
import type { MonitorLook, Outages } from '../../engine/alerting/blast.ts';
import type { FoldFacts } from '../../engine/alerting/fold.ts';
import { unknownGroups, type UnknownGroups, type UnknownSources } from './open-outages.ts';
import type { Channel, Config, DisabledChannel, Monitor } from '../../engine/config/config.ts';
import { type Graph, graphOfMonitors } from '../../engine/core/graph.ts';
import { type Message, severityOf } from '../../engine/alerting/events/catalogue.ts';
import type { Named } from '../../engine/alerting/events/event.ts';
import type { UpstreamChecks } from './upstream-checks.ts';

export interface DeliveryContext {
  readonly nowAt: number;
  /** When this process began to send. */
  readonly startedAt: number;
  readonly settings: DeliverySettings;
  readonly situation: MuteContext;
  /** The open outages of monitors that depend on others, or others on them. */
  readonly outages: () => Outages;
  /** The uid of the outage that a monitor is in; null: it is in none. */
  readonly outageOf: (monitor: string) => string | null;
  /** The uids of all open outages. */
  readonly openUids: () => Iterable<string>;
  readonly incident: (uid: string) => IncidentRow | null;
  /** The outages of a monitor since an instant (epoch ms), the one that started last first; of many, those of late. */
  readonly outagesSince: (monitor: string, at: number) => readonly IncidentRow[];
  /** The deliveries of one event about an incident, the finished ones too. */
  readonly alertsOf: (incident: string, event: string) => readonly DeliveryRow[];
  readonly incidentById: (id: number) => IncidentRow | null;
  /** The closed incidents of these monitors, the one that started last first; of many, those of late. */
  readonly closedOf: (monitors: readonly string[]) => readonly IncidentRow[];
  readonly look: (monitor: string) => MonitorLook;
  readonly recoveredAt: FoldFacts['recoveredAt'];
  readonly sinceRecovery: FoldFacts['sinceRecovery'];
  readonly mutedUntil: FoldFacts['mutedUntil'];
  readonly isQuiet: FoldFacts['isQuiet'];
  readonly laterGroups: () => FoldFacts['laterGroups'];
  readonly stateOf: (monitor: string) => MonitorState | null;
  /** Whether a monitor is unstable, as is written. */
  readonly stabilityOf: (monitor: string) => Stability;
  /** The paces at which the error budget of a monitor burns, as far as was notified. */
  readonly burningOf: (monitor: string) => MonitorMemory['burning'];
  readonly healthOf: (channel: string) => ChannelHealthRow | null;
  /** Since when the certificate of a monitor cannot be read, as was notified; null: it can, or none is known. */
  readonly unreadableSince: (monitor: string) => number | null;
  /** When the certificate of a monitor ends, and the registration of its domain; null: it is not known. */
  readonly certExpiresAt: (monitor: string) => number | null;
  readonly domainExpiresAt: (monitor: string) => number | null;
  /** What the links of messages are signed with; null: nothing yet. */
  readonly linkKey: () => string | null;
  /** What this node thinks of its own network. */
  readonly network: () => Network;
  /** The messages about monitors that cannot be checked which are not over yet. */
  readonly unknownGroups: () => UnknownGroups;
}

export interface DeliverySources {
  readonly sql: SqlReader;
  readonly startedAt: number;
  readonly stateOf: (monitor: string) => MonitorState | null;
  /** By when a push monitor is heard again: see Engine. */
  readonly heardAgainBy: (monitor: string, sinceAt: number) => number | null;
  readonly checks: Pick<UpstreamChecks, 'lastAt' | 'lastBegunAt' | 'lastRecoveryAt'>;
  readonly outages: () => Outages;
  readonly laterGroups: () => FoldFacts['laterGroups'];
  /** The uid of every open outage, by monitor. */
  readonly open: () => ReadonlyMap<string, string>;
  readonly deliveries: UnknownSources['deliveries'];
}

export function gather(nowAt: number, settings: DeliverySettings, sources: DeliverySources): DeliveryContext {
  const { sql, startedAt, stateOf, heardAgainBy, checks, outages, laterGroups, deliveries } = sources;
  // The clock was set back since: the recovery was before the start, at an instant that is not known any more.
  const unlessAhead = (at: number | null) => (at !== null && at > nowAt ? startedAt : at);
  const open = once(sources.open);
  const { config } = settings;
  const maintenances = plannedMaintenance(sql, config, nowAt);
  const situation = { nowAt, mutes: { silences: silences.active(sql, nowAt), maintenances } };
  return {
    nowAt,
    startedAt,
    settings,
    stateOf,
    situation,
    outages: once(outages),
    outageOf: (monitor) => open().get(monitor) ?? null,
    openUids: () => open().values(),
    incident: remembering((uid) => incidents.find(sql, uid)),
    outagesSince: (monitor, at) => outagesSince(sql, monitor, at),
    stabilityOf: remembering((monitor) => readDocument(alertStates.find(sql, monitor)).stability),
    alertsOf: (uid, event) => deliveries.ofIncident(uid).filter((row) => row.event === event),
    incidentById: remembering((id) => incidents.findById(sql, id)),
    closedOf: (monitors) =>
      incidents.list(sql, { monitors, isOpen: false, limit: 4 * monitors.length }).incidents,
    look: (monitor) => {
      const state = stateOf(monitor);
      const lookedAt = Math.max(state?.knownAt ?? -Infinity, checks.lastAt(monitor) ?? -Infinity);
      return {
        failingSinceAt: state?.incident === null ? (state.failures?.sinceAt ?? null) : null,
        lookedAt: lookedAt === -Infinity ? null : lookedAt,
        isUp: state !== null && isUp(state),
      };
    },
    recoveredAt: remembering(
      (monitor) => checks.lastRecoveryAt(monitor) ?? unlessAhead(incidents.lastOutageEndedAt(sql, monitor)),
    ),
    sinceRecovery: (monitor, recoveredAt) => {
      const byAt = heardAgainBy(monitor, recoveredAt);
      if (byAt !== null && byAt > nowAt) return { kind: 'awaited', byAt };
      if (byAt === null && (checks.lastBegunAt(monitor) ?? -Infinity) < recoveredAt)
        return { kind: 'unchecked' };
      return { kind: (stateOf(monitor)?.recoveries ?? 0) > 0 ? 'recovering' : 'failing' };
    },
    mutedUntil: remembering((monitor) => {
      const muting = muteOf(monitor, situation);
      return muting.kind === 'muted' ? muting.untilAt : null;
    }),
    isQuiet: (id, name) => {
      const channel = settings.channels.get(name);
      if (channel === undefined) return false;
      const said = {
        event: 'down',
        severity: severityOf('down', null),
        monitor: settings.monitors.get(id) ?? null,
      } as const;
      return quieted(channel, said, nowAt).kind !== 'open';
    },
    laterGroups: once(laterGroups),
    linkKey: once(() => meta.linkKey(sql)),
    network: once(() => readNetwork(meta.get(sql, 'network'))),
    unknownGroups: once(() => unknownGroups({ open: incidents.listUnchecked(sql), deliveries })),
    unreadableSince: (monitor) => certificates.find(sql, monitor)?.unreadableSinceAt ?? null,
    certExpiresAt: (monitor) => certificates.find(sql, monitor)?.validToAt ?? null,
    domainExpiresAt: (monitor) => domains.find(sql, monitor)?.expiresAt ?? null,
    burningOf: (monitor) => readDocument(alertStates.find(sql, monitor)).burning,
    healthOf: (channel) => channels.list(sql).find((health) => health.channel === channel) ?? null,
  };
}

/** Whether the last answer of a monitor says that it is up. */
function isUp({ status, failures, incident }: MonitorState): boolean {
  return incident === null && failures === null && (status === 'up' || status === 'degraded');
}

/** Outages that a message names at most. */
const mostOutages = 50;

export function outagesSince(sql: SqlReader, monitor: string, at: number): readonly IncidentRow[] {
  const { incidents: known } = incidents.list(sql, { monitors: [monitor], limit: mostOutages });
  return known.filter(({ startedAt, ownFault }) => startedAt >= at && ownFault === null);
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function remembering<Key, T>(look: (key: Key) => T): (key: Key) => T {
  const seen = new Map<Key, T>();
  return (key) => {
    const known = seen.get(key);
    if (known !== undefined) return known;
    const found = look(key);
    seen.set(key, found);
    return found;
  };
}

export interface DeliverySettings {
  readonly config: Config;
  readonly monitors: ReadonlyMap<string, Monitor>;
  readonly channels: ReadonlyMap<string, Channel>;
  /** Channels that cannot be used, because a secret of theirs is empty. */
  readonly disabled: ReadonlyMap<string, DisabledChannel>;
  /** Names of monitors and peers by id. */
  readonly names: ReadonlyMap<string, string>;
  /** The ids by which mutes name peers, by the id of the peer. */
  readonly listenIds: ReadonlyMap<string, string>;
  readonly graph: Graph;
  /** group_window_secs. */
  readonly windowMs: number;
  /** The last leader had another configuration: what this one does not have still exists, so nothing is dropped for it. */
  readonly isStandIn: boolean;
}

/** What a configuration means for delivering. */
export function deliverySettings(config: Config, isStandIn = false): DeliverySettings {
  return {
    config,
    isStandIn,
    monitors: new Map(config.monitors.map((monitor) => [monitor.id, monitor])),
    channels: new Map(config.channels.map((channel) => [channel.name, channel])),
    disabled: new Map(config.disabled_channels.map((channel) => [channel.name, channel])),
    names: new Map([...config.peers, ...config.monitors].map(({ id, name }) => [id, name])),
    listenIds: new Map(config.peers.map(({ id, listen_id }) => [id, listen_id])),
    graph: graphOfMonitors(config.monitors),
    windowMs: config.alerts.group_window_secs * 1000,
  };
}

/**
 * The interval of reminders of an outage of `monitor` on `channel`, in ms; null: none. The setting of the monitor replaces
 * that of the channel.
 */
export function repeatMsOf(
  { monitor, channel: name }: { readonly monitor: string; readonly channel: string },
  { monitors, channels }: Pick<DeliverySettings, 'monitors' | 'channels'>,
): number | null {
  const channel = channels.get(name);
  if (channel === undefined) return null;
  const secs = monitors.get(monitor)?.repeat_every_secs ?? channel.repeat_every_secs;
  return secs === null ? null : secs * 1000;
}

/** What all variants of a message begin with. */
export type MessageHead = Pick<Message, 'deliveryId' | 'isTest' | 'link' | 'repeat' | 'ack'>;

export function named(id: string, context: DeliveryContext): Named {
  return { id, name: nameOf(id, context, id) };
}

/** The configured name; `otherwise` for what is no longer configured. */
export function nameOf(id: string, { settings }: DeliveryContext, otherwise: string): string {
  return settings.names.get(id) ?? otherwise;
}

/** The uids of incidents, also where an earlier version wrote their numbers. */
export function uidsOf(incidents: readonly IncidentRef[], { incidentById }: DeliveryContext): string[] {
  return incidents.flatMap((ref) => (typeof ref === 'string' ? ref : (incidentById(ref)?.uid ?? [])));
}
