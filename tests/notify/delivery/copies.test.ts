/** Rule 8: a receiver that answers too late gets four copies at most, and a recovery. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { decisions } from '../../../src/db/tables/decisions.ts';
import { outbox } from '../../../src/db/tables/outbox.ts';
import { createDeliver } from '../../../src/notify/channels/deliver.ts';
import type { Delivered } from '../../../src/notify/channels/channel.ts';
import type { Message } from '../../../src/engine/alerting/events/catalogue.ts';
import { fieldsOf } from '../../../src/engine/alerting/events/stored.ts';
import { body } from '../../../src/notify/wording/text.ts';
import { wordingOf } from '../../../src/notify/wording/words.ts';
import { load } from '../../support/config.ts';
import { startHttp } from '../../support/http-target.ts';
import { realClock } from '../../support/real-clock.ts';
import { startVendors } from '../../support/vendor-world.ts';
import {
  openDisk,
  refused,
  sketch,
  taken,
  unanswered,
  World,
  type MonitorSketch,
  type Seen,
} from './world.ts';

const originAt = Date.UTC(2026, 0, 1);
const windowSecs = 30;

interface Attempt {
  readonly secs: number;
  readonly message: Message;
}

interface Story {
  readonly monitors: readonly MonitorSketch[];
  readonly steps: readonly (readonly [secs: number, monitor: string, seen: Seen])[];
  /** What each attempt meets; what comes after is taken. */
  readonly meets: (attempt: Attempt, count: number) => Promise<Delivered> | Delivered;
  readonly restartsAt?: number;
}

async function play({ monitors, steps, meets, restartsAt }: Story) {
  const attempts: Attempt[] = [];
  const config = await sketch({ monitors, channels: ['ops'], windowSecs });
  const world: World = new World({
    disk: await openDisk(),
    config,
    startAt: originAt,
    answer: (message) => {
      const attempt = { secs: (world.clock.now() - originAt) / 1000, message };
      attempts.push(attempt);
      return meets(attempt, attempts.length);
    },
  });
  if (restartsAt !== undefined) {
    for (const [secs, id, seen] of steps.filter(([secs]) => secs <= restartsAt)) {
      await world.runTo(originAt + secs * 1000);
      await world.sample(id, seen);
    }
    await world.runTo(originAt + restartsAt * 1000);
    world.restart();
  }
  for (const [secs, id, seen] of steps.filter(([secs]) => secs > (restartsAt ?? -1))) {
    await world.runTo(originAt + secs * 1000);
    await world.sample(id, seen);
  }
  await world.runTo(originAt + 7_200_000);
  await world.stop();
  assert.equal(outbox.nextDueAt(world.sql), null);
  return { attempts, world };
}

const one = { id: 'api', failThreshold: 1 };
const isDown = ({ message }: Attempt) => message.event === 'down';
const timesOf = (attempts: readonly Attempt[]) =>
  attempts.map(({ secs, message }) => `${message.event} ${secs}`);

