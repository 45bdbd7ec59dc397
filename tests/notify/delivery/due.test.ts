/** What of the outbox is decided about in a turn, and when the next turn is: what is kept in memory for that is right. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Operation } from '../../../src/db/store/operation.ts';
import { channels } from '../../../src/db/tables/channels.ts';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { outbox } from '../../../src/db/tables/outbox.ts';
import { renameMonitor } from '../../../src/db/tables/renames.ts';
import { raiseAlert } from '../../../src/db/tables/producer-alerts.ts';
import { shiftClock } from '../../../src/db/tables/clock.ts';
import { graphOf } from '../../../src/engine/core/graph.ts';
import { holdReasons, type Hold } from '../../../src/engine/alerting/events/stored.ts';
import { ChannelQueue, Due } from '../../../src/notify/delivery/due.ts';
import type { GroupKind } from '../../../src/notify/delivery/group-kind.ts';
import { OutboxCache } from '../../../src/notify/delivery/outbox-cache.ts';
import type { Ready } from '../../../src/notify/delivery/plan.ts';
import type { Batch } from '../../../src/notify/delivery/record-delivery.ts';
import { type Facts, openFacts } from '../../support/facts.ts';
import { printedSeed, randomOf, type Random } from '../../support/random.ts';

const originAt = Date.UTC(2026, 0, 1);
const at = (secs: number) => originAt + secs * 1000;

interface Waiting {
  readonly id: string;
  readonly dueSecs: number;
  readonly held?: Hold['reason'];
  readonly channel?: string;
  readonly monitor?: string | null;
  readonly event?: string;
}

function putting({ id, dueSecs, held, channel = 'ops', monitor = id, event = 'down' }: Waiting): Operation {
  const times = { startedAt: originAt, confirmedAt: originAt, windowEndsAt: at(30) };
  return outbox.put({
    deliveryId: id,
    channel,
    event,
    monitor,
    incident: `of-${id}`,
    payload: { ...times, hold: held === undefined ? null : { reason: held, by: null } },
    createdAt: originAt,
    nextAt: at(dueSecs),
  });
}

/** Counts how often everything that waits is looked at. */
class CountingCache extends OutboxCache {
  looks = 0;

  override ofChannel(channel: string) {
    this.looks += 1;
    return super.ofChannel(channel);
  }
}

async function sceneOf(waiting: readonly Waiting[]) {
  const facts = await openFacts();
  facts.apply(...waiting.map(putting));
  const cache = new CountingCache(facts.sql);
  const channelQueues = new Map<string, ChannelQueue>();
  const asking = new Set<string>();
  const served = new Set<string>();
  const due = new Due({ cache, channelQueues, asking, hasServed: (id) => served.has(id) });
  const write = (...operations: Operation[]) => {
    facts.apply(...operations);
    cache.note(operations);
  };
  /** As after the first turn of a start, which looks at everything that is held. */
  const taken = (secs: number) => due.take(at(secs)).map(({ row }) => row.deliveryId);
  taken(-1);
  cache.looks = 0;
  return { cache, channelQueues, asking, served, due, taken, write };
}

/** `api` depends on `db`, `web` on `api`. */
const graph = graphOf([
  { id: 'db', dependsOn: [] },
  { id: 'api', dependsOn: ['db'] },
  { id: 'web', dependsOn: ['api'] },
]);

const busy = { channel: 'ops', deliveries: [] as unknown } as Batch;

