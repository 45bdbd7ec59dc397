/** Rules 6, 7, 16 and 17: what a load of another configuration does to outages that last. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { planUpkeep } from '../../../src/db/tables/retention/plan.ts';
import { retentionOf } from '../../../src/db/tables/retention/retention.ts';
import { decisions } from '../../../src/db/tables/decisions.ts';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { outbox } from '../../../src/db/tables/outbox.ts';
import { declareIncident } from '../../../src/db/tables/recorded-incidents.ts';
import { silences } from '../../../src/db/tables/silences.ts';
import type { Config } from '../../../src/engine/config/config.ts';
import {
  incidentOperations,
  incidentUpdateOperations,
} from '../../../src/engine/monitoring/alert-operations.ts';
import { holdOf } from '../../../src/engine/alerting/events/stored.ts';
import { wordingOf } from '../../../src/notify/wording/words.ts';
import { casesOf, printedSeed, randomOf, type Random } from '../../support/random.ts';
import { load } from '../../support/config.ts';
import { openDisk, refused, taken, World, type Disk, type WorldOptions } from './world.ts';

const originAt = Date.UTC(2026, 0, 1);
const second = 1000;
const day = 86_400_000;
const windowSecs = 30;

interface Sketch {
  /** Channel names; `name@place` reaches another destination than its name. */
  readonly channels: readonly string[];
  /** Monitor ids; `id@target`, `id<upstream`, `id>channel+channel`, in this order. */
  readonly monitors: readonly string[];
  readonly extra?: string;
}

async function config({ channels, monitors, extra = '' }: Sketch): Promise<Config> {
  const parts = [
    `[alerts]\nunstable = false\ngroup_window_secs = ${windowSecs}\n${extra}`,
    ...channels.map((text) => {
      const [name = '', place = name] = text.split('@');
      const url = place === '' ? '' : `https://${place}.example.com/`;
      return `[[channels]]\nname = "${name}"\ntype = "webhook"\nurl = "${url}"`;
    }),
    ...monitors.map((text) => {
      const [rest = '', routes] = text.split('>');
      const [named = '', upstream] = rest.split('<');
      const [id = '', target = id] = named.split('@');
      return [
        `[[monitors]]\nid = "${id}"\ntarget = "http://${target}.example.com/"\nfail_threshold = 1`,
        'degraded_over_ms = 1000',
        ...(upstream === undefined ? [] : [`depends_on = ["${upstream}"]`]),
        ...(routes === undefined ? [] : [`notify = ${JSON.stringify(routes.split('+'))}`]),
      ].join('\n');
    }),
  ];
  return (await load(parts.join('\n'))).config;
}

async function worldOf(sketch: Sketch, how: Partial<WorldOptions> = {}): Promise<World> {
  return new World({ disk: await openDisk(), config: await config(sketch), startAt: originAt, ...how });
}

const at = (secs: number) => originAt + secs * second;

describe('a channel that is added', () => {
  it('is notified of what lasts, in one message of many, and of no dependent that is folded', async () => {
    const many = Array.from({ length: 8 }, (_, index) => `m${index}`);
    const monitors = [...many, 'db', 'web<db'];
    const world = await worldOf({ channels: ['ops'], monitors });
    for (const id of [...many, 'db', 'web']) await world.sample(id, 'down');
    await world.runTo(at(600));
    const before = world.notified.length;
    world.reload(await config({ channels: ['ops', 'pager'], monitors }));
    await world.runTo(at(700));
    const news = world.notified.slice(before);
    assert.deepEqual(
      news.map(({ channel, message }) => `${channel} ${message.event}`),
      ['pager down'],
    );
    const [only] = news;
    assert.ok(only?.message.event === 'down');
    assert.equal(only.message.impacted.length, 9);
    world.reload(await config({ channels: ['ops', 'pager'], monitors }));
    await world.runTo(at(800));
    assert.equal(world.notified.length, before + 1, 'a reload sends nothing again');
    await world.stop();
  });

  it('waits for the first window while that is open, and for the end of a silence', async () => {
    const world = await worldOf({ channels: ['ops'], monitors: ['a', 'b'] });
    await world.sample('a', 'down');
    await world.runTo(at(10));
    world.reload(await config({ channels: ['pager'], monitors: ['a', 'b'] }));
    await world.runTo(at(100));
    assert.deepEqual(world.lines(originAt), ['down a 30 pager']);
    world.apply(
      silences.add({ monitors: ['b'], untilAt: at(500), reason: null, createdAt: world.clock.now() }),
    );
    await world.sample('b', 'down');
    await world.runTo(at(200));
    world.reload(await config({ channels: ['pager', 'sms'], monitors: ['a', 'b'] }));
    await world.runTo(at(600));
    assert.deepEqual(world.lines(originAt).slice(1), [
      'down a 200 sms',
      'down b 500 pager',
      'down b 500 sms',
    ]);
    await world.stop();
  });

  it('is sent nothing that ended while the daemon was stopped, and what did not end', async () => {
    for (const truth of ['up', 'down'] as const) {
      const world = await worldOf({ channels: ['ops'], monitors: ['a'] }, { truth: () => truth });
      await world.sample('a', 'down');
      await world.runTo(at(60));
      world.restartWith(await config({ channels: ['ops', 'pager'], monitors: ['a'] }), 7_200_000);
      await world.runTo(at(7_500));
      const over = ['down a 30 ops', 'late recovered a 7260 pager', 'recovered a 7260 ops'];
      const lasts = ['down a 30 ops', 'down a 7260 pager'];
      assert.deepEqual(world.lines(originAt).toSorted(), truth === 'up' ? over : lasts);
      await world.stop();
    }
  });

  it('is notified of a degradation too, where those are sent', async () => {
    const extra = 'alert_on_degraded = true';
    const world = await worldOf({ channels: ['ops'], monitors: ['a'], extra });
    await world.sample('a', 'slow');
    await world.runTo(at(100));
    world.reload(await config({ channels: ['ops', 'sms'], monitors: ['a'], extra }));
    await world.runTo(at(200));
    await world.sample('a', 'up');
    await world.runTo(at(300));
    assert.deepEqual(world.lines(originAt).toSorted(), [
      'degraded a 100 sms',
      'degraded a 30 ops',
      'recovered a 200 ops',
      'recovered a 200 sms',
    ]);
    await world.stop();
  });
});

