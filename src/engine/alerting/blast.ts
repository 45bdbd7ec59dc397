/** Tells which outages belong together: what a message about a root names, and what caused an outage. */
import { failingAbove, failingBelow, type Graph } from '../core/graph.ts';

/** The latest checks of a monitor, as folding asks for them. Instants are epoch ms. */
export interface MonitorLook {
  /** When its streak of failures began; null: the last answer was none. */
  readonly failingSinceAt: number | null;
  /** When it was last checked, or a check was tried; null: never. */
  readonly lookedAt: number | null;
  /** Whether the last check of the monitor says that it is up. */
  readonly isUp: boolean;
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

/** The message about an outage on one channel: whether it left, and whom it named. */
export interface OutageMessage {
  readonly isSent: boolean;
  /** The message leaves soon: only its window, an upstream or a channel that refused it holds it back. */
  readonly isComing: boolean;
  /** When its window ends, epoch ms; Infinity: it waits for something else, or the channel failed to take it. */
  readonly dueAt: number;
  /** When the channel took it, epoch ms; null: not so far. */
  readonly sentAt: number | null;
  /** The id that a message and the recoveries of all it named share; null: the message named one monitor. */
  readonly groupId: string | null;
  /** Uids of the outages that it named beside its own. */
  readonly named: ReadonlySet<string>;
  /** Monitors that it named as failing before they were confirmed down. */
  readonly failing: readonly string[];
}

/** The open outages by monitor. */
export type Outages = ReadonlyMap<string, Outage>;

/**
 * Whether the outage of a dependent is part of its upstream's: the upstream was failing when the dependent's window
 * ended, and the dependent was not told alone before.
 */
export function isPartOf(dependent: Outage, upstream: Outage): boolean {
  return !dependent.isNotifiedAlone && upstream.startedAt <= dependent.windowEndsAt;
}

/** The blast radius of an outage: the monitors that its message names beside it, the nearest first. */
export interface BlastRadius {
  /** Ids of monitors that are down. */
  readonly down: readonly string[];
  /** Ids of monitors that fail, and are not confirmed down. */
  readonly failing: readonly string[];
}

/** `channel`: leaves out what that was told by a message of its own; null: leaves out nothing. */
export function impactedBy(root: Outage, channel: string | null, facts: CauseFacts): BlastRadius {
  const { graph, outages, look } = facts;
  const below = failingBelow(graph, root.monitor, (id) => isFailing(id, facts));
  return {
    down: below.filter((id) => {
      const outage = outages.get(id);
      if (outage === undefined || !isPartOf(outage, root)) return false;
      return channel === null || outage.channels.get(channel)?.isSent !== true;
    }),
    failing: below.filter((id) => !outages.has(id) && look(id).failingSinceAt !== null),
  };
}

/** Dependents that are checked out of turn at once, before the message about their root leaves. */
const mostAsked = 200;

/** The dependents of a root that were not checked since it fails, and that no healthy monitor parts from it. */
export function unseenBelow(
  { monitor, startedAt }: Pick<Outage, 'monitor' | 'startedAt'>,
  { graph, outages, look }: CauseFacts,
): readonly string[] {
  const isUnseen = (id: string) => !outages.has(id) && (look(id).lookedAt ?? -Infinity) < startedAt;
  return failingBelow(graph, monitor, (id) => isUnseen(id) || isFailing(id, { outages, look }))
    .filter(isUnseen)
    .slice(0, mostAsked);
}

/** Whether a monitor is down, or its last check did not say that it is up. */
export function isFailing(id: string, { outages, look }: Omit<CauseFacts, 'graph'>): boolean {
  return outages.has(id) || !look(id).isUp;
}

/** The facts that show which outage caused which. */
export interface CauseFacts {
  readonly graph: Graph;
  readonly outages: Outages;
  readonly look: (monitor: string) => MonitorLook;
}

/** The upstreams that cause an outage, those with no such monitor above them. */
export function causesOf(dependent: Outage, facts: CauseFacts): readonly string[] {
  return rootsAbove(dependent.monitor, downAbove(dependent, facts), facts);
}

/** The upstreams that are down, whose outage a dependent is part of, with no healthy monitor in between. */
export function downAbove(dependent: Outage, { graph, outages, look }: CauseFacts): readonly string[] {
  return failingAbove(graph, dependent.monitor, (id) => isFailing(id, { outages, look })).filter((id) => {
    const upstream = outages.get(id);
    return upstream !== undefined && isPartOf(dependent, upstream);
  });
}

/** The topmost of `ids`: monitors above which none of the others fails. */
export function rootsAbove(
  id: string,
  ids: readonly string[],
  { graph, outages, look }: CauseFacts,
): string[] {
  const among = new Set(ids);
  return ids.filter(
    (each) =>
      !failingAbove(graph, each, (above) => isFailing(above, { outages, look })).some(
        (top) => top !== id && among.has(top),
      ),
  );
}