describe('a turn', () => {
  it('takes what is due, the longest due first and of those the oldest', async () => {
    const { taken } = await sceneOf([
      { id: 'a', dueSecs: 20 },
      { id: 'b', dueSecs: 10 },
      { id: 'c', dueSecs: 20 },
      { id: 'd', dueSecs: 21 },
    ]);
    assert.deepEqual(taken(9), []);
    assert.deepEqual(taken(20), ['b', 'a', 'c']);
  });

  it('takes nothing of a channel that is busy, nor what waits for a check', async () => {
    const { taken, channelQueues, asking } = await sceneOf([
      { id: 'a', dueSecs: 10 },
      { id: 'b', dueSecs: 10, channel: 'sms' },
      { id: 'c', dueSecs: 10, channel: 'sms' },
    ]);
    const queue = new ChannelQueue();
    channelQueues.set('ops', queue);
    queue.batch = busy;
    asking.add('c');
    assert.deepEqual(taken(10), ['b']);
    queue.batch = null;
    assert.deepEqual(taken(10), ['a', 'b']);
  });

  it('takes what is held and to be decided again before it is due, and that once', async () => {
    const { taken, due, asking } = await sceneOf([
      { id: 'a', dueSecs: 99, held: 'muted' },
      { id: 'b', dueSecs: 99, held: 'quiet_hours' },
      { id: 'c', dueSecs: 99, held: 'muted' },
      { id: 'd', dueSecs: 99 },
    ]);
    assert.deepEqual(taken(10), []);
    due.reconsider('muted');
    asking.add('c');
    assert.deepEqual(taken(10), ['a']);
    assert.deepEqual(taken(10), []);
    due.reconsider('muted', 'quiet_hours');
    asking.clear();
    assert.deepEqual(taken(10), ['a', 'b', 'c']);
  });

  it('of a start takes what may have ended while nothing ran, and nothing whose time or channel is to come', async () => {
    const facts = await openFacts();
    facts.apply(...holdReasons.map((held) => putting({ id: held, dueSecs: 99, held })));
    const cache = new OutboxCache(facts.sql);
    const due = new Due({ cache, channelQueues: new Map(), asking: new Set(), hasServed: () => false });
    const taken = new Set(due.take(at(10)).map(({ row }) => row.deliveryId));
    assert.deepEqual(
      holdReasons.filter((reason) => !taken.has(reason)),
      ['window', 'channel_failed', 'channel_unavailable', 'same_cause', 'node_blind'],
    );
  });

  it('takes what waits for an outage that began or ended, of the monitor itself and of all below it', async () => {
    const { taken, due } = await sceneOf([
      { id: 'db', dueSecs: 99, held: 'folded' },
      { id: 'api', dueSecs: 99, held: 'upstream_due' },
      { id: 'web', dueSecs: 99, held: 'upstream_failing' },
      { id: 'of-nobody', dueSecs: 99, held: 'folded', monitor: null },
      { id: 'other', dueSecs: 99, held: 'folded' },
      { id: 'muted', dueSecs: 99, held: 'muted', monitor: 'web' },
      { id: 'window', dueSecs: 99, monitor: 'web' },
    ]);
    due.reconsiderBelow(graph, 'api');
    assert.deepEqual(taken(10), ['api', 'web', 'muted']);
    due.reconsiderDependents(graph, 'db');
    assert.deepEqual(taken(10), ['api', 'web', 'muted']);
    due.reconsiderBelow(graph, 'db');
    assert.deepEqual(taken(10), ['db', 'api', 'web', 'muted']);
    assert.deepEqual(taken(10), []);
  });

  it('takes nothing for which more is gathered, unless it has waited for the peers', async () => {
    const { taken, channelQueues, served, due } = await sceneOf([
      { id: 'a', dueSecs: 10 },
      { id: 'b', dueSecs: 10, event: 'peer_down' },
      { id: 'c', dueSecs: 10, channel: 'sms' },
    ]);
    const queue = new ChannelQueue();
    channelQueues.set('ops', queue);
    queue.gather(new Map([['down', at(20)]]));
    assert.deepEqual(taken(19), ['b', 'c']);
    assert.deepEqual(taken(20), ['a', 'b', 'c']);
    served.add('a');
    assert.deepEqual(taken(19), ['a', 'b', 'c']);
    assert.equal(due.nextAt(at(19)), at(10));
  });

  it('looks at nothing while two thousand messages wait for their windows, whatever is written meanwhile', async () => {
    const many = Array.from({ length: 2000 }, (_, index) => ({ id: `m${index}`, dueSecs: 30 }));
    const { cache, taken, due, write } = await sceneOf(many);
    for (let change = 0; change < 100; change += 1) {
      write(putting({ id: `n${change}`, dueSecs: 30 + change }));
      due.reconsider('muted', 'same_cause');
      due.reconsiderBelow(graph, 'db');
      assert.deepEqual(taken(10), []);
      assert.equal(due.nextAt(at(10)), at(30));
    }
    assert.equal(cache.looks, 0);
    due.reconsider('muted');
    write(putting({ id: 'held', dueSecs: 99, held: 'muted' }));
    assert.deepEqual(taken(10), ['held']);
    assert.equal(cache.looks, 1);
  });
});

