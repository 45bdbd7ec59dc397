/** Decides whether the message about a dependent is covered by one about its upstream. */
import { dependents, type Graph, rootsOf, upstreams } from '../core/graph.ts';
import type { ReasonWord } from './reasons.ts';

/** What is known of a monitor beside its incident. Epoch ms. */
export interface MonitorLook {
  /** When its streak of failures began; null: the last answer was none. */
  readonly failingSinceAt: number | null;
  /** When it was last checked, or a check was tried; null: never. */
  readonly lookedAt: number | null;
}

/** What is known of a dependent since an upstream of it recovered. */
type SinceRecovery =
  /** No check was made for that: it may have recovered with its upstream. */
  | { readonly kind: 'unchecked' }
  /** A push monitor cannot be asked: if it is up, a heartbeat comes by `byAt` (epoch ms). */
  | { readonly kind: 'awaited'; readonly byAt: number }
  /** Its last answer was no failure, and too few of them came so far to end its outage. */
  | { readonly kind: 'recovering' }
  | { readonly kind: 'failing' };

export interface FoldFacts {
  readonly graph: Graph;
  readonly outages: Outages;
  readonly look: (monitor: string) => MonitorLook;
  /** When the last outage of a monitor ended, epoch ms; null: none has. */
  readonly recoveredAt: (monitor: string) => number | null;
  /** What is known of a monitor since an instant at which an upstream of it recovered. */
  readonly sinceRecovery: (monitor: string, recoveredAt: number) => SinceRecovery;
  readonly windowMs: number;
  readonly nowAt: number;
}

export type Folding =
  /** `cause`: the upstream to name, whose alerts this channel does not receive. */
  | { readonly kind: 'send'; readonly cause: string | null; readonly reason: ReasonWord }
  /** A message about these was sent, or is certain to be. */
  | { readonly kind: 'fold'; readonly into: readonly [string, ...string[]] }
  /** These are down, and whether a message about them is sent will show. */
  | { readonly kind: 'await'; readonly untilAt: number; readonly by: readonly [string, ...string[]] }
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

/** How long a failing upstream may take to be confirmed or to recover before its dependent is sent without it. */
export const patienceMs = 300_000;

/** How often a failing upstream is checked while a dependent waits for it. */
const pauseMs = { least: 2000, most: 30_000 };

/** How long a check out of turn may take when the message should be on its way already. */
const lastLookMs = 12_000;

/** A message whose window is over: the outage it is about, the channel it is for. */
export interface Foldable {
  readonly outage: Outage;
  readonly channel: string;
  /** It is held at the moment for an upstream that is down: folded into it, or waiting for the message about it. */
  readonly isHeld: boolean;
  /** The upstream it was held for last; null: none. Named where no other cause is known. */
  readonly heldFor: string | null;
  /** When it is to be sent at the latest, unless it is covered: holdEndsAt. */
  readonly limitAt: number;
}

/** The stage of a `down` or `degraded` message. */
export function fold(foldable: Foldable, facts: FoldFacts): Folding {
  const folding = foldAnew(foldable, facts);
  if (facts.windowMs === 0 || folding.kind === 'fold' || folding.kind === 'await') return folding;
  const { isHeld, limitAt } = foldable;
  if (folding.kind !== 'send' && !isHeld) return folding;
  const recoveredAt = lastRecoveryAbove(foldable.outage, facts);
  const unproven = recoveredAt === null ? null : unlessFailing(foldable, recoveredAt, facts);
  if (unproven !== null) return unproven;
  const { nowAt, windowMs } = facts;
  if (!isHeld || nowAt >= limitAt) return folding;
  // Dependents of one upstream are checked for as long as each takes, and their windows end together all the same.
  const isRecent = recoveredAt !== null && nowAt - recoveredAt < windowMs + lastLookMs;
  const untilAt = Math.min((isRecent ? recoveredAt : nowAt) + windowMs, limitAt);
  return untilAt > nowAt ? { kind: 'renew', untilAt } : folding;
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
  { outage: { monitor }, limitAt }: Foldable,
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
      return nowAt < limitAt
        ? { kind: 'watch', untilAt: Math.min(nowAt + windowMs, limitAt), heardBy: null }
        : null;
    case 'failing':
      return null;
  }
}

/** The upstreams that cause an outage, those with no such monitor above them. */
export function causesOf(
  dependent: Outage,
  { graph, outages }: Pick<FoldFacts, 'graph' | 'outages'>,
): string[] {
  return rootsOf(graph, dependent.monitor, (id) => {
    const upstream = outages.get(id);
    return upstream !== undefined && isPartOf(dependent, upstream);
  });
}

