/**
 * Decides what the message about a dependent has to do with its upstreams: whether one of their messages names it, whether
 * one that is about to leave will, or whether it needs one of its own.
 */
import { failingAbove, upstreams } from '../core/graph.ts';
import {
  type CauseFacts,
  causesOf,
  downAbove,
  isFailing,
  type MonitorLook,
  type Outage,
  type Outages,
  rootsAbove,
  unseenBelow,
} from './blast.ts';
import type { LaterGroup, NamedBy } from './group.ts';
import type { ReasonWord } from './reasons.ts';

/** What is known of a dependent since an upstream of it recovered. */
type SinceRecovery =
  /** No check was made for that: it may have recovered with its upstream. */
  | { readonly kind: 'unchecked' }
  /** A push monitor cannot be asked: if it is up, a heartbeat comes by `byAt` (epoch ms). */
  | { readonly kind: 'awaited'; readonly byAt: number }
  /** Its last answer was no failure, and too few of them came so far to end its outage. */
  | { readonly kind: 'recovering' }
  | { readonly kind: 'failing' };

export interface FoldFacts extends CauseFacts {
  /** When the last outage of a monitor ended, epoch ms; null: none has. */
  readonly recoveredAt: (monitor: string) => number | null;
  /** What is known of a monitor since an instant at which an upstream of it recovered. */
  readonly sinceRecovery: (monitor: string, recoveredAt: number) => SinceRecovery;
  /** Until when a mute covers a monitor, epoch ms; null: none does. */
  readonly mutedUntil: (monitor: string) => number | null;
  /** Whether the quiet hours of a channel keep the message about a monitor back now. */
  readonly isQuiet: (monitor: string, channel: string) => boolean;
  /** How many later groups a channel was sent below the outage of a root (its uid). */
  readonly laterGroups: (root: string, channel: string) => number;
  readonly windowMs: number;
  readonly nowAt: number;
}

export type Folding =
  /** `cause`: the upstream to name. `later`: its message left before this began to fail; null: it did not. */
  | {
      readonly kind: 'send';
      readonly cause: string | null;
      readonly reason: ReasonWord;
      readonly later: LaterGroup | null;
    }
  /** A message about these named it. `namedBy`: what to remember of that; null: it is remembered. */
  | {
      readonly kind: 'fold';
      readonly into: readonly [string, ...string[]];
      readonly namedBy: NamedBy | null;
    }
  /** A mute covers the upstream that took it down. */
  | { readonly kind: 'mute'; readonly untilAt: number; readonly by: string }
  /** These are down, and a message about them is about to leave that names it. */
  | { readonly kind: 'await'; readonly untilAt: number; readonly by: readonly [string, ...string[]] }
  /** The message about `by` has left: what failed since is gathered until `untilAt`. */
  | { readonly kind: 'gather'; readonly untilAt: number; readonly by: string }
  | { readonly kind: 'hold'; readonly untilAt: number; readonly by: string }
  /** It is no longer held for an upstream: a new window, then it is decided again. */
  | { readonly kind: 'renew'; readonly untilAt: number }
  /**
   * An upstream recovered, and whether it did too will show: by a heartbeat until `heardBy` (epoch ms), or (null) by more
   * answers like its last. Decided again at `untilAt`.
   */
  | { readonly kind: 'watch'; readonly untilAt: number; readonly heardBy: number | null }
  /** Have these checked now, until `untilAt` at most, then decide again. */
  | { readonly kind: 'ask'; readonly ids: readonly string[]; readonly untilAt: number };

/** How often a failing upstream is checked while a dependent waits for it. */
const pauseMs = { least: 2000, most: 15_000 };

/** How long a check out of turn may take when the message should be on its way already. */
const lastLookMs = 12_000;

/** Later groups of one root on one channel are no further apart. */
const mostGatheredMs = 300_000;

/** A dependent whose muted upstream failed this long before is taken down by that, beside the dependent's interval. */
const leastMutedMs = 60_000;

/** A message whose window is over: the outage it is about, the channel it is for. */
export interface Foldable {
  readonly outage: Outage;
  readonly channel: string;
  /** An outage has a message that can name others; a degradation is covered by every message about an upstream. */
  readonly event: 'down' | 'degraded';
  readonly isCritical: boolean;
  /** How often its monitor is checked, in ms. */
  readonly intervalMs: number;
  readonly confirmedAt: number;
  /** The message that named it; null: none did. */
  readonly namedBy: NamedBy | null;
  /** A message named it, or it waits for one that will, at the moment. */
  readonly isHeld: boolean;
  /** The upstream it was held for last; null: none. Named where no other cause is known. */
  readonly heldFor: string | null;
  /** When it is to be sent at the latest, unless it is covered: holdEndsAt. */
  readonly limitAt: number;
  /** When it no longer waits for an upstream that is not confirmed down: patienceEndsAt. */
  readonly patienceEndsAt: number;
}

