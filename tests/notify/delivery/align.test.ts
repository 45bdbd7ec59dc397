/** What a load of a configuration writes and says: which channels there are, who is alerted and reminded besides. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { channels } from '../../../src/db/tables/channels.ts';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { outbox } from '../../../src/db/tables/outbox.ts';
import type { SqlReader } from '../../../src/db/store/sql.ts';
import type { Config } from '../../../src/engine/config/config.ts';
import { Yielder } from '../../../src/engine/core/yielding.ts';
import { deliverySettings } from '../../../src/notify/delivery/context.ts';
import { OpenRoutes } from '../../../src/notify/delivery/open-routes.ts';
import { OutboxCache } from '../../../src/notify/delivery/outbox-cache.ts';
import { alignAllReminders, alignChannels } from '../../../src/notify/delivery/take-up-config.ts';
import { load } from '../../support/config.ts';
import { openFacts } from '../../support/facts.ts';
import { openDisk, refused, taken, unanswered, World, type WorldOptions } from './world.ts';

const originAt = Date.UTC(2026, 0, 1);
const at = (secs: number) => originAt + secs * 1000;
const disk = await openDisk();

interface Sketch {
  /** Names; `name@place` reaches another destination than its name, `name@` is disabled. */
  readonly ways: readonly string[];
  /** Names of those that are reminded every ten minutes. */
  readonly reminded?: readonly string[];
  readonly more?: string;
}

async function configOf({ ways, reminded = [], more = '' }: Sketch): Promise<Config> {
  const channelText = (text: string) => {
    const [name = '', place = name] = text.split('@');
    const url = place === '' ? '' : `https://${place}.example.com/`;
    const repeat = reminded.includes(name) ? 'repeat_every_secs = 600' : '';
    return `[[channels]]\nname = "${name}"\ntype = "webhook"\nurl = "${url}"\n${repeat}`;
  };
  return (
    await load(
      [
        '[alerts]\nfail_threshold = 1\ngroup_window_secs = 30\nchannel_fail_threshold = 100',
        ...ways.map(channelText),
        more,
        '[[monitors]]\nid = "api"\ntarget = "http://127.0.0.1/"',
        '[[monitors]]\nid = "db"\ntarget = "http://127.0.0.1/db"',
      ].join('\n'),
    )
  ).config;
}

async function worldOf(sketch: Sketch, how: Partial<WorldOptions> = {}): Promise<World> {
  return new World({ disk, config: await configOf(sketch), startAt: originAt, truth: () => 'down', ...how });
}

const said = (world: World, event: string) => world.log.filter((entry) => entry.event === event);

