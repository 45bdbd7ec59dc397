/** What is decided about a silent peer, and when this node doubts itself instead. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isolation } from '../../../../src/engine/peers/rules/isolation.ts';
import { freshPeer, type PeerState } from '../../../../src/engine/peers/rules/state.ts';
import { applyPeerHeartbeat } from '../../../../src/engine/peers/rules/transitions.ts';
import { judgePeer, type PeerReport } from '../../../../src/engine/peers/rules/judge.ts';

const second = 1000;
const nowAt = 1_000 * second;

/** Heard every minute until 120 s ago. */
const state: PeerState = { ...freshPeer, state: 'up', heardAt: nowAt - 120 * second, everyMs: 60 * second };
const silent = { state, expectEveryMs: 90 * second, hearingSinceAt: 0, nowAt };

const by = (name: string, saw: PeerReport['saw'], ageSecs: number | null = null): PeerReport => ({
  by: name,
  saw,
  ageMs: ageSecs === null ? null : ageSecs * second,
});
const heard = (...reports: PeerReport[]) => ({ reports, isItselfUp: false });

describe('a silent peer', () => {
  it('is down when nobody is to be asked', () => {
    const reason = 'no heartbeat for 2m; one is expected every 1m 30s';
    assert.deepEqual(judgePeer(silent, null), { kind: 'down', reason });
  });

  it('is a broken link when another node receives its heartbeats now', () => {
    const verdict = judgePeer(silent, heard(by('Oslo', 'up', 40), by('Rome', 'not_up', 90)));
    assert.ok(verdict.kind === 'link_degraded');
    assert.deepEqual(verdict.seenBy, ['Oslo']);
  });

  it('is a broken link for a peer that does not say when it heard it', () => {
    assert.equal(judgePeer(silent, heard(by('Oslo', 'up'))).kind, 'link_degraded');
  });

  it('is down when the peer heard it last before its silence', () => {
    assert.equal(judgePeer(silent, heard(by('Oslo', 'up', 100))).kind, 'down');
  });

  it('is a broken link when it answers itself, whatever the others say', () => {
    const verdict = judgePeer(silent, { reports: [by('Oslo', 'not_up', 500)], isItselfUp: true });
    assert.equal(verdict.kind, 'link_degraded');
    assert.match(verdict.reason, /though it answers itself$/);
  });

  it('is down when nobody answers: peers never hold an alert back', () => {
    const verdict = judgePeer(silent, heard(by('Oslo', 'unanswered'), by('Rome', 'unanswered')));
    assert.equal(verdict.kind, 'down');
    assert.match(verdict.reason, /no other node answered$/);
  });

  it('is down when the peers that answer do not receive its heartbeats either', () => {
    const reasons = [heard(by('Oslo', 'not_up')), heard(by('Oslo', 'not_up'), by('Rome', 'not_up'))];
    assert.match(
      judgePeer(silent, reasons[0] ?? null).reason,
      /the other node that answered does not hear it/,
    );
    assert.match(judgePeer(silent, reasons[1] ?? null).reason, /the 2 nodes that answered do not hear it/);
  });

  it('is down when it says so itself', () => {
    const said = applyPeerHeartbeat(
      state,
      { status: 'down', message: 'disk full' },
      { at: nowAt, expectEveryMs: 90_000 },
    ).state;
    assert.deepEqual(judgePeer({ ...silent, state: said }, heard(by('Oslo', 'up', 1))), {
      kind: 'down',
      reason: 'it says itself that it is down: disk full',
    });
  });
});

describe('the rhythm of a peer', () => {
  it('is measured, forgets a pause, and is no longer than what is expected', () => {
    let known: PeerState = freshPeer;
    const beat = (at: number) => {
      known = applyPeerHeartbeat(
        known,
        { status: 'up', message: null },
        { at: at * second, expectEveryMs: 90_000 },
      ).state;
      return known.everyMs;
    };
    assert.equal(beat(0), null);
    assert.equal(beat(60), 60_000);
    assert.equal(beat(65), 54_000, 'an extra heartbeat says little');
    assert.equal(beat(125), 60_000);
    assert.equal(beat(425), 90_000);
    assert.equal(beat(485), 81_000);
  });
});

describe('this node', () => {
  const quiet = [
    { heardAt: 100, lateAt: 190 },
    { heardAt: 110, lateAt: 200 },
  ];
  const now = { sinceAt: 190, nowAt: 220, isAnyReached: false };

  it('is isolated when every peer is late, and nobody is reached', () => {
    assert.deepEqual(isolation({ ...now, watched: quiet }), { kind: 'isolated' });
  });

  it('is not when anyone is', () => {
    assert.deepEqual(isolation({ ...now, watched: quiet, isAnyReached: true }), { kind: 'none' });
    const heard = { heardAt: 190, lateAt: 280 };
    assert.deepEqual(isolation({ ...now, watched: [...quiet, heard] }), { kind: 'none' });
  });

  it('may be while a peer is silent that need not have been heard', () => {
    const early = { heardAt: 150, lateAt: 240 };
    assert.deepEqual(isolation({ ...now, watched: [...quiet, early] }), { kind: 'unclear', lookAt: 240 });
    assert.deepEqual(isolation({ ...now, watched: [...quiet, early], nowAt: 240 }), { kind: 'isolated' });
  });

  it('does not wait for a peer that was never heard', () => {
    const fresh = { heardAt: null, lateAt: 900 };
    assert.deepEqual(isolation({ ...now, watched: [...quiet, fresh] }), { kind: 'isolated' });
  });

  it('is not known with a single peer', () => {
    assert.deepEqual(isolation({ ...now, watched: quiet.slice(0, 1) }), { kind: 'none' });
  });
});
