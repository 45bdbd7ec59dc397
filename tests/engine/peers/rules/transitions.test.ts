/** The machine of watched peers against a second opinion. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { judgeSilence, saysDown, type PeerSilenceTerms } from '../../../../src/engine/peers/rules/silence.ts';
import { freshPeer, type PeerState, readPeerState } from '../../../../src/engine/peers/rules/state.ts';
import {
  applyPeerHeartbeat,
  notAfter,
  settlePeer,
  unwatched,
} from '../../../../src/engine/peers/rules/transitions.ts';
import { judgePeer } from '../../../../src/engine/peers/rules/judge.ts';
import { checkProperty } from '../../../support/property.ts';
import { type Event, expected, type Settings, type Notified } from './reference.ts';

const startAt = Date.UTC(2026, 0, 1);

/** Lives through a script with the real functions, looking once a second, as the loop does. */
function live(script: readonly (readonly Event[])[], settings: Settings): Notified[] {
  let { expectSecs, windowSecs } = settings;
  let state: PeerState = freshPeer;
  let hearingSinceAt = startAt;
  let decidedAt: number | null = null;
  let seesIt = false;
  const notified: Notified[] = [];
  script.forEach((events, now) => {
    const at = startAt + now * 1000;
    for (const event of events) {
      switch (event.kind) {
        case 'restart':
          state = readPeerState(JSON.parse(JSON.stringify(state)));
          hearingSinceAt = at;
          decidedAt = null;
          break;
        case 'gap':
          hearingSinceAt = at;
          break;
        case 'reload':
          ({ expectSecs, windowSecs } = event);
          break;
        case 'witness':
          ({ seesIt } = event);
          break;
        case 'beat': {
          const beat = { status: event.says, message: null };
          const peerHeartbeatEffect = applyPeerHeartbeat(state, beat, {
            at,
            expectEveryMs: expectSecs * 1000,
          });
          ({ state } = peerHeartbeatEffect);
          if (peerHeartbeatEffect.over !== null) notified.push([now, 'over']);
        }
      }
    }
    const expectEveryMs = expectSecs * 1000;
    const windowMs = windowSecs * 1000;
    const graceMs = settings.graceSecs * 1000;
    const terms: PeerSilenceTerms = { expectEveryMs, windowMs, graceMs, hearingSinceAt, decidedAt };
    const peerSilence = judgeSilence(state, terms, at);
    if (peerSilence.kind === 'heard' || peerSilence.kind === 'late')
      assert.ok(peerSilence.lookAt > at, 'looks ahead');
    if (peerSilence.kind !== 'due') return;
    decidedAt = at;
    const reports = [{ by: 'Oslo', saw: seesIt ? 'up' : 'not_up', ageMs: null }] as const;
    const heardReports = settings.isQuorum ? { reports, isItselfUp: false } : null;
    const verdict = judgePeer({ state, expectEveryMs, hearingSinceAt, nowAt: at }, heardReports);
    const settledPeer = settlePeer(state, verdict, { at, lateAt: peerSilence.lateAt });
    ({ state } = settledPeer);
    if (settledPeer.isNews)
      notified.push([now, verdict.kind === 'down' ? 'peer_down' : 'peer_link_degraded']);
  });
  return notified;
}

const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('beat'), says: fc.constant('up') }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('beat'), says: fc.constantFrom('degraded', 'down') }),
  },
  { weight: 1, arbitrary: fc.constantFrom({ kind: 'restart' }, { kind: 'gap' }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('reload'),
      expectSecs: fc.integer({ min: 1, max: 30 }),
      windowSecs: fc.integer({ min: 0, max: 15 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('witness'), seesIt: fc.boolean() }) },
);

const settings: fc.Arbitrary<Settings> = fc.record({
  expectSecs: fc.integer({ min: 1, max: 30 }),
  windowSecs: fc.integer({ min: 0, max: 15 }),
  graceSecs: fc.integer({ min: 0, max: 60 }),
  isQuorum: fc.boolean(),
});

