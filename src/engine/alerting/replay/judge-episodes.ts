/**
 * Says of each outage of a replayed history whether an alert would have been sent.
 *
 * It follows the stages of a message at the grain of incidents: the group window, mutes, folding into an upstream, and
 * waiting for an upstream that is failing. What it cannot follow is left out: checks that are made because an upstream
 * is suspected, other nodes, suspicion of this node's own network, channels that fail, and storms, in which many
 * alerts are one message.
 */
import { failingAbove, type Graph } from '../../core/graph.ts';
import { muteOf, type MaintenanceWindow, type Muting } from '../../core/mute.ts';
import { holdLimitMs, patienceMs } from '../hold-limit.ts';
import { type FollowUp, followUp, type FollowUpRules } from './follow-up.ts';
import type { EpisodeOf, ReplayedEpisode } from './replay.ts';

export type { EpisodeOf };

/** What a configuration says about alerting. */
export interface AlertingRules {
  readonly graph: Graph;
  /** Windows, and silences in the form of windows. */
  readonly windows: readonly MaintenanceWindow[];
  readonly windowMs: number;
  readonly isDegradedNotified: boolean;
  /** How often a monitor is checked, in ms. */
  readonly intervalMsOf: (monitor: string) => number;
  /** The channels a monitor is routed to at an instant. */
  readonly channelsOf: (monitor: string, at: number, event: EpisodeOf['event']) => readonly string[];
  /** What follows an alert: quiet hours, escalation, reminders. */
  readonly followUp: FollowUpRules;
}

/** What becomes of the message; instants are epoch ms. */
export type AlertOutcome =
  | { readonly kind: 'told'; readonly at: number }
  | { readonly kind: 'flap' }
  | { readonly kind: 'muted'; readonly by: string }
  | { readonly kind: 'folded'; readonly into: string }
  | { readonly kind: 'quiet_hours' }
  | { readonly kind: 'nobody_routed' }
  | { readonly kind: 'degraded_not_told' };

export type JudgedEpisode = EpisodeOf & { readonly fate: AlertOutcome } & FollowUp;

/** The same episodes with what became of each. */
export function judgeEpisodes(all: readonly EpisodeOf[], rules: AlertingRules): JudgedEpisode[] {
  const outages = new Map<string, EpisodeOf[]>();
  for (const each of all) {
    if (each.event !== 'down') continue;
    outages.set(each.monitor, [...(outages.get(each.monitor) ?? []), each]);
  }
  return all.map((each) => ({ ...each, ...judged(each, { outages, rules }) }));
}

interface World {
  readonly outages: ReadonlyMap<string, readonly EpisodeOf[]>;
  readonly rules: AlertingRules;
}

const noFollowUp: FollowUp = { calls: [], reminders: 0 };

/** It is sent when one channel gets it; else the first channel decides. */
function judged(episode: EpisodeOf, world: World): { readonly fate: AlertOutcome } & FollowUp {
  const { isDegradedNotified, channelsOf, windowMs, followUp: rules } = world.rules;
  const { event, monitor, confirmedAt } = episode;
  if (event === 'degraded' && !isDegradedNotified)
    return { fate: { kind: 'degraded_not_told' }, ...noFollowUp };
  const dueAt = confirmedAt + windowMs;
  const fates = channelsOf(monitor, dueAt, event).map(
    (channel) => [channel, fateOn(channel, episode, world)] as const,
  );
  const due = new Map(fates.flatMap(([channel, fate]) => (fate.kind === 'told' ? [[channel, fate.at]] : [])));
  const [, otherwise = { kind: 'nobody_routed' } as const] = fates[0] ?? [];
  if (due.size === 0 && (fates.length > 0 || event === 'degraded')) return { fate: otherwise, ...noFollowUp };
  const followed = followUp(episode, due, { dueAt, rules });
  const firstAt = Math.min(...followed.calls.map(({ at }) => at));
  if (firstAt < Infinity) return { fate: { kind: 'told', at: firstAt }, ...followed };
  return { fate: due.size > 0 ? { kind: 'quiet_hours' } : otherwise, ...followed };
}