describe('the list of channels', () => {
  /** Loads one configuration after the other; what the last one writes, and which channels are known then. */
  async function loaded(...loads: readonly (readonly string[])[]) {
    const facts = await openFacts();
    let last: ReturnType<typeof alignChannels> = {
      operations: [],
      renames: [],
      setAside: new Set(),
      readdressed: new Set(),
    };
    for (const [index, ways] of loads.entries()) {
      last = alignChannels(facts.sql, await configOf({ ways }), at(index));
      facts.apply(...last.operations);
    }
    return {
      written: last.operations.map(([name, channel]) => `${name} ${channel as string}`),
      renames: last.renames.map(({ from, to }) => `${from} ${to}`),
      known: channels.known(facts.sql).map(({ name, removedAt }) => [name, removedAt]),
    };
  }

  it('is that of the configuration, and nothing is written for what is recorded already', async () => {
    const first = await loaded(['ops', 'sms']);
    assert.deepEqual(first.written.slice(-2), ['channel.see ops', 'channel.see sms']);
    assert.deepEqual((await loaded(['ops', 'sms'], ['ops', 'sms'])).written, []);
    assert.deepEqual((await loaded(['ops', 'sms'], ['ops', 'sms', 'pager'])).written, ['channel.see pager']);
    assert.deepEqual((await loaded(['ops', 'sms'], ['ops', 'sms@new'])).written, [
      'channel.rename sms',
      'channel.remove sms (removed)',
      'channel.see sms',
    ]);
  });

  it('remembers what is no longer configured, once, and what is only disabled as it is', async () => {
    const gone = await loaded(['ops', 'sms'], ['sms']);
    assert.deepEqual(gone.written, ['channel.remove ops']);
    assert.deepEqual(new Map(gone.known as [string, number | null][]).get('ops'), at(1));
    assert.deepEqual((await loaded(['ops', 'sms'], ['sms'], ['sms'])).written, []);
    assert.deepEqual((await loaded(['ops', 'sms'], ['ops@', 'sms'])).written, []);
    assert.deepEqual((await loaded(['ops', 'sms'], ['sms'], ['ops', 'sms'])).written, ['channel.see ops']);
  });

  it('recognises a channel by its destination, at once or when it comes back', async () => {
    const renamed = await loaded(['ops', 'sms'], ['oncall@ops', 'sms']);
    assert.deepEqual(renamed.renames, ['ops oncall']);
    assert.deepEqual(renamed.written, ['channel.rename ops', 'channel.see oncall']);
    const later = await loaded(['ops', 'sms'], ['sms'], ['oncall@ops', 'sms']);
    assert.deepEqual(later.renames, ['ops oncall']);
    assert.deepEqual((await loaded(['ops', 'sms'], ['ops', 'sms', 'oncall@ops'])).renames, []);
    // A name may be that of another channel of before, which is gone, reaches somebody else, or has its name in turn.
    const taken = await loaded(['ops', 'sms'], ['ops@sms']);
    assert.deepEqual(taken.renames, ['sms ops', 'ops ops (removed)']);
    assert.deepEqual(taken.written, [
      'channel.rename ops',
      'channel.rename sms',
      'channel.remove ops (removed)',
      'channel.see ops',
    ]);
    const takenAgain = await loaded(['ops', 'sms'], ['ops@sms'], ['ops@sms', 'sms@x'], ['ops@x']);
    assert.deepEqual(takenAgain.renames, ['sms ops', 'ops ops (2, removed)']);
    const swapped = await loaded(['ops', 'sms'], ['ops@sms', 'sms@ops']);
    assert.deepEqual(swapped.renames, ['ops sms', 'sms ops']);
    assert.deepEqual(
      swapped.written.filter((written) => written.startsWith('channel.rename')),
      ['channel.rename ops', 'channel.rename sms', 'channel.rename ops (renamed)'],
    );
    assert.deepEqual((await loaded(['ops', 'sms'], ['ops@', 'sms@ops'])).renames, ['sms sms (removed)']);
    // It takes a name that was another one's, which is gone.
    const again = await loaded(['ops', 'sms'], ['sms'], ['ops@sms']);
    assert.deepEqual(again.renames, ['sms ops', 'ops ops (removed)']);
    const own = await loaded(['ops'], ['night@ops'], ['ops']);
    assert.deepEqual(own.renames, ['night ops']);
  });
});

describe('a load of a configuration', () => {
  it('says which name is that of another channel now, whose messages are kept apart', async () => {
    const world = await worldOf({ ways: ['ops', 'night'] });
    world.reload(await configOf({ ways: ['ops@night'] }));
    await world.runTo(at(10));
    assert.deepEqual(
      [...said(world, 'channel.replaced'), ...said(world, 'channel.renamed')].map(({ message }) => message),
      [
        'another channel is called ops now: the messages of the previous one are kept as ops (removed)',
        'channel night was renamed to ops: its messages and its health are kept',
      ],
    );
    await world.stop();
  });

  it('says which channel reaches another destination, and what becomes of what the one before was sent', async () => {
    const world = await worldOf({ ways: ['ops'] });
    world.reload(await configOf({ ways: ['ops@new'] }));
    await world.runTo(at(10));
    assert.deepEqual(
      world.log.map(({ message }) => message),
      [
        'channel ops reaches another destination now: the messages of the previous one are kept as ops (removed)',
      ],
    );
    await world.stop();
  });

  it('says which channel has another name, and who is alerted besides', async () => {
    const world = await worldOf({ ways: ['ops'] });
    await world.sample('api', 'down');
    await world.runTo(at(60));
    world.reload(await configOf({ ways: ['oncall@ops', 'sms', 'pager'] }));
    await world.runTo(at(120));
    assert.deepEqual(said(world, 'channel.renamed'), [
      {
        level: 'info',
        event: 'channel.renamed',
        message: 'channel ops was renamed to oncall: its messages and its health are kept',
        fields: { channel: 'oncall', from: 'ops' },
      },
    ]);
    assert.deepEqual(said(world, 'alerts.rerouted'), [
      {
        level: 'info',
        event: 'alerts.rerouted',
        message: 'open outages are sent to channels that had not received them: sms, pager',
        fields: { channels: 'sms, pager' },
      },
    ]);
    world.reload(await configOf({ ways: ['oncall@ops', 'sms', 'pager'] }));
    await world.runTo(at(180));
    assert.equal(said(world, 'alerts.rerouted').length, 1);
    await world.stop();
  });

  it('that cannot be written down is in the log', async () => {
    let isBroken = true;
    const world = await worldOf(
      { ways: ['ops'] },
      {
        canHang: true,
        tamper: (operations) => {
          if (!isBroken) return operations;
          isBroken = false;
          throw new Error('it does not fit');
        },
      },
    );
    await world.runTo(at(10));
    assert.deepEqual(said(world, 'pipeline.failed'), [
      {
        level: 'error',
        event: 'pipeline.failed',
        message: 'Open outages could not be routed under the new configuration: Error: it does not fit',
      },
    ]);
    await world.stop();
  });

  it('says of one message that it waits', async () => {
    const world = await worldOf({ ways: ['ops', 'sms'] });
    await world.sample('api', 'down');
    world.reload(await configOf({ ways: ['sms'] }));
    await world.runTo(at(20));
    assert.deepEqual(
      said(world, 'channel.unavailable').map(({ level, message }) => [level, message]),
      [['warning', 'channel ops is not configured: 1 message waits until it is back or the outage is over']],
    );
    await world.stop();
  });

  it('with a channel that is back sends what waited for it in its order, and leaves alone what failed', async () => {
    let isBroken = true;
    const world = await worldOf(
      { ways: ['ops', 'sms'] },
      { answer: (_, channel) => (isBroken && channel === 'sms' ? refused() : taken) },
    );
    await world.sample('api', 'down');
    await world.runTo(at(5));
    world.reload(await configOf({ ways: ['sms'] }));
    await world.runTo(at(600));
    isBroken = false;
    const [failed] = outbox
      .due(world.sql, Number.MAX_SAFE_INTEGER, 10)
      .filter(({ channel }) => channel === 'sms');
    assert.ok((failed?.nextAt ?? 0) > at(700));
    world.reload(await configOf({ ways: ['ops', 'sms'] }));
    await world.runTo(at(610));
    assert.deepEqual(world.lines(originAt), ['down api 600 ops']);
    await world.stop();
  });
});

