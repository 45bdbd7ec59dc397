/** On each channel outages and their ends go first, then everything else by severity; many producer alerts are one message. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decisions } from '../../../src/db/tables/decisions.ts';
import { outbox } from '../../../src/db/tables/outbox.ts';
import { producerAlerts } from '../../../src/db/tables/producer-alerts.ts';
import type { Severity } from '../../../src/engine/core/alert-names.ts';
import type { Message } from '../../../src/engine/alerting/events/catalogue.ts';
import { mostAlertsInOne } from '../../../src/engine/alerting/events/producer-alert.ts';
import { fieldsOf } from '../../../src/engine/alerting/events/stored.ts';
import { inOrder } from '../../../src/notify/delivery/order.ts';
import type { PendingDelivery } from '../../../src/notify/delivery/outbox-cache.ts';
import { printedSeed, randomOf } from '../../support/random.ts';
import { openDisk, refused, sketch, taken, unanswered, World, type WorldOptions } from './world.ts';

const originAt = Date.UTC(2026, 0, 1);
const second = 1000;

function waiting(event: string, more: Partial<PendingDelivery['row']> = {}): PendingDelivery {
  const row = {
    id: 1,
    deliveryId: event,
    channel: 'ops',
    event,
    monitor: 'api',
    nextAt: 0,
    payload: {},
    ...more,
  };
  return { row: row as PendingDelivery['row'], outage: null, hold: null };
}

describe('the order of what waits on a channel', () => {
  const critical = new Map([['db', { critical: true }]]) as never;
  const order = (all: readonly PendingDelivery[]) =>
    inOrder(all, { monitors: critical }).map(({ row }) => row.deliveryId);

  it('is outages and their ends, critical monitors first, then the rest by severity, then by age', () => {
    const alert = (severity: Severity, deliveryId: string, nextAt = 0) =>
      waiting('alert', { deliveryId, payload: { severity }, nextAt });
    const all = [
      waiting('digest'),
      alert('info', 'info'),
      alert('warning', 'late warning', 9),
      alert('warning', 'warning', 8),
      alert('critical', 'critical'),
      alert('error', 'error'),
      waiting('degraded', { nextAt: 5 }),
      waiting('recovered', { deliveryId: 'fast again', payload: { from: 'degraded' }, nextAt: 6 }),
      waiting('down', { nextAt: 5 }),
      waiting('recovered', { nextAt: 4, payload: { from: 'down' } }),
      waiting('down', { monitor: 'db', deliveryId: 'db down', nextAt: 7 }),
      waiting('recovered', { monitor: 'db', deliveryId: 'db up', nextAt: 8, payload: { from: 'down' } }),
      waiting('unknown', { nextAt: 3 }),
      waiting('reminder', { nextAt: 6 }),
      waiting('peer_recovered', { nextAt: 7, monitor: 'oslo' }),
      waiting('node_blind', { nextAt: 1, monitor: null }),
      waiting('of another version', { nextAt: 1 }),
    ];
    const expected = [
      ...['db down', 'db up'],
      ...['node_blind', 'unknown', 'recovered', 'down', 'reminder', 'peer_recovered'],
      ...['degraded', 'fast again'],
      ...['critical', 'error', 'warning', 'late warning'],
      ...['digest', 'info', 'of another version'],
    ];
    assert.deepEqual(order(all), expected);
  });

  it('does not hang on the order in which they are found, and keeps all of them', () => {
    const random = randomOf(printedSeed());
    const events = ['down', 'recovered', 'alert', 'degraded', 'test', 'peer_down'];
    const all = Array.from({ length: 200 }, (_, id) =>
      waiting(events[random.below(events.length)] ?? 'down', {
        id,
        deliveryId: `${id}`,
        nextAt: random.below(5),
        payload: { severity: 'error', from: 'down' },
      }),
    );
    const shuffled = all.map((each) => ({ each, at: random.below(1000) })).sort((a, b) => a.at - b.at);
    assert.deepEqual(order(shuffled.map(({ each }) => each)), order(all));
    assert.equal(new Set(order(all)).size, 200);
  });
});

interface Play extends Partial<WorldOptions> {
  readonly windowSecs?: number;
  readonly extra?: string;
}

async function worldOf({ windowSecs = 30, extra = '', ...options }: Play = {}) {
  const monitors = [{ id: 'api', failThreshold: 1 }];
  const config = await sketch({ monitors, channels: ['ops'], windowSecs, extra });
  return new World({ disk: await openDisk(), config, startAt: originAt, ...options });
}

/** A producer raises alerts, all in one moment. */
function raise(world: World, count: number, severityOf: (index: number) => Severity = () => 'info'): void {
  const at = world.clock.now();
  world.apply(
    ...Array.from({ length: count }, (_, index) => {
      const [severity, title] = [severityOf(index), `a${index + 1}`];
      const payload = { uid: title, at, severity, title, message: null, tags: {}, dedupKey: `key ${title}` };
      return producerAlerts.raise({
        ...{ monitor: 'api', at, severity, title, message: null, tags: {}, dedupKey: null, windowSecs: 0 },
        deliveries: [
          {
            ...{ deliveryId: `alert.${at}.${title}.ops`, channel: 'ops', event: 'alert', monitor: 'api' },
            ...{ incident: null, payload, createdAt: at, nextAt: at },
          },
        ],
      });
    }),
  );
}

