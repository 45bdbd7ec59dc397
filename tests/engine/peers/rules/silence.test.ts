/** When the silence of a peer is late, and when it is decided about. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { canBeIsolated, isolation, isolationInWords } from '../../../../src/engine/peers/rules/isolation.ts';
import { judgePeer } from '../../../../src/engine/peers/rules/judge.ts';
import {
  judgeSilence,
  lateAtOf,
  type PeerSilenceTerms,
  saysDown,
} from '../../../../src/engine/peers/rules/silence.ts';
import {
  freshPeer,
  isTroubled,
  type PeerState,
  readPeerState,
} from '../../../../src/engine/peers/rules/state.ts';
import { applyPeerHeartbeat, notAfter, settlePeer } from '../../../../src/engine/peers/rules/transitions.ts';

const terms: PeerSilenceTerms = {
  expectEveryMs: 90,
  graceMs: 200,
  windowMs: 30,
  hearingSinceAt: 1000,
  decidedAt: null,
};
const up: PeerState = { ...freshPeer, state: 'up', heardAt: 2000 };
const broken: PeerState = { ...up, state: 'link_degraded', troubleAt: 2090 };
const saysItIsDown: PeerState = { ...up, says: 'down', saysDownSinceAt: 1500 };

describe('a peer that is watched', () => {
  it('is late once a heartbeat did not come, and decided about a window later', () => {
    assert.deepEqual(judgeSilence(up, terms, 2089), { kind: 'heard', lookAt: 2090 });
    assert.deepEqual(judgeSilence(up, terms, 2090), { kind: 'late', lateAt: 2090, lookAt: 2120 });
    assert.deepEqual(judgeSilence(up, terms, 2119), { kind: 'late', lateAt: 2090, lookAt: 2120 });
    assert.deepEqual(judgeSilence(up, terms, 2120), { kind: 'due', lateAt: 2090 });
  });

  it('is not decided about again once it is down', () => {
    assert.deepEqual(judgeSilence({ ...up, state: 'down', troubleAt: 1 }, terms, 9999), { kind: 'decided' });
  });

  it('is given the grace before its first heartbeat, where that is longer', () => {
    assert.equal(lateAtOf(freshPeer, terms), 1200);
    assert.equal(lateAtOf(freshPeer, { ...terms, graceMs: 10 }), 1090);
  });

  it('is expected from the time at which this node can receive heartbeats again', () => {
    assert.equal(lateAtOf(up, { ...terms, hearingSinceAt: 2050 }), 2140);
  });

  it('is late at once when it reports down, unless that was before this node could receive heartbeats', () => {
    assert.equal(lateAtOf(saysItIsDown, terms), 1500);
    assert.equal(lateAtOf(saysItIsDown, { ...terms, hearingSinceAt: 1800 }), 1800);
    assert.equal(lateAtOf(saysItIsDown, { ...terms, hearingSinceAt: 2000 }), 2000);
    assert.equal(lateAtOf(saysItIsDown, { ...terms, hearingSinceAt: 2001 }), 2091, 'it has to say so again');
    assert.equal(saysDown({ ...saysItIsDown, heardAt: null }, 0), false);
    assert.equal(saysDown(up, 0), false);
  });

  it('with a broken link stays late since then, and is looked at again as often as it is expected', () => {
    assert.equal(lateAtOf(broken, terms), 2090);
    assert.equal(lateAtOf({ ...broken, troubleAt: null }, terms), 2090, 'by its last heartbeat');
    assert.equal(lateAtOf({ ...broken, troubleAt: 1700 }, terms), 1700);
    assert.equal(lateAtOf({ ...up, troubleAt: 1700 }, terms), 2090, 'no link is broken');
    const again = { ...terms, decidedAt: 2120 };
    assert.deepEqual(judgeSilence(broken, again, 2209), { kind: 'late', lateAt: 2090, lookAt: 2210 });
    assert.deepEqual(judgeSilence(broken, again, 2210), { kind: 'due', lateAt: 2090 });
    assert.equal(judgeSilence(broken, { ...again, hearingSinceAt: 2200 }, 2289).kind, 'late');
    assert.equal(judgeSilence(broken, { ...again, hearingSinceAt: 2200 }, 2290).kind, 'due');
    assert.equal(
      judgeSilence(broken, { ...terms, hearingSinceAt: 2150 }, 2239).kind,
      'late',
      'after a start',
    );
    assert.deepEqual(judgeSilence(broken, { ...terms, hearingSinceAt: 2150 }, 2240), {
      kind: 'due',
      lateAt: 2090,
    });
  });

  it('with a broken link that says it is down is decided about after a window', () => {
    const state = { ...broken, says: 'down', saysDownSinceAt: 1900 } as const;
    assert.deepEqual(judgeSilence(state, { ...terms, decidedAt: 1920 }, 1929), {
      kind: 'late',
      lateAt: 1900,
      lookAt: 1930,
    });
    assert.equal(judgeSilence(state, { ...terms, decidedAt: 1920 }, 1930).kind, 'due');
  });
});

describe('the reason why a peer is down', () => {
  const silent = { state: up, expectEveryMs: 90_000, hearingSinceAt: 0, nowAt: 122_000 };

  it('is how long it was silent, or that it never was heard', () => {
    assert.equal(judgePeer(silent, null).reason, 'no heartbeat for 2m; one is expected every 1m 30s');
    const never = { ...silent, state: freshPeer };
    assert.equal(judgePeer(never, null).reason, 'it never sent a heartbeat; one is expected every 1m 30s');
    assert.match(
      judgePeer({ ...silent, nowAt: 0 }, null).reason,
      /^no heartbeat for 0s;/,
      'the clock was set',
    );
  });

  it('is what it says of itself, with its words where it has any', () => {
    assert.equal(
      judgePeer({ ...silent, state: saysItIsDown }, null).reason,
      'it says itself that it is down',
    );
    const words = { ...saysItIsDown, message: 'disk full' };
    assert.equal(
      judgePeer({ ...silent, state: words }, null).reason,
      'it says itself that it is down: disk full',
    );
  });

  it('says what others saw, where any were asked', () => {
    const reason = (...saw: readonly ('up' | 'not_up' | 'unanswered')[]) =>
      judgePeer(silent, {
        reports: saw.map((each) => ({ by: 'oslo', saw: each, ageMs: 1e9 })),
        isItselfUp: false,
      }).reason.replace(/^.*1m 30s/, '');
    assert.equal(reason(), '');
    assert.equal(reason('unanswered', 'unanswered'), '; no other node answered');
    assert.equal(reason('not_up', 'unanswered'), '; the other node that answered does not hear it either');
    assert.equal(reason('not_up', 'up'), '; the 2 nodes that answered do not hear it either');
  });

  it('is not reported where another node receives every heartbeat it sends', () => {
    const heardBefore = (ageMs: number, everyMs: number | null) =>
      judgePeer(
        { ...silent, state: { ...up, everyMs } },
        { reports: [{ by: 'oslo', saw: 'up', ageMs }], isItselfUp: false },
      ).kind;
    assert.equal(heardBefore(67_000, 60_000), 'link_degraded', 'a tenth for jitter, and a second');
    assert.equal(heardBefore(67_001, 60_000), 'down');
    assert.equal(heardBefore(100_000, null), 'link_degraded', 'not measured: as often as is expected');
    assert.equal(heardBefore(100_001, null), 'down');
  });

  it('is a broken link with who sees it, or because it answers itself', () => {
    const reports = [
      { by: 'oslo', saw: 'up', ageMs: null },
      { by: 'rome', saw: 'unanswered', ageMs: null },
    ] as const;
    const reason = 'no heartbeat for 2m; one is expected every 1m 30s';
    assert.deepEqual(judgePeer(silent, { reports, isItselfUp: false }), {
      kind: 'link_degraded',
      seenBy: ['oslo'],
      reason,
    });
    assert.deepEqual(judgePeer(silent, { reports: [], isItselfUp: true }), {
      kind: 'link_degraded',
      seenBy: [],
      reason: `${reason}, though it answers itself`,
    });
  });
});

describe('the state of a peer', () => {
  it('ends its trouble with a heartbeat that says up, not before it began', () => {
    const beat = { status: 'up', message: null } as const;
    const after = applyPeerHeartbeat(broken, beat, { at: 2500, expectEveryMs: 90 });
    assert.deepEqual(after.over, { from: 'link_degraded', startedAt: 2090, endedAt: 2500 });
    const { state, sinceAt, troubleAt, reason, seenBy } = after.state;
    assert.deepEqual([state, sinceAt, troubleAt, reason, seenBy], ['up', 2500, null, null, []]);
    const setBack = applyPeerHeartbeat(broken, beat, { at: 2000, expectEveryMs: 90 });
    assert.equal(setBack.over?.endedAt, 2090, 'the clock was set back');
    const calm = applyPeerHeartbeat({ ...up, sinceAt: 7 }, beat, { at: 2500, expectEveryMs: 90 });
    assert.deepEqual([calm.over, calm.state.sinceAt], [null, 7]);
  });

  it('keeps its trouble, and when it first said so, with heartbeats that say down', () => {
    const beat = { status: 'down', message: 'disk full' } as const;
    const { state, over } = applyPeerHeartbeat({ ...broken, saysDownSinceAt: 2100 }, beat, {
      at: 2500,
      expectEveryMs: 90,
    });
    assert.equal(over, null);
    assert.deepEqual([state.state, state.troubleAt, state.saysDownSinceAt], ['link_degraded', 2090, 2100]);
    assert.deepEqual([state.heardAt, state.message, state.says], [2500, 'disk full', 'down']);
    assert.equal(applyPeerHeartbeat(up, beat, { at: 2500, expectEveryMs: 90 }).state.saysDownSinceAt, 2500);
  });

  it('measures no pause of a trouble, and none below zero', () => {
    const every = (before: Partial<PeerState>, at: number) =>
      applyPeerHeartbeat({ ...up, ...before }, { status: 'up', message: null }, { at, expectEveryMs: 90 })
        .state.everyMs;
    assert.equal(every({}, 2060), 60);
    assert.equal(every({}, 2500), 90);
    assert.equal(every({}, 1900), 0, 'the clock was set back');
    assert.equal(every({ state: 'down', troubleAt: 2090, everyMs: 55 }, 2500), 55);
    assert.equal(every({ heardAt: null, everyMs: 55 }, 2500), 55);
  });

  it('is news when it becomes another one, and keeps when its trouble began', () => {
    const verdict = { kind: 'link_degraded', seenBy: ['oslo'], reason: 'silent' } as const;
    const first = settlePeer(up, verdict, { at: 2120, lateAt: 2090 });
    assert.equal(first.isNews, true);
    const { state, sinceAt, troubleAt, reason, seenBy } = first.state;
    assert.deepEqual([state, sinceAt, troubleAt], ['link_degraded', 2120, 2090]);
    assert.deepEqual([reason, seenBy], ['silent', ['oslo']]);
    const again = settlePeer(first.state, verdict, { at: 2210, lateAt: 2200 });
    assert.deepEqual([again.isNews, again.state.sinceAt, again.state.troubleAt], [false, 2120, 2090]);
    const down = settlePeer(first.state, { kind: 'down', reason: 'gone' }, { at: 2300, lateAt: 2200 });
    assert.deepEqual([down.isNews, down.state.sinceAt, down.state.troubleAt], [true, 2300, 2090]);
    assert.deepEqual([down.state.reason, down.state.seenBy], ['gone', []]);
  });

  it('holds nothing from the future, and makes up nothing, after the clock was set back', () => {
    assert.deepEqual(notAfter({ ...freshPeer, saysDownSinceAt: 400 }, 100), {
      ...freshPeer,
      saysDownSinceAt: 100,
    });
    assert.deepEqual(notAfter({ ...freshPeer, heardAt: 400 }, 100), { ...freshPeer, heardAt: 100 });
    const past = { ...freshPeer, heardAt: 50, saysDownSinceAt: 400 };
    assert.deepEqual(notAfter(past, 100), { ...freshPeer, heardAt: 50, saysDownSinceAt: 100 });
    assert.equal(notAfter(freshPeer, 100), freshPeer);
  });

  it('is read back as it was stored, and as unknown where its trouble cannot be named', () => {
    const stored: PeerState = {
      state: 'link_degraded',
      sinceAt: 1,
      heardAt: 2,
      everyMs: 3,
      says: 'degraded',
      saysDownSinceAt: 4,
      message: 'slow',
      troubleAt: 5,
      reason: 'silent',
      seenBy: ['oslo'],
    };
    assert.deepEqual(readPeerState(stored), stored);
    for (const state of ['down', 'link_degraded'])
      assert.equal(readPeerState({ ...stored, state, troubleAt: null }).state, 'unknown');
    for (const state of ['up', 'unknown'] as const) {
      const read = readPeerState({ ...stored, state });
      assert.deepEqual([read.state, read.troubleAt], [state, null]);
      assert.equal(isTroubled(state), false);
    }
    assert.equal(isTroubled('down') && isTroubled('link_degraded'), true);
  });
});

describe('whether this node is cut off', () => {
  const facts = { sinceAt: 190, nowAt: 220, isAnyReached: false };
  const silent = { heardAt: 100, lateAt: 190 };

  it('cannot be said by fewer than two peers', () => {
    assert.deepEqual([0, 1, 2, 3].map(canBeIsolated), [false, false, true, true]);
  });

  it('is not known before every peer that was ever heard is late', () => {
    const early = { heardAt: 150, lateAt: 230 };
    const later = { heardAt: 160, lateAt: 225 };
    const never = { heardAt: null, lateAt: 900 };
    const watched = [silent, early, later, never];
    assert.deepEqual(isolation({ ...facts, watched }), { kind: 'unclear', lookAt: 230 });
    assert.deepEqual(isolation({ ...facts, watched, nowAt: 230 }), { kind: 'isolated' });
  });

  it('is not so when one was heard since, at that very moment too', () => {
    const heardAgain = (heardAt: number | null) =>
      isolation({ ...facts, watched: [silent, { heardAt, lateAt: 200 }] }).kind;
    assert.equal(heardAgain(189), 'isolated');
    assert.equal(heardAgain(190), 'none');
    assert.equal(heardAgain(null), 'isolated');
    const fromNow = { ...facts, sinceAt: 0, watched: [silent, { heardAt: null, lateAt: 200 }] };
    assert.equal(isolation({ ...fromNow, sinceAt: 101 }).kind, 'isolated');
    const never = { heardAt: null, lateAt: 200 };
    assert.equal(isolation({ ...facts, sinceAt: 0, watched: [never, never] }).kind, 'isolated');
  });

  it('is said with how many peers there are', () => {
    assert.equal(isolationInWords(3), 'none of its 3 peers sends a heartbeat');
  });
});