describe('a channel that a load takes out of a route', () => {
  const channels = ['ops', 'sms'];
  const both = { channels, monitors: ['a>ops+sms'] };
  const opsOnly = { channels, monitors: ['a>ops'] };

  it('is not sent the outage that waits in its window, nor its end, and the others are', async () => {
    const world = await worldOf(both);
    await world.sample('a', 'down');
    await world.runTo(at(10));
    world.reload(await config(opsOnly));
    await world.runTo(at(600));
    await world.sample('a', 'up');
    await world.runTo(at(900));
    assert.deepEqual(world.lines(originAt), ['down a 30 ops', 'recovered a 600 ops']);
    assert.equal(outbox.nextDueAt(world.sql), null);
    const log = decisions.ofMonitor(world.sql, 'a', { at: at(900), limit: 100 });
    assert.deepEqual(
      log.filter(({ channel }) => channel === 'sms').map(({ verdict, reason }) => `${verdict} ${reason}`),
      ['queued window', 'held not_routed', 'spared not_routed'],
    );
    assert.deepEqual(
      log.filter(({ reason }) => reason === 'not_routed').map(({ detail }) => detail),
      [
        'sms left the route of a, which leads to ops now (notify).',
        'sms had left the route before it was over, and was sent nothing of it.',
      ],
    );
    await world.stop();
  });

  it('is notified when a later load leads there again while the outage lasts, also over a restart', async () => {
    for (const isRestarted of [false, true]) {
      const world = await worldOf(both);
      await world.sample('a', 'down');
      await world.runTo(at(10));
      world.reload(await config(opsOnly));
      await world.runTo(at(600));
      const again = await config(both);
      if (isRestarted) world.restartWith(again);
      else world.reload(again);
      await world.runTo(at(900));
      await world.sample('a', 'up');
      await world.runTo(at(1000));
      assert.deepEqual(world.lines(originAt), [
        'down a 30 ops',
        'down a 600 sms',
        'recovered a 900 ops',
        'recovered a 900 sms',
      ]);
      await world.stop();
    }
  });

  it('has the recovery of what it was sent before', async () => {
    const world = await worldOf(both);
    await world.sample('a', 'down');
    await world.runTo(at(100));
    world.reload(await config(opsOnly));
    await world.runTo(at(600));
    await world.sample('a', 'up');
    await world.runTo(at(900));
    assert.deepEqual(world.lines(originAt), [
      'down a 30 ops',
      'down a 30 sms',
      'recovered a 600 ops',
      'recovered a 600 sms',
    ]);
    await world.stop();
  });

  it('is not sent late what it refused before, and is while it is routed', async () => {
    for (const isRouted of [false, true]) {
      let isRefusing = true;
      const answer = (_: unknown, channel: string) => (channel === 'sms' && isRefusing ? refused() : taken);
      const world = await worldOf(both, { answer });
      await world.sample('a', 'down');
      await world.runTo(at(40));
      await world.sample('a', 'up');
      await world.runTo(at(70));
      world.reload(await config(isRouted ? both : opsOnly));
      isRefusing = false;
      await world.runTo(at(3600));
      const late = isRouted ? ['late recovered a'] : [];
      assert.deepEqual(
        world.lines(originAt).flatMap((line) => /^(.*) \d+ sms$/.exec(line)?.[1] ?? []),
        late,
      );
      await world.stop();
    }
  });

  it('covers no dependent with what it is not sent', async () => {
    const world = await worldOf({ channels, monitors: ['a>ops+sms', 'b<a>ops+sms'] });
    await world.sample('a', 'down');
    await world.sample('b', 'down');
    await world.runTo(at(10));
    world.reload(await config({ channels, monitors: ['a>ops', 'b<a>ops+sms'] }));
    await world.runTo(at(100));
    assert.deepEqual(world.lines(originAt), ['down a 30 ops', 'down b 30 sms']);
    await world.sample('b', 'up');
    await world.sample('a', 'up');
    await world.runTo(at(200));
    assert.deepEqual(world.lines(originAt).slice(2), ['recovered b 100 sms', 'recovered a 100 ops']);
    await world.stop();
  });

  it('holds no step of an escalation up, which begins with the others', async () => {
    const extra = '[[escalations]]\nname = "late"\nsteps = [{ after_secs = 60, notify = ["boss"] }]';
    const escalated = async (routes: readonly string[]) => {
      const { monitors, ...rest } = await config({
        channels: [...channels, 'boss'],
        monitors: ['a>ops'],
        extra,
      });
      return {
        ...rest,
        monitors: monitors.map((monitor) => ({ ...monitor, notify: routes, escalation: 'late' })),
      };
    };
    for (const [routes, expected] of [
      [['sms'], ['down a 30 sms', 'down a 90 boss']],
      [[], ['down a 90 boss']],
    ] as const) {
      const world = new World({
        disk: await openDisk(),
        config: await escalated(['ops']),
        startAt: originAt,
      });
      await world.sample('a', 'down');
      await world.runTo(at(10));
      world.reload(await escalated(routes));
      await world.runTo(at(600));
      assert.deepEqual(world.lines(originAt), expected);
      await world.stop();
    }
  });

  it('gets no degradation that waits once alert_on_degraded is off, and gets it when it is on again', async () => {
    const on = { channels: ['ops'], monitors: ['a'], extra: 'alert_on_degraded = true' };
    const off = { channels: ['ops'], monitors: ['a'] };
    for (const isOnAgain of [false, true]) {
      const world = await worldOf(on);
      await world.sample('a', 'slow');
      await world.runTo(at(10));
      world.reload(await config(off));
      await world.runTo(at(100));
      if (isOnAgain) world.reload(await config(on));
      await world.runTo(at(200));
      await world.sample('a', 'up');
      await world.runTo(at(300));
      assert.deepEqual(world.lines(originAt), isOnAgain ? ['degraded a 100 ops', 'recovered a 200 ops'] : []);
      await world.sample('a', 'down');
      await world.runTo(at(400));
      assert.equal(world.lines(originAt).at(-1), 'down a 330 ops', 'and an outage is sent in any case');
      await world.stop();
    }
  });
});