/** The stage of a `down` or `degraded` message. */
export function fold(foldable: Foldable, facts: FoldFacts): Folding {
  if (facts.windowMs === 0) return alone;
  const folding = foldAnew(foldable, facts);
  if (folding.kind === 'fold' || folding.kind === 'await' || folding.kind === 'mute') return folding;
  const { isHeld, limitAt } = foldable;
  if (folding.kind !== 'send' && folding.kind !== 'gather' && !isHeld) return folding;
  const recoveredAt = lastRecoveryAbove(foldable.outage, facts);
  const unproven = recoveredAt === null ? null : unlessFailing(foldable, recoveredAt, facts);
  if (unproven !== null) return unproven;
  const { nowAt, windowMs } = facts;
  if (!isHeld || recoveredAt === null || nowAt >= limitAt) return withDependents(folding, foldable, facts);
  // Dependents of one upstream are checked for as long as each takes, and their windows end together all the same.
  const isRecent = nowAt - recoveredAt < windowMs + lastLookMs;
  const untilAt = Math.min((isRecent ? recoveredAt : nowAt) + windowMs, limitAt);
  return untilAt > nowAt ? { kind: 'renew', untilAt } : withDependents(folding, foldable, facts);
}

/** Before the message about a root leaves, its dependents that were not checked since it fails are checked once. */
function withDependents(folding: Folding, { outage, event }: Foldable, facts: FoldFacts): Folding {
  if (folding.kind !== 'send' || event !== 'down') return folding;
  const { nowAt } = facts;
  if (nowAt >= outage.windowEndsAt + lastLookMs) return folding;
  const ids = unseenBelow(outage, facts);
  return ids.length === 0 ? folding : { kind: 'ask', ids, untilAt: nowAt + lastLookMs };
}

/** When an upstream recovered last that was down while `outage` lasted, epoch ms; null: none did. */
function lastRecoveryAbove(
  { monitor, startedAt }: Outage,
  { graph, recoveredAt }: Pick<FoldFacts, 'graph' | 'recoveredAt'>,
): number | null {
  const ends = upstreams(graph, monitor).map((id) => recoveredAt(id) ?? -Infinity);
  const last = Math.max(...ends);
  return last > startedAt ? last : null;
}

/**
 * What is waited for before a dependent is called down whose upstream has recovered: an old check says nothing of it.
 * Null: it was seen to fail since.
 */
function unlessFailing(
  { outage: { monitor } }: Foldable,
  recoveredAt: number,
  { sinceRecovery, windowMs, nowAt }: FoldFacts,
): Folding | null {
  const since = sinceRecovery(monitor, recoveredAt);
  switch (since.kind) {
    case 'unchecked': {
      const untilAt = Math.max(recoveredAt + windowMs, nowAt) + lastLookMs;
      return { kind: 'ask', ids: [monitor], untilAt };
    }
    case 'awaited': {
      const { byAt } = since;
      // A heartbeat that says that it is down comes sooner.
      return byAt > nowAt
        ? { kind: 'watch', untilAt: Math.min(nowAt + windowMs, byAt), heardBy: byAt }
        : null;
    }
    case 'recovering':
      return { kind: 'watch', untilAt: nowAt + windowMs, heardBy: null };
    case 'failing':
      return null;
  }
}

function foldAnew(foldable: Foldable, facts: FoldFacts): Folding {
  const { outages, nowAt } = facts;
  const { outage: dependent, channel, limitAt } = foldable;
  const down = downAbove(dependent, facts);
  const naming = namingOf(foldable, down, facts);
  if (naming !== null) return naming;
  const muted = mutedAbove(foldable, down, facts);
  if (muted !== null) return muted;
  const messageOf = (id: string) => outages.get(id)?.channels.get(channel);
  const isQuiet = facts.isQuiet(dependent.monitor, channel);
  const coming = down.filter((id) => {
    const message = messageOf(id);
    return message?.isComing === true && (isQuiet || !facts.isQuiet(id, channel));
  });
  const [next, ...others] = rootsAbove(dependent.monitor, coming, facts);
  if (next !== undefined && nowAt < limitAt) {
    const untilAt = Math.min(limitAt, nextDueAt([next, ...others], channel, facts));
    return { kind: 'await', untilAt, by: [next, ...others] };
  }
  const sent = down.filter((id) => messageOf(id)?.isSent === true);
  const [told, ...more] = rootsAbove(dependent.monitor, sent, facts);
  if (told !== undefined)
    return foldable.event === 'degraded'
      ? { kind: 'fold', into: [told, ...more], namedBy: null }
      : laterThan(told, foldable, facts);
  const cause = causesOf(dependent, facts)[0] ?? null;
  if (cause !== null) {
    const isHere = messageOf(cause) !== undefined;
    const reason = next !== undefined ? 'hold_limit' : isHere ? 'cause_held' : 'cause_elsewhere';
    return { kind: 'send', cause, reason, later: null };
  }
  if (dependent.isNotifiedAlone) return alone;
  return suspect(foldable, facts);
}

const alone: Folding = { kind: 'send', cause: null, reason: 'sent', later: null };

