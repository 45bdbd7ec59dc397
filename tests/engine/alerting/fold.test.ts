/** Folding below several upstreams at once. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { graphOf } from '../../../src/engine/core/graph.ts';
import {
  causesOf,
  fold,
  type Foldable,
  impactedBy,
  isPartOf,
  type MonitorLook,
  type Outage,
  type OutageMessage,
} from '../../../src/engine/alerting/fold.ts';

const nowAt = 1_000_000;
const graph = graphOf([
  { id: 'db', dependsOn: [] },
  { id: 'cache', dependsOn: [] },
  { id: 'api', dependsOn: ['db', 'cache'] },
  { id: 'web', dependsOn: ['api'] },
]);
const outage = (
  monitor: string,
  message: Partial<OutageMessage> = {},
  changes: Partial<Outage> = {},
): Outage => ({
  uid: monitor,
  monitor,
  startedAt: nowAt - 60_000,
  windowEndsAt: nowAt,
  isNotifiedAlone: false,
  channels: new Map([['ops', { isSent: false, dueAt: nowAt + 5000, ...message }]]),
  ...changes,
});
const byId = (outages: readonly Outage[]) => new Map(outages.map((each) => [each.monitor, each]));
const folded = (
  outages: readonly Outage[],
  looks: Readonly<Record<string, MonitorLook>> = {},
  changes: Partial<Foldable> = {},
) => {
  const foldable = { channel: 'ops', isHeld: false, heldFor: null, limitAt: nowAt + 300_000 };
  return fold(
    { outage: outage('api'), ...foldable, ...changes },
    {
      graph,
      outages: byId(outages),
      recoveredAt: () => null,
      sinceRecovery: () => ({ kind: 'failing' }),
      look: (id) => looks[id] ?? { failingSinceAt: null, lookedAt: nowAt },
      windowMs: 30_000,
      nowAt,
    },
  );
};

describe('a message below several upstreams that are down', () => {
  it('waits for whichever of their messages is due first, of those that are not due yet', () => {
    const both = [outage('db'), outage('cache', { dueAt: nowAt + 2000 })];
    assert.deepEqual(folded(both), { kind: 'await', untilAt: nowAt + 2000, by: ['db', 'cache'] });
    const failed = [outage('db'), outage('cache', { dueAt: Infinity })];
    assert.deepEqual(folded(failed), { kind: 'await', untilAt: nowAt + 5000, by: ['db', 'cache'] });
  });

  it('is covered by each of those that were sent or are certain to be', () => {
    const sent = [outage('db', { isSent: true }), outage('cache', { dueAt: nowAt })];
    assert.deepEqual(folded(sent), { kind: 'fold', into: ['db', 'cache'] });
    assert.deepEqual(folded([outage('db'), outage('cache', { isSent: true })]), {
      kind: 'fold',
      into: ['cache'],
    });
  });

  it('names the first of them where its channel receives alerts of none', () => {
    const elsewhere = { channels: new Map([['sms', { isSent: true, dueAt: 0 }]]) };
    const both = [outage('cache', {}, elsewhere), outage('db', {}, elsewhere)];
    assert.deepEqual(folded(both), { kind: 'send', cause: 'db', reason: 'cause_elsewhere' });
    assert.deepEqual(causesOf(outage('api'), { graph, outages: byId(both) }), ['db', 'cache']);
    assert.deepEqual(causesOf(outage('db'), { graph, outages: byId(both) }), []);
  });
});

describe('a message below upstreams that are not known to be down', () => {
  const failing = (lookedMsAgo: number) => ({
    failingSinceAt: nowAt - 60_000,
    lookedAt: nowAt - lookedMsAgo,
  });

  it('has those checked that were not since, and those that fail and were not for a while', () => {
    const unseen = { failingSinceAt: null, lookedAt: nowAt - 60_001 };
    assert.deepEqual(folded([], { db: failing(30_000), cache: unseen }), {
      kind: 'ask',
      ids: ['cache', 'db'],
      untilAt: nowAt + 300_000,
    });
    assert.deepEqual(folded([], { db: failing(29_999) }), {
      kind: 'hold',
      untilAt: nowAt + 30_000,
      by: 'db',
    });
    assert.deepEqual(folded([], { db: failing(29_999) }, { limitAt: nowAt + 7 }), {
      kind: 'hold',
      untilAt: nowAt + 7,
      by: 'db',
    });
    const never = { failingSinceAt: nowAt - 60_000, lookedAt: null };
    assert.deepEqual(folded([], { db: never, cache: failing(1) }), {
      kind: 'ask',
      ids: ['db'],
      untilAt: nowAt + 300_000,
    });
  });

  it('at the limit has only those checked that never were since, and names the first that fails', () => {
    const over = { limitAt: nowAt, heldFor: 'other' };
    const unseen = { failingSinceAt: null, lookedAt: null };
    assert.deepEqual(folded([], { db: failing(90_000), cache: unseen }, over), {
      kind: 'ask',
      ids: ['cache'],
      untilAt: nowAt + 12_000,
    });
    const send = { kind: 'send', cause: 'cache', reason: 'hold_limit' };
    assert.deepEqual(folded([], { cache: failing(90_000) }, over), send);
  });

  it('has nothing checked that is down, for whatever reason', () => {
    const long = outage('db', {}, { startedAt: nowAt + 1 });
    assert.deepEqual(folded([long], { db: { failingSinceAt: nowAt - 1000, lookedAt: null } }), {
      kind: 'send',
      cause: null,
      reason: 'sent',
    });
  });
});

it('an outage is part of the one above it that was failing when its window ended', () => {
  const above = (startedAt: number) => outage('db', {}, { startedAt });
  assert.equal(isPartOf(outage('api'), above(nowAt)), true);
  assert.equal(isPartOf(outage('api'), above(nowAt + 1)), false);
  assert.equal(isPartOf(outage('api', {}, { isNotifiedAlone: true }), above(0)), false);
  const all = [outage('db'), outage('web'), outage('api'), outage('cache')];
  assert.deepEqual(impactedBy(graph, byId(all), outage('db')), ['api', 'web']);
  assert.deepEqual(impactedBy(graph, byId(all.slice(0, 2)), outage('db')), ['web']);
});
