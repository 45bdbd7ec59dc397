/** Turns an event into the operations that alert of it: outbox rows and decisions. */
import type { Config, Monitor } from '../config/config.ts';
import type { LatestReason } from '../core/latest-reason.ts';
import { type EventFacts, recentChangeMs } from '../core/record.ts';
import { inWords } from '../core/words.ts';
import type { IncidentSaidEvent } from '../alerting/events/operator-incident.ts';
import { queue } from '../alerting/queue.ts';
import { queueNotice } from '../alerting/queue-notice.ts';
import { degradationOf } from '../alerting/events/outage.ts';
import { readOutage } from '../alerting/events/outage-payload.ts';
import { episodeOf } from '../alerting/ids.ts';
import type { AlertEvent } from '../alerting/events/catalogue.ts';
import { channelsTold, isCarriedOver } from '../alerting/carry.ts';
import { namesOf, rotationsOf } from '../alerting/climb-outage.ts';
import type { Decide, Intent } from '../alerting/intent.ts';
import { isEndOfDegradation } from '../alerting/queue-recovery.ts';
import { peerKeys } from '../alerting/queue-peer.ts';
import { remindOfReason } from '../alerting/remind.ts';
import { withOnCall } from '../alerting/route.ts';
import { severityWithHidden, filteredDecisions, routed, saidOf } from '../alerting/filter.ts';
import type { Operation } from '../../db/store/operation.ts';
import type { SqlReader } from '../../db/store/sql.ts';
import { decisions } from '../../db/tables/decisions.ts';
import { incidents } from '../../db/tables/incidents.ts';
import { events } from '../../db/tables/events.ts';
import { type DeliveryRow, outbox } from '../../db/tables/outbox.ts';

/** What alerting looks at: the rows that are there, the settings of the moment. */
export interface AlertingInputs {
  readonly sql: SqlReader;
  readonly config: Config;
  /** Null, or absent: it carries no acknowledgement on. */
  readonly carried?: CarriedAck | null;
}

/** An acknowledgement that an outage carries on. */
export interface CarriedAck {
  /** Of the incident before. */
  readonly uid: string;
  readonly number: number;
  readonly by: string | null;
  /** The channels that were sent the incident, or the one before that which it was carried over from. */
  readonly told: readonly string[];
}

/** More outages in a row than this are not looked through for channels that know of them. */
const mostCarried = 20;

/** The acknowledgement that an event which begins an outage carries on; null: none. */
export function carriedBy(event: AlertEvent, sql: SqlReader): CarriedAck | null {
  if (event.kind !== 'incident_opened' && event.kind !== 'unknown_confirmed') return null;
  const { monitor, startedAt } = event;
  // A monitor that cannot be checked is another trouble than one that is down, and than one with another cause.
  const ownFault = event.kind === 'unknown_confirmed' ? event.ownFault : null;
  const last = incidents.carriable(sql, { monitor, ownFault });
  const before = last === null ? null : incidents.find(sql, last.uid);
  if (last === null || before === null || !isCarriedOver(last.endedAt, startedAt)) return null;
  const told = new Set<string>();
  let uid: string | null = before.uid;
  for (let count = 0; uid !== null && count < mostCarried; count += 1) {
    for (const channel of channelsTold(outbox.ofIncident(sql, uid))) told.add(channel);
    uid = incidents.find(sql, uid)?.carriedFrom ?? null;
  }
  const by = before.acknowledged?.by ?? null;
  return { uid: before.uid, number: before.id, by, told: [...told] };
}

type SaidOfIncident = Omit<IncidentSaidEvent, 'kind'>;

/** The operations that belong in the transaction of an operator's incident of which these channels are to know. */
export function incidentOperations(
  { uid, update, number, title, impact, state, message, monitors, startedAt, at }: SaidOfIncident,
  channels: readonly string[],
): Operation[] {
  const about = { uid, update, number, title, impact, state, message, monitors, startedAt, at };
  return operationsOf(queueNotice({ kind: 'incident_said', ...about }, channels), at);
}

