/** Routes an open outage at an instant: by the configuration, by who is on call, and by its escalation. */
import { alertStates } from '../../db/tables/alert-states.ts';
import { decisions } from '../../db/tables/decisions.ts';
import { type IncidentRow, incidents } from '../../db/tables/incidents.ts';
import { type DeliveryRow, outbox } from '../../db/tables/outbox.ts';
import type { SqlReader } from '../../db/store/sql.ts';
import {
  climbOutage,
  escalationOf,
  namesOf,
  reachedBy,
  rotationsOf,
} from '../../engine/alerting/climb-outage.ts';
import type { DueStep } from '../../engine/alerting/escalate.ts';
import { severityOf } from '../../engine/alerting/events/catalogue.ts';
import { type OutageEvent, unstableEpisodeOf } from '../../engine/alerting/events/outage.ts';
import { refusalOf, takes } from '../../engine/core/channel-filter.ts';
import type { Decide, Intent } from '../../engine/alerting/intent.ts';
import { because, reasons } from '../../engine/alerting/reasons.ts';
import { isEndOfDegradation } from '../../engine/alerting/queue-recovery.ts';
import { channelNamesOf, type Ongoing, reroute, withOnCall } from '../../engine/alerting/route.ts';
import type { Config, Monitor } from '../../engine/config/config.ts';
import { readDocument } from '../../engine/monitoring/monitor-memory.ts';
import { turnAt } from '../../engine/core/rotation.ts';
import { durationText } from '../../engine/core/duration.ts';
import { inWords } from '../../engine/core/words.ts';
import { type DeliverySettings, outagesSince } from './context.ts';
import type { OutboxCache } from './outbox-cache.ts';

export interface RouteFacts {
  readonly sql: SqlReader;
  readonly settings: DeliverySettings;
  readonly cache: OutboxCache;
  readonly nowAt: number;
}

export interface Routing {
  readonly intents: readonly Intent[];
  /** When to route it again (epoch ms); null: not before something changes. */
  readonly nextAt: number | null;
}

const nothing: Routing = { intents: [], nextAt: null };

type Outline = Pick<IncidentRow, 'uid' | 'monitor' | 'startedAt' | 'confirmedAt' | 'ownFault'>;

export function ongoingOf({ uid, monitor, startedAt, confirmedAt, ownFault }: Outline): Ongoing {
  const event = ownFault === null ? 'down' : 'unknown';
  return { event, episode: uid, incident: uid, monitor, startedAt, confirmedAt, ownFault };
}

/** The times that last in which monitors are unstable. */
export function unstableTimes(sql: SqlReader): Ongoing[] {
  return [...alertStates.listUnstable(sql)].flatMap(([monitor, stored]): Ongoing[] => {
    const { unstable } = readDocument(stored).stability;
    if (unstable === null) return [];
    const { startedAt, confirmedAt } = unstable;
    const episode = unstableEpisodeOf(monitor, startedAt);
    return [{ event: 'unstable', episode, incident: null, monitor, startedAt, confirmedAt, ownFault: null }];
  });
}