describe('the next turn', () => {
  it('is when the first is due, and never when nothing waits', async () => {
    const { due, write } = await sceneOf([
      { id: 'a', dueSecs: 20 },
      { id: 'b', dueSecs: 10 },
    ]);
    assert.equal(due.nextAt(at(0)), at(10));
    assert.equal(due.nextAt(at(15)), at(10));
    write(outbox.sent({ deliveryId: 'b', at: at(15) }));
    assert.equal(due.nextAt(at(15)), at(20));
    write(outbox.sent({ deliveryId: 'a', at: at(20) }));
    assert.equal(due.nextAt(at(20)), Infinity);
  });

  it('is none for what is on a busy channel, or waits for a check, and at its end for what is gathered', async () => {
    const { due, channelQueues, asking } = await sceneOf([
      { id: 'a', dueSecs: 10 },
      { id: 'b', dueSecs: 40 },
      { id: 'c', dueSecs: 50, channel: 'sms' },
    ]);
    const queue = new ChannelQueue();
    channelQueues.set('ops', queue);
    queue.gather(new Map([['down', at(20)]]));
    assert.equal(due.nextAt(at(10)), at(20));
    assert.equal(due.nextAt(at(20)), at(10));
    asking.add('a');
    assert.equal(due.nextAt(at(10)), at(40));
    queue.batch = busy;
    assert.equal(due.nextAt(at(10)), at(50));
    asking.add('c');
    assert.equal(due.nextAt(at(10)), Infinity);
  });
});

describe('the queue of a channel', () => {
  it('remembers the last groups for which more is gathered, and forgets those of long ago', () => {
    const queue = new ChannelQueue();
    for (let count = 0; count < 60; count += 1)
      queue.gather(new Map([[`group ${count}` as const, at(count + 1)]]));
    const known = Array.from({ length: 60 }, (_, count) => queue.gathersUntil(`group ${count}`, originAt));
    assert.deepEqual(
      known,
      Array.from({ length: 60 }, (_, count) => (count < 9 ? null : at(count + 1))),
    );
    assert.equal(queue.gathersUntil('group 59', at(60)), null);
    assert.equal(queue.gathersUntil(null, originAt), null);
  });

  it('remembers the last messages about many, but none that share a cause or went before', () => {
    const queue = new ChannelQueue();
    const note = (kind: GroupKind | null, secs: number, deliveries = 2) => {
      const [first, ...others] = Array.from({ length: deliveries }, () => ({}) as Ready);
      queue.noteSent({ kind, deliveries: [first ?? assert.fail(), ...others] }, at(secs));
    };
    for (let count = 0; count < 60; count += 1) note(`group ${count}`, count);
    note('unknown dns', 60);
    note('down', 61);
    note('recovered', 62, 1);
    note(null, 63);
    note('again down', 64);
    const kinds = Object.keys(queue.lastStorms);
    assert.equal(kinds.length, 51);
    assert.deepEqual([kinds[0], kinds.at(-2), kinds.at(-1)], ['group 10', 'group 59', 'down']);
    assert.equal(queue.lastStorms.down, at(61));
  });

  it('decides anew what is gathered when the clock is set, and was sent messages as long ago as before', () => {
    const queue = new ChannelQueue();
    queue.gather(new Map([['down', at(20)]]));
    queue.noteSent({ kind: 'down', deliveries: [{} as Ready, {} as Ready] }, at(5));
    queue.shift((instant) => instant + 1);
    assert.equal(queue.gathersUntil('down', originAt), null);
    assert.deepEqual(queue.lastStorms, { down: at(5) + 1 });
  });

  it('knows what is on its way and reports no fault', () => {
    const queue = new ChannelQueue();
    const delivery = (deliveryId: string, cause: string | null) => ({ row: { deliveryId }, cause });
    const deliveries = [delivery('a', null), delivery('b', 'db')];
    queue.batch = { channel: 'ops', deliveries } as never;
    assert.deepEqual(
      ['a', 'b', 'c'].map((id) => queue.isNotifyingAlone(id)),
      [true, false, false],
    );
    queue.batch = null;
    assert.equal(queue.batch, null);
    assert.equal(queue.isNotifyingAlone('a'), false);
  });
});