describe('reminders of an alert that was never answered', () => {
  it('begin when no further copy is sent', async () => {
    const attempts: string[] = [];
    const world: World = await worldOf(
      { ways: ['ops'], reminded: ['ops'] },
      {
        answer: ({ event }) => {
          attempts.push(`${event} ${(world.clock.now() - originAt) / 1000}`);
          return event === 'down' ? unanswered : taken;
        },
      },
    );
    await world.sample('api', 'down');
    await world.runTo(at(900));
    assert.deepEqual(attempts, ['down 30', 'down 60', 'down 120', 'down 240', 'reminder 840']);
    await world.stop();
  });

  it('do not come twice when an operator has it tried again, and it is taken', async () => {
    const isTaking = { now: false };
    const world = await worldOf(
      { ways: ['ops'], reminded: ['ops'] },
      { answer: () => (isTaking.now ? taken : unanswered) },
    );
    await world.sample('api', 'down');
    await world.runTo(at(300));
    isTaking.now = true;
    const [row] = outbox.listTroubled(world.sql, 10).filter(({ state }) => state === 'given_up');
    world.apply(outbox.retry({ deliveryId: row?.deliveryId ?? '', at: world.clock.now() }));
    await world.runTo(at(1500));
    assert.deepEqual(world.lines(originAt), [
      'down api 300 ops',
      'reminder api 840 ops',
      'reminder api 1440 ops',
    ]);
    await world.stop();
  });
});

describe('reminders under a name that another channel had in the same outage', () => {
  /** Api is down and nobody acknowledges it; ops is alerted and reminded once, then `loads` follow, as of their seconds. */
  async function after(loads: readonly (readonly [secs: number, sketch: Sketch])[], untilSecs: number) {
    const world = await worldOf({ ways: ['ops', 'night'], reminded: ['ops'] });
    await world.sample('api', 'down');
    for (const [secs, sketch] of loads) {
      await world.runTo(at(secs));
      world.reload(await configOf(sketch));
    }
    await world.runTo(at(untilSecs));
    const lines = world.lines(originAt);
    await world.stop();
    assert.deepEqual(lines.splice(0, 3), ['down api 30 ops', 'down api 30 night', 'reminder api 630 ops']);
    return lines;
  }

  it('begin for one that is renamed, and go on', async () => {
    const lines = await after([[700, { ways: ['ops@night'], reminded: ['ops'] }]], 2000);
    assert.deepEqual(lines, ['reminder api 700 ops', 'reminder api 1300 ops', 'reminder api 1900 ops']);
  });

  it('begin for one that is new, so long after its alert, and go on', async () => {
    const lines = await after(
      [
        [700, { ways: ['night'] }],
        [800, { ways: ['night', 'ops@other'], reminded: ['ops'] }],
      ],
      2100,
    );
    assert.deepEqual(lines, ['down api 800 ops', 'reminder api 1400 ops', 'reminder api 2000 ops']);
  });

  it('begin anew for one whose destination is changed, so long after its alert', async () => {
    const lines = await after([[700, { ways: ['night', 'ops@other'], reminded: ['ops'] }]], 2000);
    assert.deepEqual(lines, ['down api 700 ops', 'reminder api 1300 ops', 'reminder api 1900 ops']);
  });

  it('go on for the one that had it before, under the name that it comes back with', async () => {
    const lines = await after(
      [
        [700, { ways: ['ops@night'] }],
        [800, { ways: ['ops@night', 'old@ops'], reminded: ['ops', 'old'] }],
      ],
      1300,
    );
    assert.deepEqual(lines, ['reminder api 800 ops', 'reminder api 1230 old']);
  });
});

