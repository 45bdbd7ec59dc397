/** Whether the node and its peers can do what they are asked to. */
import type { ConfigDraft } from '../draft.ts';
import { Secret } from '../secret.ts';
import { failure, quote, warning, type ConfigFinding } from '../finding.ts';

type DraftPeer = ConfigDraft['peers'][number];

export function* checkPeers(draft: ConfigDraft): Generator<ConfigFinding> {
  const { health, peers } = draft;
  yield* checkConfirming(draft);
  if (health.quorum === true && peers.length < 2) {
    yield warning(
      ['health', 'quorum'],
      'does nothing with fewer than two [[peers]]',
      'add a peer, or remove it',
    );
  }
  if (peers.length > 0 && health.id === null) {
    yield warning(['health', 'id'], 'is missing: peers cannot tell which node sends', 'set id in [health]');
  }
  for (const [index, peer] of peers.entries()) {
    yield* checkIdentity(draft, peer, index);
    yield* checkOutgoing(draft, peer, index);
    yield* checkIncoming(draft, peer, index);
  }
}

/** Whether there is a peer that could be asked about a target. */
function* checkConfirming({ health, monitors, peers }: ConfigDraft): Generator<ConfigFinding> {
  const isAnyAble = peers.some(({ ping_url: url, ping_token: token }) => url !== null && token !== null);
  if (isAnyAble) return;
  const [message, hint] =
    peers.length === 0
      ? ['does nothing without [[peers]]', 'add a peer, or remove it']
      : ['does nothing: no peer has both ping_url and ping_token', 'set them, or remove it'];
  if (health.confirm_with_peers === true) yield warning(['health', 'confirm_with_peers'], message, hint);
  if (health.confirm_with_peers !== false) return;
  for (const [index, monitor] of monitors.entries()) {
    if (monitor.confirm_with_peers !== true) continue;
    yield warning(['monitors', index, 'confirm_with_peers'], message, hint);
  }
}

function* checkIdentity(
  { health, monitors }: ConfigDraft,
  { id, listen_id: listenId }: DraftPeer,
  index: number,
): Generator<ConfigFinding> {
  if (id === undefined) return;
  if (id === health.id) {
    yield failure(
      ['peers', index, 'id'],
      `is this node itself: [health] has the id ${quote(id)}`,
      'remove the peer, or give this node another id',
    );
  }
  const isShared = monitors.some((monitor) => monitor.id === id);
  // With the same listen_id it is an error already: see checkNames.
  if (isShared && listenId !== id) {
    yield warning(
      ['peers', index, 'id'],
      `is also the id of a monitor: ${quote(id)}`,
      'silences and decisions would take one for the other; rename the monitor',
    );
  }
}

function* checkOutgoing({ health }: ConfigDraft, peer: DraftPeer, index: number): Generator<ConfigFinding> {
  const path = ['peers', index];
  const { ping_url: pingUrl, ping_token: token, witness_url: witnessUrl } = peer;
  if (pingUrl === null && peer.expect_every_secs === null && peer.listen_token === null) {
    yield warning(
      path,
      'does nothing',
      'set ping_url to send heartbeats, expect_every_secs to expect them, or both',
    );
  }
  if (token === null && pingUrl !== null) {
    yield warning(
      path,
      'has ping_url without ping_token: the peer cannot know that the heartbeats are from here',
      'set ping_token to the listen_token that the peer has for this node',
    );
  } else if (token === null && health.quorum === true && witnessUrl !== null) {
    yield warning(
      path,
      'has witness_url without ping_token: without a token it does not say how it sees the others',
      'set ping_token to the listen_token that the peer has for this node',
    );
  }
  if (token instanceof Secret && pingUrl === null && witnessUrl === null)
    yield warning([...path, 'ping_token'], 'does nothing without ping_url or witness_url', 'set ping_url');
}

function* checkIncoming({ health }: ConfigDraft, peer: DraftPeer, index: number): Generator<ConfigFinding> {
  const path = ['peers', index];
  const { expect_every_secs: expected, listen_token: token } = peer;
  if (typeof expected !== 'number') return;
  if (token === null)
    yield warning(path, 'has no listen_token: anyone can send its heartbeats', 'set listen_token');
  if (typeof health.interval_secs === 'number' && expected < health.interval_secs) {
    yield warning(
      [...path, 'expect_every_secs'],
      `is less than the interval of this node's own heartbeats (${health.interval_secs})`,
      'if the peer sends as seldom, it is late every time; expect one and a half intervals',
    );
  }
}