/** The same for a later update, to channels that were notified of the incident. */
export function incidentUpdateOperations(said: SaidOfIncident, channels: readonly string[]): Operation[] {
  return channels.length === 0 ? [] : incidentOperations(said, channels);
}

/** The operations that belong in the transaction of `happening`. */
export function alertOperations(
  event: AlertEvent,
  { sql, config, carried = null }: AlertingInputs,
): Operation[] {
  const { alerts } = config;
  const about = monitorOf(event, config);
  const { event: name, severity } = saidOf(event);
  const grave = severityWithHidden(name, severity, config.monitors);
  const said = { event: name, severity: grave, monitor: about, at: event.at };
  const notify = notifyOf(event, config);
  const { channels: route, filtered } = routed(notify, config, said);
  const known = carried === null ? [] : stillLedTo(carried.told, about, config);
  const again = routed(known, config, said).channels;
  // Where nobody knows of the outage before, the one that begins would go unnoticed.
  const channels = again.length > 0 ? again : route;
  const queued = queue(event, {
    rows: rowsOf(event, { sql, config }),
    channels,
    windowMs: alerts.group_window_secs * 1000,
    isDegradedNotified: alerts.alert_on_degraded,
    change: changeBefore(event, sql),
  });
  const monitor = 'monitor' in event ? event.monitor : 'peer' in event ? event.peer : null;
  const incident = 'uid' in event ? event.uid : null;
  const isEnd = 'endedAt' in event;
  // A recovery goes to the channels that were notified, regardless of who is on call by then.
  const intents = isEnd ? queued : withOnCall(queued, notify, { ...config, at: event.at });
  const left = isEnd ? [] : filteredDecisions(filtered, { monitor, incident, event: said.event });
  const carrying =
    carried === null
      ? []
      : carriedDecisions(carried, { again, route }, { monitor, incident, event: said.event });
  return operationsOf([...carrying, ...intents, ...left], event.at);
}

/** Those of some channels that alerts of a monitor still lead to, at once or later. */
function stillLedTo(channels: readonly string[], monitor: Monitor | null, config: Config): readonly string[] {
  const names = monitor === null ? null : namesOf(monitor, config);
  if (names === null) return channels;
  const led = [...names, ...rotationsOf(names, config).flatMap(({ members }) => members)];
  return channels.filter((channel) => led.includes(channel));
}

/** That the acknowledgement holds, and of each channel that is left out for it. */
function carriedDecisions(
  { number, by }: CarriedAck,
  { again, route }: { readonly again: readonly string[]; readonly route: readonly string[] },
  about: Pick<Decide, 'monitor' | 'incident' | 'event'>,
): readonly Decide[] {
  const who = by === null ? '' : ` (${by})`;
  const whom =
    again.length === 0
      ? 'no channel that can be used was sent that one, so it goes where every outage goes'
      : `only ${inWords(again)} ${again.length === 1 ? 'is' : 'are'} notified, as of that one`;
  const detail = `Incident ${number} was acknowledged${who} and ended less than 10 minutes before, so the acknowledgement holds: ${whom}, once.`;
  const left = again.length === 0 ? [] : route.filter((channel) => !again.includes(channel));
  const decision = { kind: 'decide', ...about, reason: 'ack_carried' } as const;
  return [
    { ...decision, channel: null, verdict: 'queued', detail },
    ...left.map((channel): Decide => {
      const why = `${channel} was not sent incident ${number}, whose acknowledgement holds.`;
      return { ...decision, channel, verdict: 'spared', detail: why };
    }),
  ];
}