describe('a down whose request went out whole without an answer', () => {
  it('is copied after 30, 60 and 120 s, four in all, and its recovery is sent', async () => {
    const { attempts, world } = await play({
      monitors: [one],
      steps: [
        [0, 'api', 'down'],
        [3000, 'api', 'up'],
      ],
      meets: (attempt) => (isDown(attempt) ? unanswered : taken),
    });
    assert.deepEqual(timesOf(attempts), ['down 30', 'down 60', 'down 120', 'down 240', 'recovered 3000']);
    const downs = attempts.filter(isDown).map(({ message }) => message);
    assert.equal(new Set(downs.map(({ deliveryId }) => deliveryId)).size, 1);
    assert.deepEqual(
      downs.map(({ repeat }) => repeat),
      [undefined, 1, 2, 3],
    );
    const [first, second] = downs.map((message) => body(wordingOf(message)).join('\n'));
    assert.doesNotMatch(first ?? '', /may be a repeat/);
    assert.match(second ?? '', /may be a repeat/);
    const log = decisions.ofMonitor(world.sql, 'api', { at: world.clock.now(), limit: 100 });
    assert.equal(log.filter(({ reason }) => reason === 'no_answer').length, 4);
    assert.ok(log.every(({ reason }) => reason !== 'never_told' && reason !== 'given_up'));
  });

  for (const [leftMs, copyAt] of [
    [0, 45],
    [15_000, 45],
    [15_001, 45.001],
    [29_000, 59],
  ] as const)
    it(`is copied as soon as its channel takes another message, ${leftMs} ms later at the soonest`, async () => {
      const { attempts } = await play({
        monitors: [one, { id: 'web', failThreshold: 1 }],
        steps: [
          [0, 'api', 'down'],
          [15, 'web', 'down'],
          [3000, 'api', 'up'],
          [3000, 'web', 'up'],
        ],
        meets: (_, count) => (count === 1 ? ({ ...unanswered, leftMs } as Delivered) : taken),
      });
      assert.deepEqual(timesOf(attempts.filter(isDown)), ['down 30', 'down 45', `down ${copyAt}`]);
      assert.equal(attempts.filter(isDown)[2]?.message.deliveryId, attempts[0]?.message.deliveryId);
    });

  it('is not called a failing channel before the last of its copies', async () => {
    const config = await sketch({ monitors: [one], channels: ['ops', 'sms'], windowSecs });
    const world: World = new World({
      disk: await openDisk(),
      config,
      startAt: originAt,
      answer: (_, channel) => (channel === 'ops' ? unanswered : taken),
    });
    await world.sample('api', 'down');
    const failing = () =>
      world.notified.flatMap(({ message }) =>
        message.event === 'channel_failing' ? message.consecutiveFailures : [],
      );
    await world.runTo(originAt + 239_000);
    assert.deepEqual(failing(), []);
    await world.runTo(originAt + 241_000);
    assert.deepEqual(failing(), [4]);
    await world.stop();
  });

  it('is not copied once it is taken', async () => {
    const { attempts } = await play({
      monitors: [one],
      steps: [
        [0, 'api', 'down'],
        [3000, 'api', 'up'],
      ],
      meets: (_, count) => (count === 1 ? unanswered : taken),
    });
    assert.deepEqual(timesOf(attempts), ['down 30', 'down 60', 'recovered 3000']);
  });

  it('is not copied when the outage is over: its recovery goes at once, not a late message', async () => {
    const { attempts } = await play({
      monitors: [one],
      steps: [
        [0, 'api', 'down'],
        [40, 'api', 'up'],
      ],
      meets: (attempt) => (isDown(attempt) ? unanswered : taken),
    });
    assert.deepEqual(timesOf(attempts), ['down 30', 'recovered 40']);
    const last = attempts.at(-1)?.message;
    assert.ok(last?.event === 'recovered' && !last.isLate && last.repeat === undefined);
  });

  it('is ended though the outage ended in the middle of the attempt', async () => {
    const config = await sketch({ monitors: [one], channels: ['ops'], windowSecs });
    const heard: string[] = [];
    const world: World = new World({
      disk: await openDisk(),
      config,
      startAt: originAt,
      canHang: true,
      answer: async ({ event }) => {
        heard.push(event);
        if (event !== 'down') return taken;
        await world.clock.sleep(15_000);
        return unanswered;
      },
    });
    await world.sample('api', 'down');
    await world.runTo(originAt + 35_000);
    await world.sample('api', 'up');
    await world.runTo(originAt + 3_600_000);
    assert.deepEqual(heard, ['down', 'recovered']);
    assert.equal(outbox.nextDueAt(world.sql), null);
    await world.stop();
  });

  it('counts its copies over a restart', async () => {
    const { attempts } = await play({
      monitors: [one],
      steps: [
        [0, 'api', 'down'],
        [3000, 'api', 'up'],
      ],
      restartsAt: 130,
      meets: (attempt) => (isDown(attempt) ? unanswered : taken),
    });
    assert.deepEqual(timesOf(attempts), ['down 30', 'down 60', 'down 120', 'down 240', 'recovered 3000']);
  });

  it('may have been received also when the next attempt is refused: it has a recovery, and no late message', async () => {
    const { attempts } = await play({
      monitors: [one],
      steps: [
        [0, 'api', 'down'],
        [100, 'api', 'up'],
      ],
      meets: (attempt, count) => (count === 1 ? unanswered : isDown(attempt) ? refused() : taken),
    });
    assert.deepEqual(timesOf(attempts), ['down 30', 'down 60', 'recovered 100']);
    const [, copy, last] = attempts;
    assert.equal(copy?.message.repeat, 1);
    assert.ok(last?.message.event === 'recovered' && !last.message.isLate);
  });

  it('is called from then on, which is what an escalation counts from', async () => {
    for (const [answer, calledAt] of [
      [unanswered, originAt + 30_000],
      [refused(), originAt + 30_000],
    ] as const) {
      const config = await sketch({ monitors: [one], channels: ['ops'], windowSecs });
      const world = new World({ disk: await openDisk(), config, startAt: originAt, answer: () => answer });
      await world.sample('api', 'down');
      await world.runTo(originAt + 100_000);
      const [row] = outbox.due(world.sql, Number.MAX_SAFE_INTEGER, 10);
      assert.equal(fieldsOf(row?.payload ?? null)['calledAt'], calledAt);
      await world.stop();
    }
  });

  it('is tried as always after an answer that refuses it: nothing of that is a copy', async () => {
    const { attempts } = await play({
      monitors: [one],
      steps: [
        [0, 'api', 'down'],
        [7000, 'api', 'up'],
      ],
      meets: (attempt) => (isDown(attempt) && attempt.secs < 3000 ? refused() : taken),
    });
    assert.ok(attempts.filter(isDown).length > 5);
    assert.deepEqual(timesOf(attempts).at(-1), 'recovered 7000');
  });

  it('is copied as the message about many that it was, and what fails meanwhile has another', async () => {
    const eight = Array.from({ length: 8 }, (_, index) => ({ id: `m${index}`, failThreshold: 1 }));
    const { attempts } = await play({
      monitors: [...eight, one],
      steps: [
        ...eight.map(({ id }) => [0, id, 'down'] as const),
        [20, 'api', 'down'],
        // The message about api is taken after 50 s, and the copy follows it at once.
        [45, 'm0', 'up'],
        ...[...eight, one].map(({ id }) => [500, id, 'up'] as const),
      ],
      meets: (_, count) => (count === 1 ? unanswered : taken),
    });
    const [first, ...others] = attempts.map(({ message }) => message);
    assert.ok(first?.event === 'down' && first.impacted.length === 7);
    const copy = others.find(({ repeat }) => repeat === 1);
    assert.ok(copy?.event === 'down');
    assert.equal(copy.deliveryId, first.deliveryId);
    assert.equal(copy.grouping.groupId, first.grouping.groupId ?? first.deliveryId);
    assert.deepEqual(
      [copy.monitor, ...copy.impacted].map(({ id }) => id).sort(),
      eight.slice(1).map(({ id }) => id),
    );
    const ended = others.flatMap((message) =>
      message.event === 'recovered' ? [message.monitor, ...message.impacted].map(({ id }) => id) : [],
    );
    assert.deepEqual(ended.sort(), ['api', ...eight.map(({ id }) => id)]);
  });

  it('keeps its group in a copy that names it alone, for its dependent is up again', async () => {
    const { attempts } = await play({
      monitors: [one, { id: 'web', dependsOn: ['api'], failThreshold: 1 }],
      steps: [
        [0, 'api', 'down'],
        [2, 'web', 'down'],
        [40, 'web', 'up'],
        [500, 'api', 'up'],
      ],
      meets: (_, count) => (count === 1 ? unanswered : taken),
    });
    const named = attempts.map(({ message }) =>
      message.event === 'down' || message.event === 'recovered'
        ? [message.event, message.monitor.id, ...message.impacted.map(({ id }) => id)].join(' ')
        : message.event,
    );
    const groups = attempts.map(({ message }) => 'grouping' in message && message.grouping.groupId);
    assert.deepEqual(named, ['down api web', 'down api', 'recovered api web']);
    assert.equal(typeof groups[0], 'string');
    assert.equal(new Set(groups).size, 1);
  });
});

