/** Decides which channels get an alert: those of the route, and after a reload those that are new to an open outage. */
import type { Rotation } from '../config/config.ts';
import { turnAt } from '../core/rotation.ts';
import { inWords } from '../core/words.ts';
import { freeIdOf } from './ids.ts';
import { knows } from './escalate.ts';
import type { AddedBy } from './events/added-by.ts';
import type { Decide, FinishedRow, Intent, QueuedRow } from './intent.ts';
import { type OutageEvent } from './events/outage.ts';
import { outagePayload, type OutagePayload, readOutage } from './events/outage-payload.ts';

/** An outage that lasts. Instants are epoch ms. */
export interface Ongoing {
  readonly event: OutageEvent;
  /** What its deliveries are filed under: see episodeOf. */
  readonly episode: string;
  /** The uid of its incident; null: a degradation has none. */
  readonly incident: string | null;
  readonly monitor: string;
  readonly startedAt: number;
  readonly confirmedAt: number;
  /** What keeps its monitor from being checked; null: it is checked. */
  readonly ownFault: string | null;
}

export interface RerouteFacts {
  /** Every delivery of the episode, the finished ones too. */
  readonly rows: readonly FinishedRow[];
  /** The channels that are to know of it, and that can be used. */
  readonly channels: readonly string[];
  /** Channels that were notified of it as the decision log says, whether or not their delivery is still there. */
  readonly notified: () => ReadonlySet<string>;
  readonly windowMs: number;
  readonly nowAt: number;
  /** Why they are added. */
  readonly why: Pick<Decide, 'reason' | 'detail'>;
  /** What adds them; null: the configuration has changed. */
  readonly step: AddedBy | null;
}

/**
 * One message for each channel that knows nothing of the outage. It waits for the window that the others wait for,
 * and is due at once when that is over.
 */
export function reroute(ongoing: Ongoing, facts: RerouteFacts): readonly Intent[] {
  const { event, episode, incident, monitor } = ongoing;
  const { step, why } = facts;
  const alerts = facts.rows.filter((row) => row.event === event);
  const missing = facts.channels.filter((channel) => !knows(alerts, channel));
  if (missing.length === 0) return [];
  const notified = step === null ? facts.notified() : new Set<string>();
  const marks = step === null ? {} : { step: step.number, escalation: step.of, isRelief: step.isRelief };
  // What was not queued yet was not held back: the limit of that counts from now on.
  const coveredMs = Math.max(0, facts.nowAt - ongoing.confirmedAt);
  const payload = { ...payloadOf(ongoing, alerts, facts.windowMs), coveredMs, ...marks };
  const nextAt = Math.max(facts.nowAt, payload.windowEndsAt);
  return missing
    .filter((channel) => !notified.has(channel))
    .flatMap((channel): Intent[] => [
      {
        kind: 'put',
        deliveryId: freeIdOf(`${episode}.${event}`, channel, facts.rows),
        channel,
        event,
        monitor,
        incident: episode,
        payload: { ...payload },
        nextAt,
      },
      {
        kind: 'decide',
        monitor,
        incident,
        channel,
        event,
        verdict: 'queued',
        ...why,
      },
    ]);
}

/** What the deliveries of the others say of the outage itself. */
function payloadOf(
  { monitor, startedAt, confirmedAt, ownFault }: Ongoing,
  alerts: readonly QueuedRow[],
  windowMs: number,
): OutagePayload & { readonly hold: null } {
  const others = alerts.flatMap(({ payload }) => readOutage(payload) ?? []);
  const [first] = others;
  return outagePayload({
    startedAt,
    confirmedAt,
    confirmation: first?.confirmation ?? '',
    windowEndsAt: others.reduce(
      (latest, { windowEndsAt }) => Math.max(latest, windowEndsAt),
      confirmedAt + windowMs,
    ),
    latencyMs: first?.latencyMs ?? null,
    limitMs: first?.limitMs ?? null,
    reason: first?.reason ?? null,
    downPercent: first?.downPercent ?? null,
    outages: first?.outages ?? null,
    spanMs: first?.spanMs ?? null,
    ownFault,
    knownAs: monitor,
    degradation: first?.degradation ?? [],
  });
}

/** What names in a `notify` stand for: the channels that can be used, and rotations of them. */
export interface NotifyTargets<Usable extends { readonly name: string } = { readonly name: string }> {
  readonly channels: readonly Usable[];
  readonly rotations: readonly Rotation[];
}

/** The channel of who is on call at an instant, or the next that can be used; null: none of the rotation can. */
export function onCallOf(rotation: Rotation, channels: NotifyTargets['channels'], at: number): string | null {
  const { members } = rotation;
  const { index } = turnAt(rotation, at);
  const inTurn = [...members.slice(index), ...members.slice(0, index)];
  return inTurn.find((member) => channels.some(({ name }) => name === member)) ?? null;
}

/** The names of a `notify` with those of rotations replaced by who is on call at an instant (epoch ms). */
export function channelNamesOf(
  notify: readonly string[],
  roster: NotifyTargets,
  at: number,
): readonly string[] {
  return notify.flatMap((name) => {
    const rotation = roster.rotations.find((one) => one.name === name);
    return rotation === undefined ? name : (onCallOf(rotation, roster.channels, at) ?? []);
  });
}

/** Names of the usable channels a `notify` leads to at an instant, each once; null means all of them. */
export function routeOf(
  notify: readonly string[] | null,
  roster: NotifyTargets,
  at: number,
): readonly string[] {
  const usable = roster.channels.map(({ name }) => name);
  if (notify === null) return usable;
  const named = channelNamesOf(notify, roster, at);
  return usable.filter((name) => named.includes(name));
}

/** Says in each decision to queue for a channel that has the turn of a rotation of `notify` at an instant that it has. */
export function withOnCall(
  intents: readonly Intent[],
  notify: readonly string[] | null,
  { channels, rotations, at }: NotifyTargets & { readonly at: number },
): readonly Intent[] {
  const own = rotations.filter(({ name }) => notify?.includes(name) === true);
  if (own.length === 0) return intents;
  const turns = own.map((rotation) => ({ name: rotation.name, channel: onCallOf(rotation, channels, at) }));
  return intents.map((intent) => {
    if (intent.kind !== 'decide' || intent.verdict !== 'queued') return intent;
    const names = turns.filter(({ channel }) => channel === intent.channel).map(({ name }) => name);
    return names.length === 0
      ? intent
      : { ...intent, detail: `${intent.detail} On call for ${inWords(names)}.` };
  });
}