/** The operations that belong in the transaction in which the checks of an open outage fail for another reason. */
export function reasonOperations(
  { uid, latest, at }: { readonly uid: string; readonly latest: LatestReason; readonly at: number },
  { sql, config }: Pick<AlertingInputs, 'sql' | 'config'>,
): Operation[] {
  const { category, reason, sinceAt } = latest;
  const incident = incidents.find(sql, uid);
  const intents =
    incident === null || incident.acknowledged === null || category === null
      ? []
      : remindOfReason(incident, category, {
          rows: outbox.ofIncident(sql, uid),
          windowMs: config.alerts.group_window_secs * 1000,
          nowAt: at,
        });
  return [incidents.noteReason({ uid, category, reason, at: sinceAt }), ...operationsOf(intents, at)];
}

function monitorOf(event: AlertEvent, { monitors }: Config): Monitor | null {
  return 'monitor' in event ? (monitors.find(({ id }) => id === event.monitor) ?? null) : null;
}

/** The last change that concerns the monitor of an outage, shortly before it began; null: none. */
function changeBefore(event: AlertEvent, sql: SqlReader): EventFacts | null {
  if (event.kind !== 'incident_opened' && event.kind !== 'degraded_confirmed') return null;
  const { monitor, startedAt } = event;
  const before = { fromAt: startedAt - recentChangeMs, toAt: startedAt, monitors: [monitor] };
  return events.listWithin(sql, before).at(-1) ?? null;
}

/** The `notify` of what it is about; null: every channel. */
function notifyOf(event: AlertEvent, { monitors, peers }: Config): readonly string[] | null {
  if ('monitor' in event) return monitors.find(({ id }) => id === event.monitor)?.notify ?? null;
  if ('peer' in event) return peers.find(({ id }) => id === event.peer)?.notify ?? null;
  return null;
}

function rowsOf(event: AlertEvent, { sql, config }: AlertingInputs): readonly DeliveryRow[] {
  const { kind } = event;
  if (kind === 'incident_opened') {
    const { monitor, degradedSince = null } = event;
    return degradedSince === null ? [] : outbox.ofIncident(sql, degradationOf(monitor, degradedSince));
  }
  if (kind === 'degraded_confirmed') return endsOfDegradations(sql, event.monitor);
  if (kind === 'incident_closed') {
    const rows = outbox.ofIncident(sql, event.uid);
    const before = new Set(rows.flatMap(({ payload }) => readOutage(payload)?.degradation ?? []));
    const alerts = [...before].flatMap((id) => outbox.find(sql, id) ?? []);
    return [...rows, ...alerts, ...endsOfDegradations(sql, event.monitor)];
  }
  const isEnd = kind === 'unknown_ended' || kind === 'degraded_ended' || kind === 'unstable_ended';
  if (isEnd || kind === 'node_sighted' || (kind === 'node_blind' && event.isContinued))
    return outbox.ofIncident(sql, episodeOf(event));
  if (kind !== 'peer_down' && kind !== 'peer_recovered') return [];
  // A channel whose secret is empty for now may be back before the peer is.
  const channels = [...config.channels, ...config.disabled_channels].map(({ name }) => name);
  return peerKeys(event)
    .flatMap((key) => outbox.ofKey(sql, key))
    .filter(({ channel }) => channels.includes(channel));
}

/** The recoveries of degradations that are not sent yet. */
function endsOfDegradations(sql: SqlReader, monitor: string): DeliveryRow[] {
  return outbox.ofMonitor(sql, monitor, 'recovered').filter(isEndOfDegradation);
}

/** Intents as operations of the store. `at` (epoch ms) is when they were decided. */
export function operationsOf(intents: readonly Intent[], at: number): Operation[] {
  return intents.map((intent) => operationOf(intent, at));
}

function operationOf(intent: Intent, at: number): Operation {
  switch (intent.kind) {
    case 'put':
      return outbox.put({ ...intent, createdAt: at });
    case 'replace':
      return outbox.replace(intent);
    case 'change':
      return outbox.change(intent);
    case 'drop':
      return outbox.drop({ deliveryId: intent.deliveryId, at });
    case 'decide':
      return decisions.log({ ...intent, at });
  }
}