/** The messages of upstreams that named a dependent, down or failing by then, and whose outages last; null: none did. */
function namingOf(
  { namedBy, channel, outage }: Foldable,
  down: readonly string[],
  { outages }: FoldFacts,
): Folding | null {
  const naming = [...new Set([...down, ...monitorsOf(namedBy, outages)])].flatMap((id) => {
    const upstream = outages.get(id);
    if (upstream === undefined) return [];
    if (upstream.uid === namedBy?.root) return { id, namedBy };
    const message = upstream.channels.get(channel);
    const groupId = message?.groupId ?? null;
    if (message === undefined || groupId === null || !message.isSent) return [];
    const isNamed = message.failing.includes(outage.monitor)
      ? outage.startedAt <= (message.sentAt ?? -Infinity)
      : message.named.has(outage.uid);
    return isNamed ? { id, namedBy: { groupId, root: upstream.uid } } : [];
  });
  const [first, ...others] = naming;
  if (first === undefined) return null;
  const isRemembered = naming.some((each) => each.namedBy === namedBy);
  return {
    kind: 'fold',
    into: [first.id, ...others.map(({ id }) => id)],
    namedBy: isRemembered ? null : first.namedBy,
  };
}

/** The monitor whose message named an outage, as long as that is down; the configuration may lead there no more. */
function monitorsOf(namedBy: NamedBy | null, outages: Outages): readonly string[] {
  if (namedBy === null) return [];
  return [...outages.values()].flatMap(({ uid, monitor }) => (uid === namedBy.root ? monitor : []));
}

/** The muted upstream that took a dependent down, by when both began to fail; null: there is none. */
function mutedAbove(
  { outage, intervalMs }: Foldable,
  down: readonly string[],
  { outages, mutedUntil, windowMs }: FoldFacts,
): Folding | null {
  const graceMs = intervalMs + Math.max(windowMs, leastMutedMs);
  for (const id of down) {
    const untilAt = mutedUntil(id);
    const { startedAt = -Infinity } = outages.get(id) ?? {};
    if (untilAt !== null && outage.startedAt <= startedAt + graceMs) return { kind: 'mute', untilAt, by: id };
  }
  return null;
}

/** A dependent that failed after the message about `root` left: it goes with others of which that is true. */
function laterThan(root: string, foldable: Foldable, facts: FoldFacts): Folding {
  const { outages, laterGroups, windowMs, nowAt } = facts;
  const { channel, confirmedAt, isCritical } = foldable;
  const upstream = outages.get(root);
  const groupId = upstream?.channels.get(channel)?.groupId ?? null;
  if (upstream === undefined || groupId === null)
    return { kind: 'send', cause: root, reason: 'later_group', later: null };
  const sentBefore = laterGroups(upstream.uid, channel);
  const gatheredMs = Math.max(windowMs, Math.min(windowMs * 2 ** sentBefore, mostGatheredMs));
  const dueAt = confirmedAt + (isCritical ? windowMs : gatheredMs);
  if (nowAt < dueAt) return { kind: 'gather', untilAt: dueAt, by: root };
  const later = { root: upstream.uid, groupId, number: sentBefore + 1 };
  return { kind: 'send', cause: root, reason: 'later_group', later };
}

/** When the first window of messages about `ids` ends that did not end yet. */
function nextDueAt(ids: readonly string[], channel: string, { outages, nowAt }: FoldFacts): number {
  const dueAts = ids.map((id) => outages.get(id)?.channels.get(channel)?.dueAt ?? Infinity);
  return dueAts.reduce((first, at) => (at > nowAt ? Math.min(first, at) : first), Infinity);
}

/** No upstream is known to be down: those that may be are checked, and waited for. */
function suspect(
  { outage: dependent, heldFor, limitAt, patienceEndsAt }: Foldable,
  { graph, outages, look, windowMs, nowAt }: FoldFacts,
): Folding {
  const pause = Math.min(Math.max(windowMs, pauseMs.least), pauseMs.most);
  const notDown = upstreams(graph, dependent.monitor).filter((id) => !outages.has(id));
  const reachable = new Set(failingAbove(graph, dependent.monitor, (id) => isFailing(id, { outages, look })));
  const failing = notDown.filter((id) => look(id).failingSinceAt !== null && reachable.has(id));
  const [by] = failing;
  const isPatient = nowAt < patienceEndsAt;
  const unseen = notDown.filter(
    (id) => look(id).failingSinceAt === null && lookedAtOf(look(id)) < dependent.startedAt,
  );
  const stale = isPatient ? failing.filter((id) => nowAt - lookedAtOf(look(id)) >= pause) : [];
  // Over the limit an upstream is unchecked only if nothing ran meanwhile: once is enough then.
  if (unseen.length + stale.length > 0) {
    const untilAt = nowAt < limitAt ? limitAt : nowAt + lastLookMs;
    return { kind: 'ask', ids: [...unseen, ...stale], untilAt };
  }
  if (by !== undefined && isPatient)
    return { kind: 'hold', untilAt: Math.min(nowAt + pause, patienceEndsAt), by };
  const cause = by ?? (nowAt >= limitAt ? heldFor : null);
  return cause === null ? alone : { kind: 'send', cause, reason: 'hold_limit', later: null };
}

function lookedAtOf({ lookedAt }: MonitorLook): number {
  return lookedAt ?? -Infinity;
}