/** Something that may be written about what waits. */
function anyChange(random: Random, ids: string[], step: number): Operation {
  const id = random.pick(ids);
  const when = at(step);
  const payload = (reason: Hold['reason'] | null) => ({
    startedAt: originAt,
    confirmedAt: originAt,
    hold: reason === null ? null : { reason, by: null },
  });
  switch (random.below(12)) {
    case 0:
      return outbox.sent({ deliveryId: id, at: when });
    case 1:
      return outbox.drop({ deliveryId: id, at: when });
    case 2:
      return outbox.failed({ deliveryId: id, at: when, error: 'no', nextAt: at(random.below(90)) });
    case 3:
      return outbox.retry({ deliveryId: id, at: at(random.below(90)) });
    case 4:
      return channels.rename({ from: random.pick(['ops', 'sms']), to: random.pick(['ops', 'sms']) });
    case 5:
      return renameMonitor({ from: random.pick(ids), to: random.pick(ids) });
    case 6:
      return shiftClock({ byMs: 1000, sinceAt: originAt, at: when });
    case 7: {
      const [, ...delivery] = putting({ id: `alert${step}`, dueSecs: random.below(90), event: 'alert' });
      ids.push(`alert${step}`);
      const said = {
        severity: 'error',
        title: 'It broke.',
        message: null,
        tags: [],
        dedupKey: null,
      } as const;
      return raiseAlert({ monitor: 'a', at: when, ...said, windowSecs: 0, deliveries: [delivery] });
    }
    case 8:
      return incidents.close({ uid: `of-${id}`, endedAt: when });
    default: {
      const reason = random.below(2) === 0 ? null : random.pick(holdReasons);
      const nextAt = at(random.below(90));
      if (random.below(2) === 0)
        return outbox.replace({ deliveryId: id, event: 'down', payload: payload(reason), nextAt });
      ids.push(`${id}${step}`);
      const held = reason === null ? {} : { held: reason };
      return putting({ id: `${id}${step}`, dueSecs: random.below(90), ...held, monitor: 'a' });
    }
  }
}

describe('what waits, in memory', () => {
  const read = (cache: OutboxCache, ids: readonly string[]) => ({
    all: [...cache.all()].toSorted((a, b) => a.row.id - b.row.id),
    earliestAt: cache.earliestAt(),
    held: holdReasons.filter((reason) => cache.isAnyHeld(new Set([reason]))),
    there: ids.filter((id) => cache.has(id)),
    episodes: ids.map((id) => cache.ofIncident(`of-${id}`)),
  });

  it('is what the outbox holds, whatever was written', async () => {
    const random = randomOf(printedSeed());
    for (let run = 0; run < 5; run += 1) {
      const facts: Facts = await openFacts();
      const ids = ['a', 'b', 'c'];
      facts.apply(...ids.map((id) => putting({ id, dueSecs: 10 })));
      const cache = new OutboxCache(facts.sql);
      for (let step = 0; step < 60; step += 1) {
        const operation = anyChange(random, ids, step);
        facts.apply(operation);
        cache.note([operation]);
        const name = `${JSON.stringify(operation)} in step ${step}`;
        assert.deepEqual(read(cache, ids), read(new OutboxCache(facts.sql), ids), name);
      }
    }
  });

  it('says whether anything of it changed', async () => {
    const facts = await openFacts();
    facts.apply(putting({ id: 'a', dueSecs: 10 }));
    const cache = new OutboxCache(facts.sql);
    const [row] = [...cache.all()].map((pending) => pending.row);
    assert.ok(row !== undefined && cache.isCurrent(row));
    assert.equal(cache.note([incidents.close({ uid: 'of-a', endedAt: at(1) })]), false);
    assert.ok(cache.isCurrent(row));
    assert.equal(cache.note([shiftClock({ byMs: 0, sinceAt: originAt, at: at(1) })]), true);
    assert.equal(cache.isCurrent(row), false);
    assert.equal(cache.note([outbox.sent({ deliveryId: 'a', at: at(1) })]), true);
    assert.equal(cache.note([]), false);
  });
});
