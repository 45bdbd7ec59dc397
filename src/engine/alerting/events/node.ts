/** This node cannot reach what it monitors, or cannot write to its database, or the nodes differ. Instants are epoch ms. */
import { timestampText } from '../../core/instant.ts';
import type { Envelope, Moment, Named, NoticeRow } from './event.ts';
import { numberIn, textIn, textsIn, timestampOrNull } from './stored.ts';

/**
 * This node reaches nothing. It lost its network, or everything it monitors is down at once: the message goes out if
 * it can, so that the second is reported too.
 */
export interface NodeBlindEvent extends Moment {
  readonly kind: 'node_blind';
  readonly startedAt: number;
  readonly reason: string | null;
  /** The ids of all monitors of which nothing is known meanwhile. */
  readonly monitors: readonly string[];
  /** It goes on with an episode that seemed to be over, and whose end was perhaps not sent yet. */
  readonly isContinued: boolean;
}

export interface NodeSightedEvent extends Moment {
  readonly kind: 'node_sighted';
  readonly startedAt: number;
  readonly endedAt: number;
  readonly reason: string | null;
  /** The ids of all monitors of which nothing was known meanwhile. */
  readonly monitors: readonly string[];
}

/** The name of the time that this node was blind: what begins it and what ends it are filed under it. */
export function blindEpisodeOf({ startedAt }: Pick<NodeBlindEvent | NodeSightedEvent, 'startedAt'>): string {
  return `node.blind.${startedAt}`;
}

/** This node lost its own network, and held back what it saw meanwhile. */
export interface NodeBlind extends Envelope {
  readonly event: 'node_blind';
  /** `health.id`. */
  readonly node: string | null;
  readonly startedAt: number;
  /** Null while it lasts. */
  readonly endedAt: number | null;
  readonly reason: string | null;
  /** The monitors of which nothing is known meanwhile: the first of them, in the order of the configuration. */
  readonly monitors: readonly Named[];
  /** How many there are, those that are not named included. */
  readonly monitorCount: number;
}

const aboutNode = {
  subject: 'node',
  isMutable: false,
  givenUp: 'after_a_day',
  withoutChannel: 'dropped',
  withoutMonitor: 'dropped',
} as const;

/** How many of the monitors are named in a message; the others are counted. */
const mostNamed = 50;

const nodeBlind: NoticeRow<NodeBlind, NodeBlindEvent | NodeSightedEvent> = {
  ...aboutNode,
  event: 'node_blind',
  hidesOutages: true,
  outlastsQuietHours: true,
  severity: 'warning',
  // Outages of the monitors that it names may be hidden behind it.
  trouble: 'error',
  isWithoutIncident: () => true,
  raisedBy: ['node_blind', 'node_sighted'],
  keyOf: (fact) => {
    const episode = blindEpisodeOf(fact);
    if (fact.kind === 'node_sighted') return `${episode}.over.${fact.endedAt}`;
    return fact.isContinued ? `${episode}.again.${fact.at}` : episode;
  },
  episodeOf: blindEpisodeOf,
  stored: (fact) => ({
    ...fact,
    monitors: fact.monitors.slice(0, mostNamed),
    monitorCount: fact.monitors.length,
  }),
  read: ({ fields, at, named, node }) => {
    const monitors = textsIn(fields, 'monitors').map(named);
    return {
      node,
      startedAt: numberIn(fields, 'startedAt') ?? at,
      endedAt: numberIn(fields, 'endedAt'),
      reason: textIn(fields, 'reason'),
      monitors,
      monitorCount: numberIn(fields, 'monitorCount') ?? monitors.length,
    };
  },
  webhook: ({ node, startedAt, endedAt, monitors, monitorCount }) => ({
    node,
    started_at: timestampText(startedAt),
    ended_at: timestampOrNull(endedAt),
    monitors: monitors.map(({ id }) => id),
    monitor_count: monitorCount,
  }),
};

interface StorageFailingEvent extends Moment {
  readonly kind: 'storage_failing';
  readonly startedAt: number;
  readonly error: string | null;
}

export interface StorageFailing extends Envelope {
  readonly event: 'storage_failing';
  readonly startedAt: number;
  readonly error: string | null;
}

const storageFailing: NoticeRow<StorageFailing, StorageFailingEvent> = {
  ...aboutNode,
  event: 'storage_failing',
  hidesOutages: true,
  outlastsQuietHours: true,
  severity: 'error',
  trouble: 'error',
  raisedBy: ['storage_failing'],
  keyOf: ({ startedAt }) => `node.storage_failing.${startedAt}`,
  read: ({ fields, at }) => ({
    startedAt: numberIn(fields, 'startedAt') ?? at,
    error: textIn(fields, 'error'),
  }),
  webhook: ({ startedAt }) => ({ started_at: timestampText(startedAt) }),
};

/** Nodes that share a database have different configurations, which has lasted. */
interface NodesDifferEvent extends Moment {
  readonly kind: 'nodes_differ';
  readonly startedAt: number;
  /** The node that leads. */
  readonly leader: string;
  /** Those with another configuration. */
  readonly nodes: readonly string[];
  /** The leader has another configuration than the leader before it had. */
  readonly isStandIn: boolean;
  /** The ids of all monitors that the leader does not have, and so does not check. */
  readonly monitors: readonly string[];
}

export interface NodesDiffer extends Envelope {
  readonly event: 'nodes_differ';
  readonly startedAt: number;
  readonly leader: string;
  readonly nodes: readonly string[];
  readonly isStandIn: boolean;
  /** The first of the monitors that are not checked. */
  readonly monitors: readonly Named[];
  /** How many there are, those that are not named included. */
  readonly monitorCount: number;
}

const nodesDiffer: NoticeRow<NodesDiffer, NodesDifferEvent> = {
  ...aboutNode,
  event: 'nodes_differ',
  outlastsQuietHours: true,
  severity: 'warning',
  raisedBy: ['nodes_differ'],
  keyOf: ({ startedAt }) => `nodes.differ.${startedAt}`,
  stored: (fact) => ({
    ...fact,
    nodes: fact.nodes.slice(0, mostNamed),
    monitors: fact.monitors.slice(0, mostNamed),
    monitorCount: fact.monitors.length,
  }),
  read: ({ fields, at, named }) => {
    const monitors = textsIn(fields, 'monitors').map(named);
    return {
      startedAt: numberIn(fields, 'startedAt') ?? at,
      leader: textIn(fields, 'leader') ?? '',
      nodes: textsIn(fields, 'nodes'),
      isStandIn: fields['isStandIn'] === true,
      monitors,
      monitorCount: numberIn(fields, 'monitorCount') ?? monitors.length,
    };
  },
  webhook: ({ startedAt, leader, nodes, isStandIn, monitors, monitorCount }, line) => ({
    started_at: timestampText(startedAt),
    leader: line(leader, 200),
    nodes: nodes.map((node) => line(node, 200)),
    stand_in: isStandIn,
    monitors: monitors.map(({ id }) => id),
    monitor_count: monitorCount,
  }),
};

export const nodeEvents = [nodeBlind, storageFailing, nodesDiffer] as const;