function foldAnew(foldable: Foldable, facts: FoldFacts): Folding {
  if (facts.windowMs === 0) return alone;
  const { graph, outages, nowAt } = facts;
  const { outage: dependent, channel, limitAt } = foldable;
  const { monitor } = dependent;
  const isRouted = (id: string): boolean => {
    const upstream = outages.get(id);
    return upstream?.channels.has(channel) === true && isPartOf(dependent, upstream);
  };
  const [first, ...others] = rootsOf(graph, monitor, (id) => isRouted(id) && isCovering(id, channel, facts));
  if (first !== undefined) return { kind: 'fold', into: [first, ...others] };
  const [due, ...more] = rootsOf(graph, monitor, isRouted);
  if (due !== undefined && nowAt < limitAt)
    return {
      kind: 'await',
      untilAt: Math.min(limitAt, nextDueAt([due, ...more], channel, facts)),
      by: [due, ...more],
    };
  const cause = causesOf(dependent, facts)[0] ?? null;
  if (cause !== null)
    return { kind: 'send', cause, reason: due === undefined ? 'cause_elsewhere' : 'hold_limit' };
  if (dependent.isNotifiedAlone) return alone;
  return suspect(foldable, facts);
}

const alone: Folding = { kind: 'send', cause: null, reason: 'sent' };

/**
 * Whether the channel was sent a message about the outage of `id`, or is certain to be: its window is over, nothing
 * else holds it back, and no outage above it can any more. From there on a recovery does not drop it either.
 */
function isCovering(id: string, channel: string, { graph, outages, nowAt }: FoldFacts): boolean {
  const outage = outages.get(id);
  const message = outage?.channels.get(channel);
  if (outage === undefined || message === undefined) return false;
  if (message.isSent) return true;
  if (message.dueAt > nowAt) return false;
  return !upstreams(graph, id).some((top) => {
    const above = outages.get(top);
    return above?.channels.has(channel) === true && isPartOf(outage, above);
  });
}

/** When the first window of messages about `ids` ends that did not end yet. */
function nextDueAt(ids: readonly string[], channel: string, { outages, nowAt }: FoldFacts): number {
  const dueAts = ids.map((id) => outages.get(id)?.channels.get(channel)?.dueAt ?? Infinity);
  return dueAts.reduce((first, at) => (at > nowAt ? Math.min(first, at) : first), Infinity);
}

/** No upstream is known to be down: perhaps because none was checked since. */
function suspect(
  { outage: dependent, heldFor, limitAt }: Foldable,
  { graph, outages, look, windowMs, nowAt }: FoldFacts,
): Folding {
  const pause = Math.min(Math.max(windowMs, pauseMs.least), pauseMs.most);
  const notDown = upstreams(graph, dependent.monitor).filter((id) => !outages.has(id));
  const failing = notDown.filter((id) => {
    const { failingSinceAt } = look(id);
    return failingSinceAt !== null && nowAt - failingSinceAt < patienceMs;
  });
  const [by] = failing;
  const isOverLimit = nowAt >= limitAt;
  const unseen = notDown.filter((id) => !failing.includes(id) && lookedAtOf(look(id)) < dependent.startedAt);
  const stale = isOverLimit ? [] : failing.filter((id) => nowAt - lookedAtOf(look(id)) >= pause);
  // Over the limit an upstream is unchecked only if nothing ran meanwhile: once is enough then.
  if (unseen.length + stale.length > 0)
    return { kind: 'ask', ids: [...unseen, ...stale], untilAt: isOverLimit ? nowAt + lastLookMs : limitAt };
  if (by !== undefined && !isOverLimit)
    return { kind: 'hold', untilAt: Math.min(nowAt + pause, limitAt), by };
  const cause = isOverLimit ? (by ?? heldFor) : null;
  return cause === null ? alone : { kind: 'send', cause, reason: 'hold_limit' };
}

function lookedAtOf({ lookedAt }: MonitorLook): number {
  return lookedAt ?? -Infinity;
}

/** Instants are epoch ms. */
export interface Outage {
  readonly uid: string;
  readonly monitor: string;
  readonly startedAt: number;
  /** The latest end of the windows of its messages; without any, what it would have been. */
  readonly windowEndsAt: number;
  /** A channel received its alert, or is being sent it, without an upstream as the cause. */
  readonly isNotifiedAlone: boolean;
  /** The channels that were sent a message about it, or are to be sent one. */
  readonly channels: ReadonlyMap<string, OutageMessage>;
}

/** What is known of the message about an outage on one channel. */
export interface OutageMessage {
  readonly isSent: boolean;
  /** When its window ends, epoch ms; Infinity: it waits for something else, or the channel failed to take it. */
  readonly dueAt: number;
}

/** The open outages by monitor. */
export type Outages = ReadonlyMap<string, Outage>;

/**
 * Whether the outage of a dependent is part of its upstream's: the upstream was failing when the dependent's window
 * ended. What was down and sent long before does not count.
 */
export function isPartOf(dependent: Outage, upstream: Outage): boolean {
  return !dependent.isNotifiedAlone && upstream.startedAt <= dependent.windowEndsAt;
}

/** Ids of the monitors that failed with `root`, the nearest first: its blast radius. */
export function impactedBy(graph: Graph, outages: Outages, root: Outage): string[] {
  return dependents(graph, root.monitor).filter((id) => {
    const outage = outages.get(id);
    return outage !== undefined && isPartOf(outage, root);
  });
}