/** Seconds with what happens in them; pauses are as long as what is expected, so that silences happen. */
const script = fc
  .array(fc.tuple(fc.integer({ min: 0, max: 50 }), fc.array(event, { maxLength: 3 })), { maxLength: 25 })
  .map((steps) => [
    ...steps.flatMap(([pause, events]) => [events, ...Array.from({ length: pause }, () => [])]),
    ...Array.from({ length: 120 }, () => []),
  ]);

describe('a watched peer', () => {
  it('is notified when a second opinion says so, and only then', () => {
    const seen = new Map<string, number>();
    checkProperty(
      fc.property(script, settings, (events, how) => {
        const notified = live(events, how);
        for (const [, what] of notified) seen.set(what, (seen.get(what) ?? 0) + 1);
        assert.deepEqual(notified, expected(events, how));
      }),
      1500,
    );
    for (const what of ['peer_down', 'peer_link_degraded', 'over'])
      assert.ok((seen.get(what) ?? 0) > 100, what);
  });

  it('is reported down once for each silence, however long', () => {
    const silence = Array.from({ length: 5000 }, (_, at): Event[] =>
      at === 0 ? [{ kind: 'beat', says: 'up' }] : at % 900 === 0 ? [{ kind: 'restart' }] : [],
    );
    const how = { expectSecs: 90, windowSecs: 30, graceSecs: 180, isQuorum: false };
    assert.deepEqual(live(silence, how), [[120, 'peer_down']]);
  });
});

describe('the stored state of a peer', () => {
  const anInstant = fc.option(fc.integer({ min: 0, max: 2 ** 45 }));
  const stored = fc.record({
    state: fc.constantFrom('unknown', 'up', 'down', 'link_degraded', 'lost', 7),
    sinceAt: anInstant,
    heardAt: anInstant,
    everyMs: anInstant,
    says: fc.constantFrom(null, 'up', 'degraded', 'down', 'sideways'),
    saysDownSinceAt: anInstant,
    message: fc.option(fc.string()),
    troubleAt: anInstant,
    reason: fc.option(fc.string()),
    seenBy: fc.oneof(fc.array(fc.string()), fc.constant('Oslo')),
  });

  it('is read back as it was written', () => {
    checkProperty(
      fc.property(stored, (document) => {
        const read = readPeerState(document);
        assert.deepEqual(readPeerState(JSON.parse(JSON.stringify(read))), read);
      }),
      300,
    );
  });

  it('is fresh when it is something else, and never in a trouble that has no name', () => {
    for (const document of [null, undefined, 7, 'up', [], {}, { state: 'gone', heardAt: 'now' }])
      assert.deepEqual(readPeerState(document), freshPeer);
    assert.equal(readPeerState({ state: 'down', troubleAt: null }).state, 'unknown');
    assert.equal(readPeerState({ state: 'up', troubleAt: 5 }).troubleAt, null);
  });

  it('keeps of a peer that is watched no more only when it was heard', () => {
    const down: PeerState = { ...freshPeer, state: 'down', heardAt: 5, troubleAt: 9, seenBy: ['Oslo'] };
    assert.deepEqual(unwatched(down), { ...freshPeer, heardAt: 5 });
    const peerHeartbeatEffect = applyPeerHeartbeat(
      down,
      { status: 'up', message: 'hi' },
      { at: 20, expectEveryMs: null },
    );
    assert.equal(peerHeartbeatEffect.over, null);
    assert.deepEqual(peerHeartbeatEffect.state, { ...freshPeer, heardAt: 20, says: 'up', message: 'hi' });
  });

  it('holds nothing from the future after the clock was set back', () => {
    const ahead: PeerState = { ...freshPeer, heardAt: 500, saysDownSinceAt: 400 };
    assert.deepEqual(notAfter(ahead, 450), { ...ahead, heardAt: 450 });
    assert.equal(notAfter(ahead, 500), ahead);
    assert.equal(saysDown(notAfter(ahead, 100), 100), true);
  });
});