const titlesOf = (message: Message) =>
  message.event === 'alert' ? (message.together ?? [message]).map(({ title }) => title) : [message.event];

describe('hundreds of producer alerts on a slow channel', () => {
  for (const windowSecs of [30, 0])
    it(`delay an outage by the attempt under way alone, with a window of ${windowSecs} s`, async () => {
      let isEnough = false;
      const world: World = await worldOf({
        windowSecs,
        canHang: true,
        answer: async () => {
          if (!isEnough) await world.clock.sleep(1000);
          return taken;
        },
      });
      for (let secs = 0; secs < 40; secs += 1) {
        await world.runTo(originAt + secs * second + 500);
        raise(world, 10);
      }
      await world.sample('api', 'down');
      const dueAt = originAt + (39 + windowSecs) * second + 500;
      await world.runTo(dueAt + 5 * second);
      const down = world.notified.find(({ message }) => message.event === 'down') ?? assert.fail('not sent');
      // The attempt under way takes a second at most, and that of the outage itself one.
      assert.ok(down.at - dueAt <= 2000, `${down.at - dueAt} ms`);
      isEnough = true;
      await world.runTo(dueAt + 7 * second);
      await world.stop();
    });
});

describe('producer alerts that come together', () => {
  it('are one message when they are more than five, as severe as the most severe, and each is recorded', async () => {
    const world = await worldOf();
    await world.settle();
    raise(world, 122, (index) => (index === 100 ? 'error' : 'info'));
    await world.settle();
    const [only, ...more] = world.notified.map(({ message }) => message);
    assert.ok(only?.event === 'alert');
    assert.equal(more.length, 0);
    assert.equal(only.severity, 'error');
    assert.equal(only.together?.length, 122);
    assert.deepEqual(titlesOf(only).slice(0, 3), ['a101', 'a1', 'a2']);
    assert.equal(only.together[1]?.dedupKey, 'key a1');
    assert.equal(only.together[1].deliveryId, `alert.${originAt}.a1.ops`);
    const log = decisions.ofMonitor(world.sql, 'api', { at: world.clock.now(), limit: 500 });
    const told = log.filter(({ verdict }) => verdict === 'told');
    assert.equal(told.length, 122);
    assert.ok(told.every(({ detail }) => detail === 'It was sent to ops in one message about 122 alerts.'));
    assert.equal(outbox.nextDueAt(world.sql), null);
    await world.stop();
  });

  it('are sent one by one up to five, and always where a window of 0 gathers nothing', async () => {
    for (const [count, windowSecs] of [
      [5, 30],
      [7, 0],
    ] as const) {
      const world = await worldOf({ windowSecs });
      raise(world, count);
      await world.settle();
      const titles = world.notified.map(({ message }) => titlesOf(message));
      assert.deepEqual(
        titles,
        Array.from({ length: count }, (_, index) => [`a${index + 1}`]),
      );
      await world.stop();
    }
  });

  it('go again as they were, under one id, after a crash between sending and recording, and with others after a refusal', async () => {
    const seen: { readonly id: string; readonly titles: readonly string[] }[] = [];
    let answer = taken;
    let crashesAt = 1;
    const world: World = await worldOf({
      answer: (message) => {
        seen.push({ id: message.deliveryId, titles: titlesOf(message) });
        return answer;
      },
      isCrashPoint: () => seen.length === crashesAt && world.crashes === 0,
    });
    raise(world, 8);
    await world.settle();
    assert.equal(world.crashes, 1);
    assert.deepEqual(seen[1], seen[0]);
    crashesAt = -1;
    answer = refused();
    await world.runTo(originAt + second);
    raise(world, 6);
    await world.settle();
    answer = taken;
    await world.runTo(originAt + 31 * second - 1);
    raise(world, 1);
    await world.runTo(originAt + 40 * second);
    const sixth = seen.at(-1) ?? assert.fail();
    assert.equal(sixth.titles.length, 6);
    assert.equal(outbox.nextDueAt(world.sql), null);
    await world.stop();
  });

  it('are copied as they were when nothing was answered, whatever came meanwhile', async () => {
    const seen: Message[] = [];
    const world: World = await worldOf({
      answer: (message) => {
        seen.push(message);
        return seen.length === 1 ? unanswered : taken;
      },
    });
    raise(world, 8);
    await world.runTo(originAt + 29_500);
    raise(world, 9);
    await world.runTo(originAt + 60 * second);
    assert.deepEqual(
      seen.map((message) => [titlesOf(message).length, message.repeat ?? 0]),
      [
        [8, 0],
        [9, 0],
        [8, 1],
      ],
    );
    assert.equal(seen[2]?.deliveryId, seen[0]?.deliveryId);
    await world.stop();
  });

  it('are held by quiet hours each by its severity, and gathered at their end', async () => {
    const quiet = `quiet_hours = "00:00-06:00"`;
    const monitors = [{ id: 'api' }];
    const base = await sketch({
      monitors,
      channels: [],
      extra: `[[channels]]\nname = "ops"\ntype = "webhook"\nurl = "https://ops.example.com/"\n${quiet}`,
    });
    const world = new World({ disk: await openDisk(), config: base, startAt: originAt + 3_600_000 });
    raise(world, 9, (index) => (index === 4 ? 'critical' : 'info'));
    await world.settle();
    assert.deepEqual(
      world.notified.map(({ message }) => titlesOf(message)),
      [['a5']],
    );
    await world.runTo(originAt + 7 * 3_600_000);
    assert.deepEqual(
      world.notified.map(({ message }) => titlesOf(message).length),
      [1, 8],
    );
    await world.stop();
  });
});

describe('four thousand waiting alerts', () => {
  it('are sent in messages of a bounded size', async () => {
    const world: World = await worldOf();
    await world.settle();
    raise(world, 4000);
    await world.settle();
    const sizes = world.notified.map(({ message }) => titlesOf(message).length);
    assert.equal(sizes.length, 4000 / mostAlertsInOne);
    assert.ok(sizes.every((size) => size === mostAlertsInOne));
    const left = outbox.due(world.sql, Number.MAX_SAFE_INTEGER, 10);
    assert.deepEqual(
      left.map(({ payload }) => fieldsOf(payload)),
      [],
    );
    await world.stop();
  });
});
