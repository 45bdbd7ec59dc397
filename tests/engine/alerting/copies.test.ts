import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { copiesOf, markedAs, messageOf, retryCopy } from '../../../src/engine/alerting/copies.ts';

describe('a message that went out whole without an answer', () => {
  it('is copied after 30, 60 and 120 s, and no more', () => {
    const next = [1, 2, 3, 4, 5].map((count) =>
      retryCopy({ event: 'down', count, reachedSome: false, nowAt: 7000 }),
    );
    assert.deepEqual(next, [
      { kind: 'wait', untilAt: 37_000 },
      { kind: 'wait', untilAt: 67_000 },
      { kind: 'wait', untilAt: 127_000 },
      { kind: 'give_up' },
      { kind: 'give_up' },
    ]);
  });

  it('that some recipients have is tried six times for the others, for a quarter of an hour', () => {
    const next = [1, 2, 3, 4, 5, 6].map((count) =>
      retryCopy({ event: 'recovered', count, reachedSome: true, nowAt: 0 }),
    );
    const pauses = next.map((retry) => (retry.kind === 'wait' ? retry.untilAt / 1000 : retry.kind));
    assert.deepEqual(pauses, [30, 60, 120, 240, 480, 'give_up']);
  });

  it('is counted under the id that it bore, with the delivery that leads it', () => {
    const mark = { as: 'i1.down.ops.7.x', lead: 'i1.down.ops' };
    for (const count of [1, 3])
      assert.deepEqual(copiesOf({ other: 1, ...markedAs(mark, count) }), { ...mark, count, leftMs: null });
  });

  it('of an earlier version was called by the delivery that leads it', () => {
    const payload = { copies: { as: 'i1.down/ops', count: 3 } };
    assert.deepEqual(copiesOf(payload), { as: 'i1.down/ops', lead: 'i1.down/ops', count: 3, leftMs: null });
  });

  it('is none before its first attempt ended, though it is known what goes in it', () => {
    const mark = { as: 'i1.down.ops.7.x', lead: 'i1.down.ops' };
    assert.equal(copiesOf(markedAs(mark, 0)), null);
    assert.deepEqual(messageOf(markedAs(mark, 0)), mark);
    for (const payload of [null, {}, { copies: null }]) assert.equal(messageOf(payload), null);
  });

  it('is not counted when nothing is remembered of it, or only a part', () => {
    for (const payload of [
      null,
      {},
      { copies: null },
      { copies: { as: 'i1.down/ops' } },
      { copies: { count: 2 } },
      { copies: { as: 'i1.down/ops', count: 0 } },
    ])
      assert.equal(copiesOf(payload), null, JSON.stringify(payload));
  });
});
