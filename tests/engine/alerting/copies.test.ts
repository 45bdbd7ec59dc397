import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { copiesOf, retryCopy } from '../../../src/engine/alerting/copies.ts';

describe('a message that went out whole without an answer', () => {
  it('is copied after 30, 60 and 120 s, and no more', () => {
    const next = [1, 2, 3, 4, 5].map((count) => retryCopy({ count, nowAt: 7000 }));
    assert.deepEqual(next, [
      { kind: 'wait', untilAt: 37_000 },
      { kind: 'wait', untilAt: 67_000 },
      { kind: 'wait', untilAt: 127_000 },
      { kind: 'give_up' },
      { kind: 'give_up' },
    ]);
  });

  it('is counted under the delivery id that it bore', () => {
    assert.deepEqual(copiesOf({ copies: { as: 'i1.down/ops', count: 1 } }), { as: 'i1.down/ops', count: 1 });
    assert.deepEqual(copiesOf({ copies: { as: 'i1.down/ops', count: 3 } }), { as: 'i1.down/ops', count: 3 });
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