describe('a load that cannot be written down', () => {
  it('keeps no alert back, and is tried again', async () => {
    let faults = 3;
    const world = await worldOf(
      { channels: ['ops'], monitors: ['a'] },
      {
        tamper: (operations) => {
          if (!operations.some(([name]) => name === 'channel.see') || faults === 0) return operations;
          faults -= 1;
          throw new Error('it does not fit');
        },
      },
    );
    await world.sample('a', 'down');
    await world.runTo(at(40));
    faults = 2;
    world.reload(await config({ channels: ['ops', 'pager'], monitors: ['a', 'b'] }));
    await world.sample('b', 'down');
    await world.runTo(at(400));
    assert.deepEqual(
      world.lines(originAt).filter((line) => line.endsWith('ops')),
      ['down a 30 ops', 'down b 70 ops'],
    );
    assert.equal(world.lines(originAt).filter((line) => line.endsWith('pager')).length, 2);
    assert.ok(world.log.some(({ level, event }) => level === 'error' && event === 'pipeline.failed'));
    await world.stop();
  });
});

describe('a channel that is gone', () => {
  it('gets what waits when it is back, if that is still true', async () => {
    const world = await worldOf({ channels: ['ops'], monitors: ['a', 'b'] });
    await world.sample('a', 'down');
    await world.sample('b', 'down');
    await world.runTo(at(10));
    world.reload(await config({ channels: ['ops@'], monitors: ['a', 'b'] }));
    await world.runTo(at(86_400));
    await world.sample('b', 'up');
    await world.runTo(at(90_000));
    assert.deepEqual(world.lines(originAt), []);
    world.reload(await config({ channels: ['ops'], monitors: ['a', 'b'] }));
    await world.runTo(at(90_010));
    assert.deepEqual(world.lines(originAt), ['down a 90000 ops']);
    await world.stop();
  });

  it('is in the log, with how many messages wait for it and why', async () => {
    for (const [channels, why] of [
      [['ops@'], 'disabled'],
      [[], 'not configured'],
    ] as const) {
      const world = await worldOf({ channels: ['ops', 'sms'], monitors: ['a', 'b'] });
      await world.sample('a', 'down');
      await world.sample('b', 'down');
      await world.runTo(at(10));
      world.reload(await config({ channels: [...channels, 'sms'], monitors: ['a', 'b'] }));
      await world.runTo(at(20));
      assert.deepEqual(
        world.log.map(({ event, message, fields }) => [event, message, fields]),
        [
          [
            'channel.unavailable',
            `channel ops is ${why}: 2 messages wait until it is back or the outage is over`,
            { channel: 'ops', messages: 2 },
          ],
        ],
      );
      await world.stop();
    }
  });

  it('gets what cannot be checked when it is back, if that lasts', async () => {
    for (const isOver of [false, true]) {
      const world = await worldOf({ channels: ['ops'], monitors: ['a'] });
      await world.sample('a', 'resolver');
      await world.runTo(at(10));
      world.reload(await config({ channels: [], monitors: ['a'] }));
      await world.runTo(at(86_400));
      if (isOver) await world.sample('a', 'up');
      await world.runTo(at(90_000));
      world.reload(await config({ channels: ['ops'], monitors: ['a'] }));
      await world.runTo(at(90_060));
      const events = world.notified.map(({ message }) => message.event);
      assert.deepEqual(events, isOver ? [] : ['unknown']);
      await world.stop();
    }
  });

  it('gets the pending recovery within 30 days, and not later', async () => {
    for (const days of [29, 31]) {
      const world = await worldOf({ channels: ['ops'], monitors: ['a'] });
      await world.sample('a', 'down');
      await world.runTo(at(60));
      world.reload(await config({ channels: [], monitors: ['a'] }));
      await world.sample('a', 'up');
      await world.runTo(at(120));
      world.restart(days * day);
      await world.settle();
      world.reload(await config({ channels: ['ops'], monitors: ['a'] }));
      await world.runTo(world.clock.now() + 60 * second);
      const lines = world.notified.map(({ message }) => message.event);
      assert.deepEqual(lines, days < 30 ? ['down', 'recovered'] : ['down']);
      const dropped = decisions.totals(world.sql).filter(({ reason }) => reason === 'channel_removed');
      assert.equal(dropped.length, days < 30 ? 0 : 1, 'giving it up is a decision');
      await world.stop();
    }
  });

  it('keeps its rows while it comes and goes, and an operator can still drop them', async () => {
    const world = await worldOf({ channels: ['ops'], monitors: ['a'] });
    await world.sample('a', 'down');
    world.restartWith(await config({ channels: [], monitors: ['a'] }));
    await world.runTo(at(100));
    const [row] = outbox.due(world.sql, Number.MAX_SAFE_INTEGER, 10);
    assert.ok(row !== undefined);
    assert.equal(holdOf(row.payload)?.reason, 'channel_unavailable');
    world.apply(outbox.drop({ deliveryId: row.deliveryId, at: world.clock.now() }));
    world.reload(await config({ channels: ['ops'], monitors: ['a'] }));
    await world.runTo(at(1000));
    assert.deepEqual(world.lines(originAt), []);
    await world.stop();
  });
});

describe('a channel that is renamed', () => {
  it('takes what is on its way with it, without a copy', async () => {
    let release = () => undefined as unknown;
    const held = new Promise<void>((resolve) => (release = resolve));
    const world = await worldOf(
      { channels: ['ops'], monitors: ['a'] },
      { canHang: true, answer: () => held.then(() => taken) },
    );
    await world.sample('a', 'down');
    await world.runTo(at(40));
    world.reload(await config({ channels: ['oncall@ops'], monitors: ['a'] }));
    await world.runTo(at(60));
    release();
    await world.runTo(at(100));
    await world.sample('a', 'up');
    await world.runTo(at(200));
    assert.deepEqual(
      world.notified.map(({ message }) => message.event),
      ['down', 'recovered'],
    );
    await world.stop();
  });

  it('is distinguished from another one that gets its old name', async () => {
    const world = await worldOf({ channels: ['ops'], monitors: ['a'] });
    await world.sample('a', 'down');
    await world.runTo(at(60));
    world.reload(await config({ channels: ['oncall@ops'], monitors: ['a'] }));
    await world.runTo(at(120));
    world.reload(await config({ channels: ['oncall@ops', 'ops@new'], monitors: ['a'] }));
    await world.runTo(at(180));
    await world.sample('a', 'up');
    await world.runTo(at(240));
    assert.deepEqual(world.lines(originAt).toSorted(), [
      'down a 120 ops',
      'down a 30 ops',
      'recovered a 180 oncall',
      'recovered a 180 ops',
    ]);
    await world.stop();
  });
});

