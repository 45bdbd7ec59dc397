/** Words for trouble of this node and its peers. */
import type { ChannelFailing } from '../../engine/alerting/events/channel-failing.ts';
import type { NodeBlind, NodesDiffer, StorageFailing } from '../../engine/alerting/events/node.ts';
import type { PeerDown, PeerLinkDegraded, PeerRecovered } from '../../engine/alerting/events/peer.ts';
import { counted } from '../../engine/core/words.ts';
import { instantText, nearInstantText } from '../../engine/core/instant.ts';
import { durationText, shownSpanMs } from '../../engine/core/duration.ts';
import { plainLine } from './plain.ts';
import { fact, type WordingLine, listed, nameOf, reasonLine, type Wording } from './wording.ts';

export function channelFailing(message: ChannelFailing): Wording {
  const { at, consecutiveFailures: count, failingSinceAt } = message;
  const failures = counted(count, 'consecutive delivery failure');
  const channel = plainLine(message.channel, 100);
  if (message.isPartial)
    return {
      title: `channel '${channel}' does not reach all of its recipients`,
      lines: [
        ...reasonLine(message.error),
        'The other recipients get its alerts; who was refused gets none until this is mended',
        fact('Since', instantText(failingSinceAt), ' '),
      ],
      quote: [],
    };
  return {
    title: `channel '${channel}' is failing, ${failures} since ${durationText(shownSpanMs(failingSinceAt, at))}`,
    lines: [
      ...reasonLine(message.error),
      'Alerts routed only to this channel reach nobody until it works again',
      fact('Failing since', instantText(failingSinceAt), ' '),
    ],
    quote: [],
  };
}

export function peerDown(message: PeerDown): Wording {
  return {
    title: `Peer ${nameOf(message.peer)} is down`,
    lines: [...reasonLine(message.reason), lastHeard(message.lastHeardAt)],
    quote: [],
  };
}

/** Of a peer that is no longer watched nothing may sound as if it were up. */
export function peerRecovered({ peer, startedAt, endedAt, isRemoved }: PeerRecovered): Wording {
  if (isRemoved)
    return {
      title: `Peer ${nameOf(peer)} is no longer watched; it was down since ${instantText(startedAt)}`,
      lines: [
        `Its heartbeats are no longer expected as of ${nearInstantText(endedAt, startedAt)}. Whether it is up is not known`,
      ],
      quote: [],
    };
  return {
    title: `Peer ${nameOf(peer)} is up again after ${durationText(shownSpanMs(startedAt, endedAt))}`,
    lines: [fact('Down from', `${instantText(startedAt)} to ${nearInstantText(endedAt, startedAt)}`, ' ')],
    quote: [],
  };
}

export function peerLinkDegraded(message: PeerLinkDegraded): Wording {
  const witnesses = listed(
    message.seenBy.map((name) => plainLine(name, 100)),
    10,
  );
  return {
    title: `The link to peer ${nameOf(message.peer)} is broken, the peer itself is up`,
    lines: [
      ...(witnesses === '' ? [] : [fact('Still seen up by', witnesses, ' ')]),
      ...reasonLine(message.reason),
      lastHeard(message.lastHeardAt),
    ],
    quote: [],
  };
}

/** How many monitors are named; the others are counted. */
const mostNamed = 5;

export function nodeBlind(message: NodeBlind): Wording {
  const { node, startedAt, endedAt, reason } = message;
  const name = plainLine(node ?? '', 64);
  const who = name === '' ? 'This node' : `Node ${name}`;
  const since = instantText(startedAt);
  if (endedAt === null) {
    return {
      title: `${who} cannot reach what it monitors`,
      lines: [
        ...reasonLine(reason),
        ...unmonitored(message),
        'Either it lost its network, or all of them are down at once. What is still down when it can see again is reported then',
        fact('Since', since, ' '),
      ],
      quote: [],
    };
  }
  return {
    title: `${who} lost its network for ${durationText(shownSpanMs(startedAt, endedAt))}`,
    lines: [
      ...reasonLine(reason),
      ...unmonitored(message),
      'What is still down is reported from its first failure on. What came back meanwhile is recorded as no data',
      fact('From', `${since} to ${nearInstantText(endedAt, startedAt)}`, ' '),
    ],
    quote: [],
  };
}

function unmonitored({
  monitors,
  monitorCount,
}: Pick<NodeBlind, 'monitors' | 'monitorCount'>): WordingLine[] {
  if (monitorCount === 0 || monitors.length === 0) return [];
  const names = monitors.slice(0, mostNamed).map(nameOf);
  const more = monitorCount - names.length;
  return [
    fact(
      'Not monitored meanwhile',
      more > 0 ? `${names.join(', ')} and ${more} more` : listed(names, mostNamed),
    ),
  ];
}

export function storageFailing({ startedAt, error }: StorageFailing): Wording {
  return {
    title: 'statusd cannot write to its database',
    lines: [
      ...reasonLine(error),
      'It checks and alerts on from memory; what is not written is lost when it stops',
      fact('Since', instantText(startedAt), ' '),
    ],
    quote: [],
  };
}

export function nodesDiffer(message: NodesDiffer): Wording {
  const { startedAt, isStandIn } = message;
  const leader = plainLine(message.leader, 100);
  const nodes = listed(
    message.nodes.map((node) => plainLine(node, 100)),
    10,
  );
  return {
    title: 'The nodes of statusd have different configurations',
    lines: [
      isStandIn
        ? `${leader} leads, with another configuration than the leader before it had`
        : `${leader} leads; other nodes check with it only when they have its configuration`,
      ...(nodes === '' ? [] : [fact('Another configuration than the leader', nodes)]),
      ...unmonitored(message),
      ...(isStandIn
        ? ['Nothing that it does not have was ended. A reload of the leader makes its file the right one']
        : []),
      fact('Since', instantText(startedAt), ' '),
    ],
    quote: [],
  };
}

const lastHeard = (at: number | null): WordingLine =>
  at === null ? 'No heartbeat yet' : fact('Last heartbeat', instantText(at), ' ');