describe('a recovery whose request went out whole without an answer', () => {
  it('is copied four times at most', async () => {
    const { attempts } = await play({
      monitors: [one],
      steps: [
        [0, 'api', 'down'],
        [100, 'api', 'up'],
      ],
      meets: (attempt) => (isDown(attempt) ? taken : unanswered),
    });
    assert.deepEqual(timesOf(attempts), [
      'down 30',
      'recovered 100',
      'recovered 130',
      'recovered 190',
      'recovered 310',
    ]);
  });

  it('is copied four times at most if it says that checks are possible again; an outage after it is sent', async () => {
    const { attempts } = await play({
      monitors: [one],
      steps: [
        [0, 'api', 'resolver'],
        [100, 'api', 'up'],
        [3000, 'api', 'down'],
        [3100, 'api', 'up'],
      ],
      meets: ({ message }) =>
        message.event === 'recovered' && message.from === 'unknown' ? unanswered : taken,
    });
    assert.deepEqual(timesOf(attempts), [
      'unknown 30',
      ...[110, 140, 200, 320].map((secs) => `recovered ${secs}`),
      'down 3030',
      'recovered 3100',
    ]);
    assert.deepEqual(
      attempts.slice(1, 5).map(({ message }) => message.repeat),
      [undefined, 1, 2, 3],
    );
  });

  it('is not copied while its monitor is down again: that is sent at once, and the copy when it is up', async () => {
    const { attempts } = await play({
      monitors: [one],
      steps: [
        [0, 'api', 'down'],
        [100, 'api', 'up'],
        [105, 'api', 'down'],
        [500, 'api', 'up'],
      ],
      meets: ({ secs, message }) => (message.event === 'recovered' && secs < 400 ? unanswered : taken),
    });
    assert.deepEqual(timesOf(attempts).slice(0, 3), ['down 30', 'recovered 100', 'down 135']);
    assert.deepEqual(timesOf(attempts).slice(3), ['recovered 500', 'recovered 500']);
    const [, first, , ...last] = attempts.map(({ message }) => message.deliveryId);
    assert.ok(first !== undefined && last.includes(first), 'the copy is kept');
    assert.equal(new Set(last).size, 2, 'and the second outage has its own recovery');
  });

  it('leaves monitors that are down again out of a copy', async () => {
    const { attempts } = await play({
      monitors: [one, { id: 'web', failThreshold: 1, dependsOn: ['api'] }],
      steps: [
        [0, 'api', 'down'],
        [1, 'web', 'down'],
        [99, 'web', 'up'],
        [100, 'api', 'up'],
        [110, 'web', 'down'],
        [500, 'web', 'up'],
      ],
      meets: ({ secs, message }) => (message.event === 'recovered' && secs < 120 ? unanswered : taken),
    });
    const named = attempts.map(({ secs, message }) =>
      'impacted' in message && 'monitor' in message
        ? `${message.event} ${secs} ${[message.monitor, ...message.impacted].map(({ id }) => id).join(' ')}`
        : message.event,
    );
    assert.deepEqual(named, [
      'down 30 api web',
      'recovered 100 api web',
      'recovered 130 api',
      'down 140 web',
      'recovered 500 web',
    ]);
  });
});