describe('a channel that fails', () => {
  it('is said to fail by the name that it has when the others can be notified', async () => {
    const isUp = { second: false };
    const answer: NonNullable<WorldOptions['answer']> = (message, channel) =>
      channel === 'second' && (isUp.second || message.event !== 'channel_failing') ? taken : refused();
    const extra = 'channel_fail_threshold = 1';
    const world = await worldOf({ channels: ['bad', 'second'], monitors: ['api'], extra }, { answer });
    await world.sample('api', 'down');
    await world.runTo(at(60));
    world.reload(await config({ channels: ['good@bad', 'second'], monitors: ['api'], extra }));
    await world.runTo(at(70));
    isUp.second = true;
    await world.runTo(at(3600));
    const said = world.notified.flatMap(({ message }) =>
      message.event === 'channel_failing' ? [message.channel] : [],
    );
    assert.deepEqual(said, ['good']);
    await world.stop();
  });
});

describe('a channel that reaches another destination under its old name', () => {
  /** What was sent since, as `place event`, by the destination of the configuration of the moment. */
  const sentSince = (world: World, from: number, places: Readonly<Record<string, string>>) =>
    world.notified.slice(from).map(({ channel, message }) => `${places[channel] ?? ''} ${message.event}`);

  it('is notified once of what lasts, like a channel that knows nothing of it, and of the end', async () => {
    const world = await worldOf({
      channels: ['ops@old', 'chat'],
      monitors: ['api', 'slow'],
      extra: 'alert_on_degraded = true',
    });
    await world.sample('api', 'down');
    await world.sample('slow', 'slow');
    await world.runTo(at(100));
    const before = world.notified.length;
    const moved = await config({
      channels: ['ops@new', 'chat'],
      monitors: ['api', 'slow'],
      extra: 'alert_on_degraded = true',
    });
    world.reload(moved);
    await world.runTo(at(200));
    assert.deepEqual(sentSince(world, before, { ops: 'new', chat: 'chat' }).sort(), [
      'new degraded',
      'new down',
    ]);
    world.reload(moved);
    await world.runTo(at(300));
    assert.equal(world.notified.length, before + 2, 'a reload sends nothing again');
    await world.sample('api', 'up');
    await world.runTo(at(400));
    assert.deepEqual(sentSince(world, before + 2, { ops: 'new', chat: 'chat' }).sort(), [
      'chat recovered',
      'new recovered',
    ]);
    await world.stop();
  });

  it('gets what waited for it, and nothing twice', async () => {
    const world = await worldOf({ channels: ['ops@old'], monitors: ['api'] });
    await world.sample('api', 'down');
    await world.runTo(at(10));
    world.reload(await config({ channels: ['ops@new'], monitors: ['api'] }));
    await world.runTo(at(200));
    assert.deepEqual(sentSince(world, 0, { ops: 'new' }), ['new down']);
    await world.stop();
  });

  it('is recognised where two change places, so that nobody gets anything again', async () => {
    const world = await worldOf({ channels: ['a@x', 'b@y'], monitors: ['api', 'web>a'] });
    await world.sample('api', 'down');
    await world.sample('web', 'down');
    await world.runTo(at(100));
    const before = world.notified.length;
    world.reload(await config({ channels: ['a@y', 'b@x'], monitors: ['api', 'web>b'] }));
    await world.runTo(at(200));
    assert.equal(world.notified.length, before);
    await world.sample('web', 'up');
    await world.runTo(at(300));
    assert.deepEqual(sentSince(world, before, { a: 'y', b: 'x' }), ['x recovered']);
    await world.stop();
  });

  it('is another one where its old destination has a new name', async () => {
    const world = await worldOf({ channels: ['a@x'], monitors: ['api'] });
    await world.sample('api', 'down');
    await world.runTo(at(100));
    const before = world.notified.length;
    world.reload(await config({ channels: ['a@y', 'b@x'], monitors: ['api'] }));
    await world.runTo(at(200));
    assert.deepEqual(sentSince(world, before, { a: 'y', b: 'x' }), ['y down']);
    await world.sample('api', 'up');
    await world.runTo(at(300));
    assert.deepEqual(sentSince(world, before + 1, { a: 'y', b: 'x' }).sort(), ['x recovered', 'y recovered']);
    await world.stop();
  });
});