function fateOn(channel: string, episode: EpisodeOf, world: World): AlertOutcome {
  const { windowMs } = world.rules;
  const { endedAt, event } = episode;
  let windowEndsAt = episode.confirmedAt + windowMs;
  let at = windowEndsAt;
  let limitAt = episode.confirmedAt + holdLimitMs(windowMs);
  let held: AlertOutcome = { kind: 'flap' };
  let isLate = false;
  for (;;) {
    if (endedAt !== null && endedAt < at)
      return isLate && event === 'down' ? { kind: 'told', at: endedAt } : held;
    const hold = holdOf(episode, { at, windowEndsAt, channel, limitAt }, world);
    if (hold === null) return { kind: 'told', at };
    held = hold.fate;
    isLate = hold.isAwaited;
    if (hold.untilAt === null) return held;
    limitAt += Math.max(0, hold.coveredUntilAt - at);
    at = hold.untilAt;
    // After a fold it is another window, in which another upstream may show.
    if (held.kind === 'folded') windowEndsAt = at;
  }
}

interface PendingAlert {
  readonly at: number;
  readonly windowEndsAt: number;
  readonly channel: string;
  /** When it is sent at the latest, unless it is covered. */
  readonly limitAt: number;
}

interface Held {
  readonly fate: AlertOutcome;
  /** When to look again; null: never. */
  readonly untilAt: number | null;
  /** Until when a mute or the message about an upstream covers it; -Infinity: nothing does. */
  readonly coveredUntilAt: number;
  /** It waits for the message about an upstream, which may never be sent: over by then, it is sent late. */
  readonly isAwaited: boolean;
}

const uncovered = { coveredUntilAt: -Infinity, isAwaited: false };

/** Why it is not sent at an instant, and when to decide again (later than that); null: it is sent. */
function holdOf(
  { monitor, startedAt }: EpisodeOf,
  { at, windowEndsAt, channel, limitAt }: PendingAlert,
  { outages, rules }: World,
): Held | null {
  const { graph, windows, windowMs, channelsOf, intervalMsOf } = rules;
  const mutedAt = (id: string) => muteOf(id, { mutes: { silences: [], maintenances: windows }, nowAt: at });
  const muting = mutedAt(monitor);
  if (muting.kind === 'muted') return mutedUntil(muting);
  if (windowMs === 0) return null;
  const partOf = (id: string): EpisodeOf | undefined =>
    outages.get(id)?.find((each) => each.startedAt <= windowEndsAt && isOpen(each, at));
  const above = failingAbove(graph, monitor, (id) => partOf(id) !== undefined);
  const confirmed = above.filter((id) => (partOf(id)?.confirmedAt ?? Infinity) <= at);
  const graceMs = intervalMsOf(monitor) + patienceMs(windowMs);
  for (const id of confirmed) {
    const over = mutedAt(id);
    if (over.kind === 'muted' && startedAt <= (partOf(id)?.startedAt ?? -Infinity) + graceMs)
      return mutedUntil(over);
  }
  const routed = new Set(confirmed.filter((id) => channelsOf(id, at, 'down').includes(channel)));
  const into = [...routed].find(
    (id) => !failingAbove(graph, id, (top) => partOf(top) !== undefined).some((top) => routed.has(top)),
  );
  const upstream = into === undefined ? undefined : partOf(into);
  if (into !== undefined && upstream !== undefined) {
    const { endedAt } = upstream;
    const fate: AlertOutcome = { kind: 'folded', into };
    const dueAt = upstream.confirmedAt + windowMs;
    // A message names what fails when it leaves; whatever fails later has one of its own.
    if (dueAt <= at && startedAt > dueAt) return null;
    if (dueAt <= at)
      return {
        fate,
        untilAt: endedAt === null ? null : endedAt + windowMs,
        coveredUntilAt: endedAt ?? Infinity,
        isAwaited: false,
      };
    if (at >= limitAt) return null;
    const untilAt = endedAt === null || endedAt >= dueAt ? dueAt : endedAt + windowMs;
    return { ...uncovered, fate, untilAt: Math.min(untilAt, limitAt), isAwaited: true };
  }
  const patienceEndsAt = limitAt - Math.max(0, holdLimitMs(windowMs) - windowMs - patienceMs(windowMs));
  if (at >= patienceEndsAt) return null;
  for (const id of above) {
    const failing = partOf(id);
    if (failing === undefined || failing.confirmedAt <= at) continue;
    const untilAt = Math.min(failing.confirmedAt, patienceEndsAt);
    return { ...uncovered, fate: { kind: 'folded', into: id }, untilAt };
  }
  return null;
}

function mutedUntil({ by: [first], untilAt }: Extract<Muting, { readonly kind: 'muted' }>): Held {
  const by = first.kind === 'maintenance' ? first.title : '';
  return { ...uncovered, fate: { kind: 'muted', by }, untilAt, coveredUntilAt: untilAt };
}

function isOpen({ startedAt, endedAt }: ReplayedEpisode, at: number): boolean {
  return startedAt <= at && (endedAt === null || endedAt > at);
}
