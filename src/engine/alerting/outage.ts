/** An open outage as folding sees it, and which outage belongs to which. */
import { dependents, type Graph } from '../core/graph.ts';

/** Instants are epoch ms. */
export interface Outage {
  readonly uid: string;
  readonly monitor: string;
  readonly startedAt: number;
  /** The latest end of the windows of its messages; without any, what it would have been. */
  readonly windowEndsAt: number;
  /** A channel was told of it, or is being told, without an upstream to blame. */
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
 * ended. What was down and told long before is its own affair.
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