describe('what a channel was sent before its destination was changed', () => {
  const own = { channels: ['ops@x', 'chat'], monitors: ['api>ops'] };
  const without = { channels: ['chat'], monitors: ['api>chat'] };
  const other = { channels: ['ops@y', 'chat'], monitors: ['api>ops'] };
  const both = { channels: ['ops@y', 'old@x', 'chat'], monitors: ['api>ops'] };

  /**
   * Api is down from the beginning and up after 300 s, while one configuration follows the other, one each 100 s: what
   * all but chat is sent.
   */
  async function lived(sketches: readonly Sketch[], how: Partial<WorldOptions> = {}, isKilled = false) {
    const [first = own, ...later] = sketches;
    const world = await worldOf(first, how);
    await world.sample('api', 'down');
    for (const [index, sketch] of later.entries()) {
      await world.runTo(at(100 * (index + 1)));
      if (index === 2) await world.sample('api', 'up');
      if (isKilled) world.restartWith(await config(sketch));
      else world.reload(await config(sketch));
    }
    await world.runTo(at(100 * (later.length + 1)));
    const lines = world.lines(originAt).filter((line) => !line.endsWith(' chat'));
    await world.stop();
    return lines;
  }

  for (const isKilled of [false, true]) {
    const start = isKilled ? ', after a start' : '';
    it(`is not ended for the new destination, which was never sent it, also when it is back${start}`, async () => {
      const lines = await lived([own, without, without, without, other, other], {}, isKilled);
      assert.deepEqual(lines, ['down api 30 ops']);
    });

    it(`is ended for the old one, when that is back under its name or another one${start}`, async () => {
      const sketches = [own, without, without, without];
      assert.deepEqual(await lived([...sketches, own], {}, isKilled), [
        'down api 30 ops',
        'recovered api 400 ops',
      ]);
      assert.deepEqual(await lived([...sketches, other, both], {}, isKilled), [
        'down api 30 ops',
        'recovered api 500 old',
      ]);
      assert.deepEqual(await lived([...sketches, other, own], {}, isKilled), [
        'down api 30 ops',
        'recovered api 500 ops',
      ]);
    });
  }

  it('is not ended for the new one that alerts are not routed to, and is for one that was alerted itself', async () => {
    const unrouted = { ...other, monitors: ['api>chat'] };
    assert.deepEqual(await lived([own, unrouted, unrouted, unrouted]), ['down api 30 ops']);
    assert.deepEqual(await lived([own, other, other, other]), [
      'down api 30 ops',
      'down api 100 ops',
      'recovered api 300 ops',
    ]);
    assert.deepEqual(await lived([own, unrouted, unrouted, unrouted, { ...both, monitors: ['api>chat'] }]), [
      'down api 30 ops',
      'recovered api 400 old',
    ]);
  });

  it('while it was on its way is known to the old one alone, and the new one is alerted', async () => {
    for (const isBack of [false, true]) {
      let release = () => undefined as unknown;
      const held = new Promise<void>((resolve) => (release = resolve));
      let attempts = 0;
      const answer = () => {
        attempts += 1;
        return attempts === 1 ? held.then(() => taken) : taken;
      };
      const world = await worldOf(own, { canHang: true, answer });
      await world.sample('api', 'down');
      await world.runTo(at(40));
      world.reload(await config({ ...other, monitors: [isBack ? 'api>ops' : 'api>chat'] }));
      await world.runTo(at(60));
      await world.sample('api', 'up');
      release();
      await world.runTo(at(100));
      if (isBack) world.reload(await config(both));
      await world.runTo(at(200));
      assert.deepEqual(
        world.lines(originAt).toSorted(),
        isBack
          ? ['down api 40 ops', 'down api 60 ops', 'recovered api 100 old', 'recovered api 60 ops']
          : ['down api 40 chat', 'down api 60 ops', 'recovered api 60 chat'],
      );
      await world.stop();
    }
  });

  it('is all that is kept from the new one: what could not be sent goes to it, once, and late when it is over', async () => {
    let isRefusing = true;
    const answer = (_: unknown, channel: string) => (isRefusing && channel === 'ops' ? refused() : taken);
    for (const isOver of [false, true]) {
      isRefusing = true;
      const world = await worldOf(own, { answer });
      await world.sample('api', 'down');
      const alert = {
        kind: 'producer_alert',
        uid: 'a',
        severity: 'error',
        title: 'a',
        tags: {},
        at: at(0),
        hold: null,
      };
      world.apply(
        outbox.put({
          deliveryId: 'alert.a.x',
          channel: 'ops',
          event: 'alert',
          monitor: 'api',
          incident: null,
          payload: alert,
          createdAt: at(0),
          nextAt: at(0),
        }),
      );
      await world.runTo(at(100));
      if (isOver) await world.sample('api', 'up');
      await world.runTo(at(200));
      isRefusing = false;
      world.reload(await config(other));
      await world.runTo(at(300));
      world.reload(await config(other));
      await world.runTo(at(4000));
      const about = isOver ? 'late recovered api 200 ops' : 'down api 200 ops';
      const lines = world.lines(originAt).filter((line) => line.endsWith(' ops'));
      assert.deepEqual(lines.toSorted(), ['alert api 200 ops', about].toSorted());
      await world.stop();
    }
  });
});

describe('an incident of an operator that a channel was sent before its destination was changed', () => {
  const said = (update: string, state: 'investigating' | 'resolved', secs: number) => {
    const about = {
      number: 7,
      title: 'Payments fail',
      impact: 'major',
      message: null,
      monitors: [],
    } as const;
    return { ...about, uid: 'a1b2', update, state, startedAt: originAt, at: at(secs) };
  };

  /** What is sent from the change on, and what when more is said of it: `ops state secs`. */
  async function lived(isOver: boolean) {
    const world = await worldOf({ channels: ['ops@x', 'chat'], monitors: [] });
    const { title, impact } = said('u1', 'investigating', 0);
    world.apply(
      declareIncident({ id: 7, uid: 'a1b2', title, impact, monitors: [], at: at(0) }),
      ...incidentOperations(said('u1', 'investigating', 0), ['ops']),
    );
    await world.runTo(at(100));
    if (isOver) world.apply(incidents.close({ uid: 'a1b2', endedAt: at(100) }));
    for (const secs of [200, 300]) {
      await world.runTo(at(secs));
      world.reload(await config({ channels: ['ops@y', 'chat'], monitors: [] }));
    }
    await world.runTo(at(400));
    const known = outbox.channelsOfOpened(world.sql, 'a1b2');
    if (!isOver) world.apply(...incidentUpdateOperations(said('u2', 'resolved', 400), known));
    await world.runTo(at(500));
    const lines = world.notified.map(({ message, channel, at: sentAt }) =>
      message.event === 'incident'
        ? `${channel} ${message.state} ${(sentAt - originAt) / second}`
        : message.event,
    );
    await world.stop();
    return lines;
  }

  it('is sent to the new one once while it lasts, and so is what is said of it later', async () => {
    assert.deepEqual(await lived(false), [
      'ops investigating 0',
      'ops investigating 200',
      'ops resolved 400',
    ]);
  });

  it('is not sent to the new one when it is over', async () => {
    assert.deepEqual(await lived(true), ['ops investigating 0']);
  });
});