const bodies: Record<string, unknown>[] = [];
const receiver = await startHttp((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    bodies.push(JSON.parse(Buffer.concat(chunks).toString('utf8')) as Record<string, unknown>);
    setTimeout(() => response.end(), 1500).unref();
  });
});
const vendors = await startVendors();

describe('a webhook that answers after its deadline', () => {
  after(() => Promise.all([receiver.close(), vendors.close()]));

  it('gets four copies of one delivery, each of which says that it may be a repeat but the first', async () => {
    const { signal } = new AbortController();
    const table = `name = "slow"\ntype = "webhook"\nurl = "${receiver.origin}"\ntimeout_secs = 1`;
    const { config } = await load(`[[channels]]\n${table}`);
    const slow = config.channels[0] ?? assert.fail();
    const deliver = createDeliver({ ...vendors.options, clock: realClock });
    const { attempts } = await play({
      monitors: [one],
      steps: [[0, 'api', 'down']],
      meets: ({ message }) => deliver(message, slow, signal),
    });
    assert.equal(attempts.length, 4);
    assert.deepEqual(
      bodies.map(({ event, repeat }) => [event, repeat]),
      [
        ['down', undefined],
        ['down', 1],
        ['down', 2],
        ['down', 3],
      ],
    );
    assert.equal(new Set(bodies.map(({ delivery_id }) => delivery_id)).size, 1);
  });
});
