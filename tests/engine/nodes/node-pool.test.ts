import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { LogEntry } from '../../../src/engine/core/log.ts';
import { NodePool, type PoolNode, skewInWords } from '../../../src/engine/nodes/node-pool.ts';

const liveMs = 30_000;
const self = { id: 'a', version: '1', config: 'same', isProbing: true };

describe('the nodes that check', () => {
  let nowMs = 0;
  let seen: PoolNode[] = [];
  let log: LogEntry[] = [];
  let pool: NodePool;
  const other = (id: string, more: Partial<PoolNode> = {}): PoolNode => ({
    ...self,
    id,
    url: `http://${id}.example`,
    ageMs: 0,
    ...more,
  });
  const lines = () => log.map(({ event, message }) => `${event}: ${message}`);
  const ids = () => pool.others().map(({ id }) => id);
  const pass = (ms: number) => {
    nowMs += ms;
  };
  beforeEach(() => {
    nowMs = 0;
    log = [];
    seen = [other('b'), other('c')];
    const monotonic = () => nowMs;
    pool = new NodePool({
      clock: { now: monotonic, monotonic, sleep: () => Promise.reject(new Error('nothing sleeps here')) },
      log: (entry) => log.push(entry),
      self: () => self,
      seen: () => seen,
      liveMs,
    });
  });

  it('are those that are there, make checks, have an address and are alike', () => {
    seen = [
      other('a'),
      other('b'),
      other('c', { isProbing: false }),
      other('d', { url: '' }),
      other('e', { ageMs: liveMs + 1 }),
      other('f', { version: '2' }),
      other('g', { config: 'other' }),
      other('h', { ageMs: liveMs }),
    ];
    assert.deepEqual(ids(), ['b', 'h']);
  });

  it('stay while they answer, although the database has not seen them for long', () => {
    pool.noteAnswer('b');
    seen = [other('b', { ageMs: 2 * liveMs }), other('c', { ageMs: 2 * liveMs })];
    assert.deepEqual(ids(), ['b']);
    pass(liveMs + 1);
    assert.deepEqual(ids(), []);
  });

  it('are asked in the same order as long as they are the same, those that are left out not at all', () => {
    const { order } = pool.orderOf('web', []);
    assert.deepEqual(order.toSorted(), ['a', 'b', 'c']);
    assert.deepEqual(pool.orderOf('web', []).order, order);
    pool.leaveOut(order[0] ?? '', 'answers garbage');
    assert.deepEqual(pool.orderOf('web', []).order, order.slice(1));
    assert.deepEqual(pool.orderOf('of-b', ['b']).fallback, null);
    assert.deepEqual(pool.orderOf('of-both', ['a', 'b']).fallback, 'a');
  });

  it('are those that reach nothing where no other may check', () => {
    pool.leaveOut('b', 'reaches nothing', { isIsolated: true });
    pool.leaveOut('c', 'does not answer');
    assert.deepEqual(pool.orderOf('of-others', ['b', 'c']).order, ['b']);
    assert.deepEqual(pool.orderOf('web', []).order, ['a']);
  });

  it('are tried again after 5 s, then after twice as long, and soon again only after a long time without fault', () => {
    const due = () => pool.due().map(({ id }) => id);
    pool.leaveOut('b', 'does not answer');
    pool.leaveOut('b', 'does not answer');
    assert.deepEqual(lines(), ['node.left_out: b does not answer: other nodes make its checks']);
    for (const pauseMs of [5000, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000]) {
      pass(pauseMs - 1);
      assert.deepEqual(due(), []);
      pass(1);
      assert.deepEqual(due(), ['b']);
      pool.tried('b', false);
    }
    pool.tried('b', true);
    assert.deepEqual(lines().slice(1), ['node.back: b makes checks again']);
    pool.leaveOut('b', 'does not answer');
    pass(299_999);
    assert.deepEqual(due(), []);
    pass(1);
    assert.deepEqual(due(), ['b']);
    pool.tried('b', true);
    pass(600_000);
    pool.leaveOut('b', 'does not answer');
    pass(5000);
    assert.deepEqual(due(), ['b']);
  });

  it('are not tried again when they are gone', () => {
    pool.leaveOut('b', 'does not answer');
    seen = [other('c')];
    pass(5000);
    assert.deepEqual(pool.due(), []);
    assert.equal(pool.isLeftOut('b'), false);
  });

  it('reach nothing for good once they were tried again twice in vain', () => {
    pass(1000);
    pool.leaveOut('a', 'reaches nothing', { isIsolated: true });
    pool.tried('a', false);
    assert.equal(pool.isolatedSinceMs('a'), null);
    pool.tried('a', false);
    assert.equal(pool.isolatedSinceMs('a'), 1000);
    pool.tried('a', true);
    assert.equal(pool.isolatedSinceMs('a'), null);
    // One that does not answer is no evidence of its network.
    pool.leaveOut('b', 'does not answer');
    pool.tried('b', false);
    pool.tried('b', false);
    assert.equal(pool.isolatedSinceMs('b'), null);
  });

  it('are said to be left out when they stay on another configuration or version, once', () => {
    const later = (ms: number) => {
      pass(ms);
      return ids();
    };
    seen = [other('b', { config: 'other' }), other('c', { version: '2' })];
    assert.deepEqual(later(0), []);
    assert.deepEqual(
      pool.standings().map(({ node, isLeftOut }) => `${node} ${isLeftOut}`),
      ['a false', 'b true', 'c true'],
    );
    later(liveMs - 1);
    assert.deepEqual(lines(), []);
    later(1000);
    later(liveMs);
    assert.deepEqual(lines(), [
      'node.left_out: b has another configuration: other nodes make its checks',
      'node.left_out: c is of another version: other nodes make its checks',
    ]);
    seen = [other('b'), other('c', { version: '2' })];
    assert.deepEqual(later(1000), ['b']);
    assert.deepEqual(lines().slice(2), ['node.back: b makes checks again']);
  });

  it('are said nothing of during a rollout', () => {
    seen = [other('b', { config: 'other' }), other('c')];
    ids();
    pass(liveMs - 1000);
    seen = [other('b'), other('c')];
    ids();
    pass(1000);
    seen = [other('b', { config: 'third' }), other('c')];
    ids();
    pass(liveMs - 1000);
    ids();
    assert.deepEqual(lines(), []);
  });

  it('have a clock that is said to be ahead or behind', () => {
    assert.equal(skewInWords(400_000), 'has a clock that is 6m 40s ahead');
    assert.equal(skewInWords(-400_400), 'has a clock that is 6m 40s behind');
  });
});