describe('a channel that takes over the name of one that is gone', () => {
  const before = { channels: ['ops@x', 'night@y'], monitors: ['api>ops', 'web>night', 'both>ops+night'] };
  const after = { channels: ['ops@y'], monitors: ['api>ops', 'web>ops', 'both>ops'] };
  const monitors = ['api', 'web', 'both'];

  /** What is sent once `sketches` were loaded, one after the other, while everything is down, and what when it is up. */
  async function sentAfter(first: Sketch, sketches: readonly Sketch[], isKilled = false) {
    const world = await worldOf(first);
    for (const id of monitors) await world.sample(id, 'down');
    await world.runTo(at(100));
    const known = world.notified.length;
    for (const [index, sketch] of sketches.entries()) {
      if (isKilled) world.restartWith(await config(sketch));
      else world.reload(await config(sketch));
      await world.runTo(at(200 + 100 * index));
      for (const id of monitors) await world.sample(id, 'down');
      await world.runTo(at(250 + 100 * index));
    }
    const since = (from: number) =>
      world.notified
        .slice(from)
        .flatMap(({ channel, message }) =>
          message.event === 'down' || message.event === 'recovered'
            ? [message.monitor, ...message.impacted].map(({ id }) => `${channel} ${message.event} ${id}`)
            : [],
        )
        .toSorted();
    const downs = since(known);
    const sent = world.notified.length;
    for (const id of monitors) await world.sample(id, 'up');
    await world.runTo(at(1000));
    const ups = since(sent);
    await world.stop();
    return { downs, ups };
  }

  for (const isKilled of [false, true])
    it(`is sent what only that one was sent, and nothing twice${isKilled ? ', after a start' : ''}`, async () => {
      const { downs, ups } = await sentAfter(before, [after, after], isKilled);
      assert.deepEqual(downs, ['ops down api']);
      assert.deepEqual(ups, ['ops recovered api', 'ops recovered both', 'ops recovered web']);
    });

  it('is sent nothing for that one, which is recognised when it is back', async () => {
    const back = {
      ...after,
      channels: ['ops@y', 'old@x'],
      monitors: ['api>ops+old', 'web>ops', 'both>ops+old'],
    };
    const { downs, ups } = await sentAfter(before, [after, back]);
    assert.deepEqual(downs, ['ops down api']);
    assert.deepEqual(ups, [
      'old recovered api',
      'old recovered both',
      'ops recovered api',
      'ops recovered both',
      'ops recovered web',
    ]);
  });

  it('is recognised by its destination where that was called so before', async () => {
    const away = { channels: ['night@x'], monitors: ['api>night', 'web>night', 'both>night'] };
    const own = { channels: ['ops@x'], monitors: ['api>ops', 'web>ops', 'both>ops'] };
    assert.deepEqual((await sentAfter(own, [away, own])).downs, []);
    const none = { channels: [], monitors: ['api', 'web', 'both'] };
    assert.deepEqual((await sentAfter(own, [none, own])).downs, []);
  });

  it('is sent what that one was sent before it went, where it is new itself', async () => {
    const own = { channels: ['ops@x', 'chat'], monitors };
    const without = { channels: ['chat'], monitors };
    const other = { channels: ['ops@y', 'chat'], monitors };
    const { downs, ups } = await sentAfter(own, [without, other]);
    assert.deepEqual(downs, ['ops down api', 'ops down both', 'ops down web']);
    assert.equal(ups.filter((up) => up.startsWith('ops')).length, 3);
  });
});

describe('a monitor', () => {
  it('that is renamed keeps its place in the graph, its silence and its degradation', async () => {
    const extra = 'alert_on_degraded = true';
    const world = await worldOf({ channels: ['ops'], monitors: ['db', 'web<db', 'c', 'd'], extra });
    world.apply(silences.add({ monitors: ['c'], untilAt: at(900), reason: null, createdAt: originAt }));
    await world.sample('db', 'down');
    await world.sample('web', 'down');
    await world.sample('c', 'down');
    await world.sample('d', 'slow');
    await world.runTo(at(100));
    const monitors = ['sql@db', 'shop@web<sql', 'cron@c', 'disk@d'];
    world.reload(await config({ channels: ['ops'], monitors, extra }));
    await world.runTo(at(500));
    assert.deepEqual(world.lines(originAt), ['down db 30 ops', 'degraded d 30 ops']);
    const [open] = incidents.list(world.sql, { limit: 1, monitors: ['sql'] }).incidents;
    assert.deepEqual(open?.impacted, ['shop']);
    for (const id of ['disk', 'cron', 'shop', 'sql']) await world.sample(id, 'up');
    await world.runTo(at(1000));
    assert.deepEqual(world.lines(originAt).slice(2), ['recovered disk 500 ops', 'recovered sql 500 ops']);
    await world.stop();
  });

  it('that is removed ends its outage and its degradation on the channels that were alerted alone', async () => {
    const extra = 'alert_on_degraded = true';
    const world = await worldOf({ channels: ['ops', 'sms'], monitors: ['a>ops', 'b>sms', 'c'], extra });
    await world.sample('a', 'down');
    await world.sample('b', 'slow');
    await world.runTo(at(50));
    await world.sample('c', 'down');
    await world.runTo(at(60));
    world.reload(await config({ channels: ['ops', 'sms'], monitors: [], extra }));
    await world.runTo(at(200));
    // Two channels: which of them is first is no promise.
    assert.deepEqual(world.lines(originAt).toSorted(), [
      'degraded b 30 sms',
      'down a 30 ops',
      'recovered a 60 ops',
      'recovered b 60 sms',
    ]);
    const removed = world.notified.map(({ message }) => message.event === 'recovered' && message.isRemoved);
    assert.deepEqual(removed, [false, false, true, true]);
    await world.stop();
  });

  it('that is removed while its recovery waits is not called up, as nobody checks it any more', async () => {
    const night = async (...monitors: readonly string[]) =>
      (
        await load(
          [
            '[alerts]\ngroup_window_secs = 30',
            '[[channels]]\nname = "ops"\ntype = "webhook"\nurl = "https://ops.example.com/"',
            'quiet_hours = "00:01-00:10"',
            ...monitors.map(
              (id) => `[[monitors]]\nid = "${id}"\ntarget = "http://${id}.example.com/"\nfail_threshold = 1`,
            ),
          ].join('\n'),
        )
      ).config;
    const world = new World({ disk: await openDisk(), config: await night('a', 'b'), startAt: originAt });
    for (const id of ['a', 'b']) await world.sample(id, 'down');
    await world.runTo(at(120));
    for (const id of ['a', 'b']) await world.sample(id, 'up');
    await world.runTo(at(200));
    world.reload(await night('b'));
    await world.runTo(at(700));
    const said = world.notified.flatMap(({ message }) =>
      message.event === 'recovered' ? [[message.monitor.id, wordingOf(message).title, message.isGone]] : [],
    );
    assert.deepEqual(said, [
      ['a', 'a was up again after 2m, and is no longer monitored', true],
      ['b', 'b is up again after 2m', undefined],
    ]);
    await world.stop();
  });

  it('that only the message about its upstream named is not called up by the recovery of that upstream', async () => {
    const monitors = ['web', 'api<web', 'db'];
    const world = await worldOf({ channels: ['ops'], monitors });
    await world.sample('web', 'down');
    await world.sample('api', 'down');
    await world.runTo(at(60));
    assert.deepEqual(namedIn(world), [['down', 'web', 'api']]);
    world.reload(await config({ channels: ['ops'], monitors: ['web', 'db'] }));
    await world.runTo(at(100));
    world.reload(await config({ channels: ['ops'], monitors }));
    await world.runTo(at(200));
    await world.sample('web', 'up');
    await world.runTo(at(300));
    assert.deepEqual(namedIn(world).slice(1), [
      ['removed', 'api'],
      ['recovered', 'web'],
    ]);
    // And what fails after it is back has an alert of its own.
    await world.sample('api', 'down');
    await world.runTo(at(400));
    assert.deepEqual(namedIn(world).slice(3), [['down', 'api']]);
    await world.stop();
  });

  it('that failed after the message about its upstream left has a message and an end of its own', async () => {
    const monitors = ['web', 'api<web', 'db'];
    const world = await worldOf({ channels: ['ops'], monitors });
    await world.sample('web', 'down');
    await world.runTo(at(60));
    await world.sample('api', 'down');
    await world.runTo(at(90));
    world.reload(await config({ channels: ['ops'], monitors: ['web', 'db'] }));
    world.reload(await config({ channels: ['ops'], monitors }));
    await world.runTo(at(200));
    await world.sample('web', 'up');
    await world.runTo(at(300));
    assert.deepEqual(namedIn(world), [
      ['down', 'web'],
      ['down', 'api'],
      ['removed', 'api'],
      ['recovered', 'web'],
    ]);
    await world.stop();
  });

  it('that comes back is not called up with its upstream before it was checked', async () => {
    const monitors = ['web', 'api<web', 'db'];
    /** Web is down and sent, api is down and up again behind it, is left out and comes back. */
    const lived = async (lastCheck: 'up' | null) => {
      const world = await worldOf({ channels: ['ops'], monitors });
      await world.sample('web', 'down');
      await world.runTo(at(60));
      await world.sample('api', 'down');
      await world.runTo(at(90));
      await world.sample('api', 'up');
      await world.runTo(at(120));
      world.reload(await config({ channels: ['ops'], monitors: ['web', 'db'] }));
      world.reload(await config({ channels: ['ops'], monitors }));
      if (lastCheck !== null) await world.sample('api', lastCheck);
      await world.runTo(at(200));
      await world.sample('web', 'up');
      await world.runTo(at(300));
      const messages = namedIn(world);
      await world.stop();
      return messages;
    };
    const own = [
      ['down', 'web'],
      ['down', 'api'],
      ['recovered', 'api'],
      ['recovered', 'web'],
    ];
    assert.deepEqual(await lived(null), own);
    assert.deepEqual(await lived('up'), own);
  });
});