/** What an outage that lasts is to be sent to by now, and when more may follow. It may be over by now. */
export function routeOutage(ongoing: Ongoing, facts: RouteFacts): Routing {
  const { sql, settings, cache, nowAt } = facts;
  const { config, windowMs } = settings;
  const { event, incident: uid } = ongoing;
  const monitor = settings.monitors.get(ongoing.monitor);
  const incident = uid === null ? null : incidents.find(sql, uid);
  if (monitor === undefined || (uid !== null && incident?.endedAt !== null)) return nothing;
  const rows = cache.ofIncident(ongoing.episode);
  const reached = (notify: readonly string[] | null) =>
    reachedBy(notify, { event, monitor }, { config, at: nowAt });
  const about = { rows, notified: () => notifiedOf(sql, ongoing), windowMs, nowAt };
  // Who acknowledges an outage of an unstable monitor takes care of all of them.
  const concerned = event === 'unstable' ? outagesSince(sql, monitor.id, ongoing.startedAt) : [incident];
  const isAcknowledged = concerned.some((one) => (one?.acknowledged ?? null) !== null);
  const alerts = rows.filter((row) => row.event === event);
  const channels = reached(monitor.notify);
  const relieving = channels.filter((channel) =>
    rotationsOf(monitor.notify ?? [], config).some(
      ({ members }) =>
        members.includes(channel) &&
        alerts.some((row) => row.channel !== channel && members.includes(row.channel)),
    ),
  );
  const routedAnew = channels.filter((channel) => !relieving.includes(channel));
  // A node that stands in with another file routes nothing again that another one has routed.
  const isCarried = (incident?.carriedFrom ?? null) !== null;
  const why = because(isCarried ? 'carry_withdrawn' : 'rerouted');
  const base = settings.isStandIn
    ? []
    : reroute(ongoing, { ...about, channels: routedAnew, why, step: null });
  // An acknowledgement that was carried over leaves out whoever was not sent the outage before.
  if (isAcknowledged) return { intents: isCarried ? [] : base, nextAt: null };
  const onCall = { ...config, at: nowAt };
  const handedOver = reroute(ongoing, {
    ...about,
    channels: relieving,
    why: because('handed_over'),
    step: { number: 0, of: null, isRelief: true },
  });
  const intents = [...withOnCall([...base, ...handedOver], monitor.notify, onCall)];
  const turnEndsAt = nextTurn(monitor, config, nowAt);
  const climbed = climbOutage({ event, monitor, confirmedAt: ongoing.confirmedAt, rows }, config, nowAt);
  if (climbed === null) return { intents, nextAt: event === 'degraded' ? null : turnEndsAt };
  const { escalation } = climbed;
  const added = new Set(intents.flatMap((intent) => (intent.kind === 'put' ? intent.channel : [])));
  // What is added now is looked at when it is written.
  if (added.size > 0) return { intents, nextAt: turnEndsAt };
  for (const step of climbed.steps) {
    const channels = step.channels.filter((channel) => !added.has(channel));
    const skipped = skippedStep(step, { ...ongoing, name: escalation.name });
    const isRelief = step.wasTaken || isLogged(skipped, { sql, uid });
    const { after_secs: secs = 0, notify = [] } = escalation.steps[step.number - 1] ?? {};
    const put = reroute(ongoing, {
      ...about,
      channels,
      why: isRelief ? because('handed_over') : whyOf(step, { name: escalation.name, secs }),
      step: { number: step.number, of: escalation.name, isRelief },
    });
    const joining = withOnCall(put, notify, onCall);
    for (const intent of joining) if (intent.kind === 'put') added.add(intent.channel);
    intents.push(...joining);
    // Without an incident nothing tells that it was logged before.
    if (joining.length === 0 && !isRelief && uid !== null) intents.push(skipped);
  }
  return { intents, nextAt: earliest(climbed.nextAt, turnEndsAt) };
}

/** When a turn ends next of those that alerts of a monitor are routed by; null: there is none. */
function nextTurn(monitor: Monitor, config: Config, nowAt: number): number | null {
  const steps = escalationOf(monitor, config)?.steps ?? [];
  const names = [...(monitor.notify ?? []), ...steps.flatMap(({ notify }) => notify)];
  return rotationsOf(names, config).reduce<number | null>(
    (first, rotation) => earliest(first, turnAt(rotation, nowAt).untilAt),
    null,
  );
}

/**
 * Who is on call now, until when (epoch ms), instead of a channel that alerts of a monitor went to by its turn; null: it is
 * still routed.
 */
export function relievedBy(
  { channel, monitor: id }: { readonly channel: string; readonly monitor: string },
  { settings, nowAt }: Pick<RouteFacts, 'settings' | 'nowAt'>,
): { readonly by: string; readonly untilAt: number } | null {
  const { config } = settings;
  const monitor = config.rotations.length === 0 ? undefined : settings.monitors.get(id);
  const names = monitor === undefined ? null : namesOf(monitor, config);
  if (names === null) return null;
  if (channelNamesOf(names, config, nowAt).includes(channel)) return null;
  const rotation = rotationsOf(names, config).find(({ members }) => members.includes(channel));
  if (rotation === undefined) return null;
  const [by] = channelNamesOf([rotation.name], config, nowAt);
  return by === undefined ? null : { by, untilAt: turnAt(rotation, nowAt).untilAt };
}