describe('a load of reminders', () => {
  it('has a channel reminded beside one that is not', async () => {
    const world = await worldOf({ ways: ['ops', 'sms'] });
    await world.sample('api', 'down');
    await world.runTo(at(60));
    world.reload(await configOf({ ways: ['ops', 'sms'], reminded: ['sms'] }));
    await world.runTo(at(700));
    assert.deepEqual(world.lines(originAt), ['down api 30 ops', 'down api 30 sms', 'reminder api 630 sms']);
    await world.stop();
  });

  it('reminds of no outage that is acknowledged, nor of what cannot be checked', async () => {
    const world = await worldOf({ ways: ['ops'] }, { truth: (id) => (id === 'db' ? 'resolver' : 'down') });
    await world.sample('db', 'up');
    await world.sample('db', 'resolver');
    await world.sample('api', 'down');
    await world.runTo(at(100));
    const uid = incidents.listOpen(world.sql).find(({ monitor }) => monitor === 'api')?.uid ?? '';
    world.apply(incidents.acknowledge({ uid, at: world.clock.now(), by: null, reason: null }));
    world.reload(await configOf({ ways: ['ops'], reminded: ['ops'] }));
    await world.runTo(at(2000));
    assert.deepEqual(world.notified.map(({ message }) => message.event).toSorted(), ['down', 'unknown']);
    assert.equal(outbox.nextDueAt(world.sql), null);
    await world.stop();
  });
});

/** Whoever reads it breaks the promise that nothing is looked up. */
const unread = new Proxy({} as SqlReader, {
  get: () => () => {
    throw new Error('something was looked up');
  },
});

describe('outages by the thousand', () => {
  it('are not looked up for reminders where nobody is reminded', async () => {
    const config = await configOf({ ways: ['ops', 'sms'] });
    const cache = new OutboxCache((await openFacts()).sql);
    const options = {
      sql: unread,
      settings: deliverySettings(config),
      stateOf: () => null,
      cache,
      channelQueues: new Map(),
      now: () => originAt,
      log: () => undefined,
      yielder: new Yielder(() => 0),
      write: () => Promise.resolve(),
    };
    await alignAllReminders(options);
    const reminded = deliverySettings(await configOf({ ways: ['ops', 'sms'], reminded: ['sms'] }));
    await assert.rejects(alignAllReminders({ ...options, settings: reminded }), /looked up/);
  });

  it('are not looked up for turns and steps where there are neither rotations nor escalations', async () => {
    const cache = new OutboxCache((await openFacts()).sql);
    const routesOf = (config: Config) =>
      new OpenRoutes(() => ({ sql: unread, cache, settings: deliverySettings(config) }));
    const close = incidents.close({ uid: 'first', endedAt: originAt });
    const routes = routesOf(await configOf({ ways: ['ops', 'sms'] }));
    routes.note([close, outbox.sent({ deliveryId: 'first.down.ops', at: originAt })]);
    assert.equal(routes.nextAt(originAt), Infinity);
    const rotation =
      '[[rotations]]\nname = "primary"\nmembers = ["ops", "sms"]\nevery = "1h"\nfrom = "2026-01-01T00:08:00Z"';
    const escalation = '[[escalations]]\nname = "page"\nsteps = [{ after_secs = 600, notify = ["sms"] }]';
    for (const more of [rotation, escalation]) {
      const config = await configOf({ ways: ['ops', 'sms'], more });
      assert.throws(() => routesOf(config), /looked up/);
    }
  });
});
