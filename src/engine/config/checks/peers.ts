/** Whether the node and its peers can do what they are asked to. */
import type { Draft } from '../draft.ts';
import { warning, type Finding } from '../finding.ts';

export function* checkPeers({ health, monitors, peers }: Draft): Generator<Finding> {
  if (peers.length === 0 && health.confirm_with_peers === true) {
    yield warning(
      ['health', 'confirm_with_peers'],
      'does nothing without [[peers]]',
      'add a peer, or remove it',
    );
  }
  if (peers.length === 0 && health.confirm_with_peers === false) {
    for (const [index, monitor] of monitors.entries()) {
      if (monitor.confirm_with_peers !== true) continue;
      yield warning(
        ['monitors', index, 'confirm_with_peers'],
        'does nothing without [[peers]]',
        'add a peer, or remove it',
      );
    }
  }
  if (health.quorum === true && peers.length < 2) {
    yield warning(
      ['health', 'quorum'],
      'does nothing with fewer than two [[peers]]',
      'add a peer, or remove it',
    );
  }
  if (peers.length > 0 && health.id === null) {
    yield warning(
      ['health', 'id'],
      'is missing: peers cannot tell which node is speaking',
      'set id in [health]',
    );
  }
  for (const [index, peer] of peers.entries()) {
    const path = ['peers', index];
    if (peer.expect_every_secs === null && peer.ping_url === null && peer.listen_token === null) {
      yield warning(
        path,
        'does nothing',
        'set ping_url to send heartbeats, expect_every_secs to expect them, or both',
      );
    }
    if (typeof peer.expect_every_secs === 'number' && peer.listen_token === null) {
      yield warning(path, 'has no listen_token: anybody can send its heartbeats', 'set listen_token');
    }
  }
}