/** The messages about monitors, as their event and everything that they name. */
function namedIn(world: World): string[][] {
  return world.notified.flatMap(({ message }) => {
    if (message.event !== 'down' && message.event !== 'recovered') return [];
    const event = message.event === 'recovered' && message.isRemoved ? 'removed' : message.event;
    return [[event, message.monitor.id, ...message.impacted.map(({ id }) => id)]];
  });
}

/** As the daemon does in the background, all at once. */
function tidy(world: World): void {
  world.saveStates();
  const retentionStep = retentionOf(90, new Map());
  for (let round = 0; round < 1000; round += 1) {
    const steps = planUpkeep(world.sql, world.clock.now(), { retention: retentionStep, limit: 40 });
    if (steps.length === 0) return;
    world.apply(...steps);
  }
  assert.fail('upkeep never ends');
}

describe('an outage of more than a month', () => {
  it('keeps its messages and its decisions, and has its recovery', async () => {
    const extra = 'alert_on_degraded = true';
    const world = await worldOf({ channels: ['ops', 'sms'], monitors: ['a>ops', 'b>sms', 'c>ops'], extra });
    await world.sample('a', 'down');
    await world.sample('b', 'slow');
    await world.sample('c', 'down');
    await world.runTo(at(60));
    await world.sample('c', 'up');
    for (let months = 0; months < 13; months += 1) {
      await world.runTo(world.clock.now() + 60 * second);
      world.restart(31 * day);
      tidy(world);
    }
    const [open] = incidents.listOpen(world.sql);
    assert.ok(open !== undefined);
    assert.ok(decisions.ofIncident(world.sql, open.uid).some(({ verdict }) => verdict === 'told'));
    const events = () => world.notified.map(({ message }) => message.event);
    assert.deepEqual(events().toSorted(), ['degraded', 'down', 'down', 'recovered']);
    await world.sample('a', 'up');
    await world.sample('b', 'up');
    await world.runTo(world.clock.now() + 60 * second);
    assert.deepEqual(events().slice(4), ['recovered', 'recovered']);
    tidy(world);
    assert.notEqual(outbox.ofIncident(world.sql, open.uid).length, 0, 'kept for a while after its end');
    world.restart(31 * day);
    tidy(world);
    assert.deepEqual(outbox.ofIncident(world.sql, open.uid), []);
    await world.stop();
  });
});

describe('an outage whose messages are not in the outbox any more', () => {
  for (const [seen, event] of [
    ['down', 'down'],
    ['resolver', 'unknown'],
  ] as const)
    it(`is not sent again as ${event} to who was notified, by the log of decisions, and is to all others`, async () => {
      const disk = await openDisk();
      const world: World = new World({
        disk,
        config: await config({ channels: ['ops', 'sms'], monitors: ['api'] }),
        startAt: originAt,
        truth: () => seen,
        // What was tried in vain, or is about to be, notified nobody.
        answer: (_, channel) => (channel === 'sms' && world.clock.now() < at(61) ? refused() : taken),
      });
      await world.sample('api', seen);
      await world.runTo(at(60));
      assert.deepEqual(world.lines(originAt), [`${event} api 30 ops`]);
      disk.facts.sql.run('DELETE FROM outbox');
      world.restartWith(await config({ channels: ['ops', 'sms', 'pager'], monitors: ['api'] }), second);
      await world.sample('api', seen);
      await world.runTo(at(400));
      assert.deepEqual(
        world.notified.map(({ channel, message }) => `${channel} ${message.event}`),
        [`ops ${event}`, `sms ${event}`, `pager ${event}`],
      );
      await world.stop();
    });
});

