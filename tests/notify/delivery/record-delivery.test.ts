/** What a delivery remembers of its message fits into a row, however many the message named. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Operation } from '../../../src/db/store/operation.ts';
import { outbox } from '../../../src/db/tables/outbox.ts';
import { idOfAll } from '../../../src/engine/alerting/ids.ts';
import { deliverySettings, gather } from '../../../src/notify/delivery/context.ts';
import { OutboxCache } from '../../../src/notify/delivery/outbox-cache.ts';
import type { Ready } from '../../../src/notify/delivery/plan.ts';
import { causeMarks, recordDelivery } from '../../../src/notify/delivery/record-delivery.ts';
import { openFacts } from '../../support/facts.ts';
import { sketch, taken } from './world.ts';

const nowAt = Date.UTC(2026, 0, 1);

/** Waiting deliveries of these ids, each about a monitor of its name; what is sent of them, and where. */
async function sceneOf(ids: readonly string[], event: 'down' | 'unknown') {
  const facts = await openFacts();
  const payload = { startedAt: nowAt, confirmedAt: nowAt, ownFault: event === 'unknown' ? 'resolver' : null };
  const row = { channel: 'ops', event, payload, createdAt: nowAt, nextAt: nowAt };
  facts.apply(
    ...ids.map((id) => outbox.put({ ...row, deliveryId: id, monitor: `m${id}`, incident: `i${id}` })),
  );
  const cache = new OutboxCache(facts.sql);
  const config = await sketch({ monitors: [], channels: ['ops'] });
  const context = gather(nowAt, deliverySettings(config), {
    sql: facts.sql,
    startedAt: nowAt,
    stateOf: () => null,
    heardAgainBy: () => null,
    checks: { lastAt: () => null, lastBegunAt: () => null, lastRecoveryAt: () => null },
    outages: () => new Map(),
    open: () => new Map(),
    laterGroups: () => () => 0,
    deliveries: cache,
  });
  const ready = [...cache.all()].map((each): Ready => ({ ...each, event, cause: null, reason: 'sent' }));
  const [first = assert.fail(), ...others] = ready;
  return { batch: { channel: 'ops', deliveries: [first, ...others] as const }, first, others, context };
}

const many = (count: number) => Array.from({ length: count }, (_, index) => `n${index}`);

const payloadOf = (operations: readonly Operation[], id: string) =>
  operations.find(([name, deliveryId]) => name === 'outbox.change' && deliveryId === id)?.[2] as Record<
    string,
    unknown
  >;

describe('what a delivery remembers', () => {
  it('of a message about checks is the others that it named, a thousand at most, with the first of them', async () => {
    const { batch, first, others } = await sceneOf(['1', '2'], 'unknown');
    const alsoNamed = ['m1', 'm2', ...many(1500)];
    const causeGroup = idOfAll(['1', '2']);
    assert.deepEqual(causeMarks(first, { ...batch, alsoNamed }), { causeGroup, alsoNamed: many(1000) });
    assert.deepEqual(causeMarks(others[0] ?? assert.fail(), { ...batch, alsoNamed }), { causeGroup });
    assert.deepEqual(causeMarks(first, batch), { causeGroup, alsoNamed: [] });
  });

  it('of an alert is the dependents that it named, four thousand at most', async () => {
    const { batch, first, context } = await sceneOf(['1', '2'], 'down');
    const contents = { groupId: 'g', failing: new Map(), dependents: new Map([['1', many(5000)]]) };
    const operations = recordDelivery({ ...batch, contents, part: [first], isLast: false }, taken, context);
    const { groupId, named, namedBy, isGrouped } = payloadOf(operations, '1');
    assert.deepEqual([groupId, named, namedBy, isGrouped], ['g', many(4000), null, true]);
  });

  it('of the health of its channel changes with the last part of a message alone', async () => {
    const { batch, first, others, context } = await sceneOf(['1', '2'], 'down');
    const contents = { groupId: null, failing: new Map(), dependents: new Map() };
    const failed = {
      kind: 'failed',
      attempts: 1,
      error: 'no',
      isPermanent: false,
      retryAfterMs: null,
    } as const;
    const healthIn = (isLast: boolean, delivered: typeof taken | typeof failed) =>
      recordDelivery({ ...batch, contents, part: isLast ? others : [first], isLast }, delivered, context)
        .map(([name]) => name)
        .filter((name) => name.startsWith('channel.'));
    assert.deepEqual(healthIn(false, taken), []);
    assert.deepEqual(healthIn(true, taken), ['channel.ok']);
    assert.deepEqual(healthIn(false, failed), []);
    assert.deepEqual(healthIn(true, failed), ['channel.failed']);
  });
});
