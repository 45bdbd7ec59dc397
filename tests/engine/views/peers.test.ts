import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { freshPeer, type PeerState } from '../../../src/engine/peers/rules/state.ts';
import { peerCounts, peersHeard, peerViews, skewWords } from '../../../src/engine/views/peers.ts';

const nowAt = Date.UTC(2026, 10, 21, 12);
const peer = (id: string, expect: number | null = 60) => ({
  id,
  name: id.toUpperCase(),
  expect_every_secs: expect,
});
const row = (id: string, state: Partial<PeerState>) => ({ id, state: { ...freshPeer, ...state } });

describe('the peers for viewers who may see them', () => {
  it('are those that are watched, in the order of the configuration', () => {
    const rows = [
      row('b', { state: 'up', heardAt: nowAt - 42_900, reason: 'of long ago' }),
      row('a', { state: 'down', troubleAt: 1, heardAt: nowAt - 754_000, reason: 'it said so' }),
      row('unwatched', { state: 'up', heardAt: nowAt }),
      row('removed', { state: 'up', heardAt: nowAt }),
    ];
    const views = peerViews(
      [peer('a'), peer('unwatched', null), peer('new'), peer('b')],
      {
        rows,
        skews: [{ peer: 'b', skewMs: -7200 }],
      },
      nowAt,
    );
    const none = { clock_skew_ms: null, reason: null, seen_by: [] };
    assert.deepEqual(views, [
      { ...none, id: 'a', name: 'A', state: 'down', age: 754, reason: 'it said so' },
      { ...none, id: 'new', name: 'NEW', state: 'unknown', age: null },
      { ...none, id: 'b', name: 'B', state: 'up', age: 42, clock_skew_ms: -7200 },
    ]);
  });

  it('are unknown, and break nothing, when another version stored something else', () => {
    for (const state of [null, 7, 'up', [], {}, { state: 'dancing', heardAt: 'noon' }]) {
      const [view] = peerViews([peer('a')], { rows: [{ id: 'a', state }], skews: [] }, nowAt);
      assert.deepEqual([view?.state, view?.age], ['unknown', null]);
    }
  });

  it('were never heard in the future, whatever the clock did', () => {
    const rows = [row('a', { state: 'up', heardAt: nowAt + 5000 })];
    assert.equal(peerViews([peer('a')], { rows, skews: [] }, nowAt)[0]?.age, 0);
  });

  it('are counted for those who may not', () => {
    const counts = peerCounts([{ state: 'up' }, { state: 'up' }, { state: 'link_degraded' }]);
    assert.deepEqual(counts, { up: 2, down: 0, link_degraded: 1, unknown: 0 });
    assert.equal(peersHeard(counts), '2 of 3 are heard');
    assert.equal(peersHeard(peerCounts([{ state: 'up' }])), '1 of 1 is heard');
    assert.equal(peersHeard(peerCounts([])), null);
  });

  it('have clocks that are mentioned when they are wrong', () => {
    assert.deepEqual([null, 0, 1999, -1999, 2000, -61_400].map(skewWords), [
      null,
      null,
      null,
      null,
      'clock 2s ahead',
      'clock 1m 1s behind',
    ]);
  });
});