describe('a channel that takes nothing for days', () => {
  it('gets the recovery and the critical alert when it takes them, and no other alert of days ago', async () => {
    let isBroken = false;
    const world = await worldOf(
      { channels: ['ops'], monitors: ['a'] },
      { answer: () => (isBroken ? refused() : taken) },
    );
    await world.sample('a', 'down');
    await world.runTo(at(60));
    isBroken = true;
    await world.sample('a', 'up');
    const alert = (uid: string, severity: string) =>
      outbox.put({
        deliveryId: `alert.${uid}`,
        channel: 'ops',
        event: 'alert',
        monitor: 'a',
        incident: null,
        payload: {
          kind: 'producer_alert',
          uid,
          severity,
          title: uid,
          tags: {},
          at: world.clock.now(),
          hold: null,
        },
        createdAt: world.clock.now(),
        nextAt: world.clock.now(),
      });
    world.apply(alert('critical', 'critical'), alert('error', 'error'));
    await world.runTo(originAt + 2 * day);
    assert.equal(world.notified.length, 1);
    isBroken = false;
    await world.runTo(originAt + 2 * day + 3_600_000);
    assert.deepEqual(
      world.notified
        .map(({ message }) => (message.event === 'alert' ? message.title : message.event))
        .toSorted(),
      ['critical', 'down', 'recovered'],
    );
    await world.stop();
  });
});

/** The destinations of the random histories, and the names they go by in one configuration. */
interface Layout {
  readonly names: ReadonlyMap<string, string>;
  readonly ids: ReadonlyMap<string, string>;
}

const destinations = ['x', 'y', 'z'];
const targets = ['p', 'q', 'r'];
const histories = casesOf(40, 150);

/** Another name for one of them now and then, and one of them missing now and then. */
function changed(layout: Layout, random: Random, count: number): Layout {
  const change = (before: ReadonlyMap<string, string>, all: readonly string[]) => {
    const after = new Map(before);
    const one = random.pick(all);
    const kind = random.below(3);
    if (!after.has(one) || kind === 0) after.set(one, `${one}${count}`);
    else if (kind === 1 && after.size > 1) after.delete(one);
    return after;
  };
  /** Two destinations have each other's name. */
  const exchange = (before: ReadonlyMap<string, string>) => {
    const after = new Map(before);
    const [one, other] = [random.pick([...before.keys()]), random.pick([...before.keys()])];
    after.set(one, before.get(other) ?? other).set(other, before.get(one) ?? one);
    return after;
  };
  switch (random.below(5)) {
    case 0:
      return { ...layout, names: exchange(layout.names) };
    case 1:
    case 2:
      return { ...layout, names: change(layout.names, destinations) };
    default:
      return { ...layout, ids: change(layout.ids, targets) };
  }
}

const configOf = ({ names, ids }: Layout): Promise<Config> =>
  config({
    channels: [...names].map(([place, name]) => `${name}@${place}`),
    monitors: [...ids].map(([target, id]) => `${id}@${target}`),
  });

/**
 * Outages of several minutes under loads of ever other configurations. Who is where is followed by target and
 * destination, as the people who are alerted do.
 */
async function live(disk: Disk, random: Random, isForgetful: boolean): Promise<string[]> {
  let layout: Layout = {
    names: new Map(destinations.map((place) => [place, place])),
    ids: new Map(targets.map((target) => [target, target])),
  };
  const places = new Map(destinations.map((place) => [place, place]));
  const owners = new Map(targets.map((target) => [target, target]));
  const isDown = new Map<string, boolean>();
  const balance = new Map<string, number>();
  const wrong: string[] = [];
  const world = new World({
    disk,
    config: await configOf(layout),
    startAt: originAt,
    truth: (id) => (isDown.get(owners.get(id) ?? '') === true ? 'down' : 'up'),
    answer: (message, channel) => {
      if (message.event !== 'down' && message.event !== 'recovered') return taken;
      const place = places.get(channel) ?? channel;
      if (message.event === 'recovered' && message.isLate) return taken;
      const { id } = message.monitor;
      const key = `${owners.get(id) ?? id} at ${place}`;
      const count = (balance.get(key) ?? 0) + (message.event === 'down' ? 1 : -1);
      balance.set(key, count);
      if (count < 0 || count > 1) wrong.push(`${key}: ${message.event} makes ${count}`);
      return taken;
    },
  });
  let loads = 0;
  for (let step = 0; step < 40; step += 1) {
    await world.runTo(originAt + step * 60 * second);
    const target = random.pick(targets);
    if (random.below(2) === 0) isDown.set(target, isDown.get(target) !== true);
    for (const [each, id] of layout.ids) await world.sample(id, isDown.get(each) === true ? 'down' : 'up');
    if (random.below(2) === 0) continue;
    loads += 1;
    layout = changed(layout, random, loads);
    for (const [place, name] of layout.names) places.set(name, place);
    for (const [each, id] of layout.ids) owners.set(id, each);
    if (isForgetful) world.sql.run('DELETE FROM outbox');
    if (random.below(3) === 0) world.restartWith(await configOf(layout), random.below(20) * second);
    else world.reload(await configOf(layout));
  }
  await world.runTo(world.clock.now() + 120 * second);
  // In the end everything is there, and what is down is known everywhere.
  layout = {
    names: new Map(destinations.map((place) => [place, layout.names.get(place) ?? `${place}-end`])),
    ids: new Map(targets.map((target) => [target, layout.ids.get(target) ?? `${target}-end`])),
  };
  for (const [place, name] of layout.names) places.set(name, place);
  for (const [each, id] of layout.ids) owners.set(id, each);
  world.reload(await configOf(layout));
  for (const [each, id] of layout.ids) await world.sample(id, isDown.get(each) === true ? 'down' : 'up');
  await world.runTo(world.clock.now() + 120 * second);
  for (const target of targets)
    for (const place of destinations) {
      const expected = isDown.get(target) === true ? 1 : 0;
      const found = balance.get(`${target} at ${place}`) ?? 0;
      if (found !== expected) wrong.push(`${target} at ${place}: ${found}, not ${expected} in the end`);
    }
  await world.stop();
  return wrong;
}

describe('random loads during random outages', () => {
  it('leave every destination with one alert an outage that lasts, and a message that ends each', async () => {
    const random = randomOf(printedSeed());
    const disk = await openDisk();
    const wrong: string[] = [];
    for (let run = 0; run < histories; run += 1) wrong.push(...(await live(disk, random, false)));
    assert.deepEqual(wrong, []);
  });

  it('would be found out by an outbox that a load empties', async () => {
    const random = randomOf(printedSeed());
    const disk = await openDisk();
    const wrong: string[] = [];
    for (let run = 0; run < 10 && wrong.length === 0; run += 1)
      wrong.push(...(await live(disk, random, true)));
    assert.notDeepEqual(wrong, []);
  });
});