/**
 * Why an alert no longer leads to its channel, as a sentence that names the channel and the setting; null: it still does, if
 * only by a turn of a rotation or a step of an escalation that is over or to come.
 */
export function unroutedWhy(
  { row, event }: { readonly row: DeliveryRow; readonly event: OutageEvent },
  { config, monitors, channels, isStandIn }: DeliverySettings,
): string | null {
  if (isStandIn) return null;
  if (event === 'degraded' && !config.alerts.alert_on_degraded) return reasons.degraded_not_told;
  const monitor = monitors.get(row.monitor ?? '');
  const channel = channels.get(row.channel);
  // What becomes of it without its monitor, or its channel, is decided elsewhere.
  if (monitor === undefined || channel === undefined) return null;
  const said = { event, severity: severityOf(event, null), monitor };
  const refusal = refusalOf(channel, said);
  if (refusal !== null) return `${channel.name} ${refusal}.`;
  const names = namesOf(monitor, config);
  if (names === null) return null;
  const members = rotationsOf(names, config).flatMap((rotation) => rotation.members);
  const led = [...names, ...members].flatMap((name) => channels.get(name) ?? []);
  if (led.includes(channel)) return null;
  const escalation = escalationOf(monitor, config);
  // The last resort, where nobody of the route and of the steps can be reached, is every channel.
  if (escalation !== null && !led.some((other) => takes(other, said))) return null;
  const settings = escalation === null ? 'notify' : `notify and escalation ${escalation.name}`;
  const now = names.length === 0 ? 'nobody' : inWords([...new Set(names)]);
  return `${channel.name} left the route of ${monitor.id}, which leads to ${now} now (${settings}).`;
}

function whyOf(
  { number, isLastResort }: DueStep,
  { name, secs }: { readonly name: string; readonly secs: number },
): Pick<Decide, 'reason' | 'detail'> {
  if (isLastResort) return because('last_resort');
  const after = durationText(secs * 1000);
  return { reason: 'escalated', detail: `Nobody acknowledged it for ${after}: step ${number} of ${name}.` };
}

/** That a step has nobody left to notify. */
function skippedStep(
  { number, channels }: DueStep,
  { name, monitor, incident, event }: Ongoing & { readonly name: string },
): Decide {
  const reason = channels.length === 0 ? 'step_reaches_nobody' : 'step_known';
  const why = reasons[reason];
  const detail = `Step ${number} of ${name}: ${why.charAt(0).toLowerCase()}${why.slice(1)}`;
  return { kind: 'decide', monitor, incident, channel: null, event, verdict: 'spared', reason, detail };
}

/**
 * The channels that took a message that it is down, by the decision log, which outlives the outbox; of a degradation those
 * that know the monitor as degraded from an earlier one.
 */
function notifiedOf(sql: SqlReader, { event, incident, monitor }: Ongoing): ReadonlySet<string> {
  if (event === 'unstable') return new Set();
  if (incident === null) {
    const ends = outbox.ofMonitor(sql, monitor, 'recovered').filter(isEndOfDegradation);
    return new Set(ends.map(({ channel }) => channel));
  }
  const sent = decisions
    .ofIncident(sql, incident)
    .filter(({ event, verdict }) => (event === 'down' || event === 'unknown') && verdict === 'told');
  return new Set(sent.flatMap(({ channel }) => channel ?? []));
}

function isLogged(
  { reason, detail }: Decide,
  { sql, uid }: { readonly sql: SqlReader; readonly uid: string | null },
): boolean {
  const known = uid === null ? [] : decisions.ofIncident(sql, uid);
  return known.some((decision) => decision.reason === reason && decision.detail === detail);
}

function earliest(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.min(a, b);
}
