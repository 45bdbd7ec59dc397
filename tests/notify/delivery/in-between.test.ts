/** What changes while a message is on its way, or before it leaves, is seen: recoveries, drops, stops, streaks. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Json } from '../../../src/db/store/operation.ts';
import { alertStates } from '../../../src/db/tables/alert-states.ts';
import { certificates } from '../../../src/db/tables/certificates.ts';
import { decisions } from '../../../src/db/tables/decisions.ts';
import { outbox } from '../../../src/db/tables/outbox.ts';
import { silences } from '../../../src/db/tables/silences.ts';
import { queue } from '../../../src/engine/alerting/queue.ts';
import { freshState } from '../../../src/engine/monitoring/confirm/state.ts';
import { operationsOf } from '../../../src/engine/monitoring/alert-operations.ts';
import type { Delivered } from '../../../src/notify/channels/channel.ts';
import type { Message } from '../../../src/engine/alerting/events/catalogue.ts';
import { openDisk, refused, sketch, taken, World } from './world.ts';

const originAt = Date.UTC(2026, 0, 1);
const windowSecs = 30;
const at = (secs: number) => originAt + secs * 1000;

const api = [{ id: 'api', failThreshold: 1 }];
const disk = await openDisk();

describe('a recovery while the message about the outage is on its way', () => {
  /** The delivery takes five seconds, from 40 to 45; the target is up again at 42. */
  async function recoverMeanwhile(answer: Delivered): Promise<World> {
    const config = await sketch({ monitors: api, channels: ['ops'], windowSecs });
    const world: World = new World({
      disk: await openDisk(),
      config,
      startAt: originAt,
      canHang: true,
      answer: async () => {
        if (world.clock.now() >= at(60)) return taken;
        await world.clock.sleep(5000);
        return answer;
      },
    });
    await world.runTo(at(10));
    await world.sample('api', 'down');
    await world.runTo(at(42));
    await world.sample('api', 'up');
    await world.runTo(at(200));
    return world;
  }

  it('is sent after it', async () => {
    const world = await recoverMeanwhile(taken);
    assert.deepEqual(
      world.lines(originAt).map((line) => line.split(' ').slice(0, 2).join(' ')),
      ['down api', 'recovered api'],
    );
  });

  it('is sent in its place when the channel did not take it', async () => {
    const world = await recoverMeanwhile(refused());
    assert.deepEqual(
      world.lines(originAt).map((line) => line.split(' ').slice(0, 3).join(' ')),
      ['late recovered api'],
    );
  });
});

describe('a dependent that only a refused message would have named', () => {
  it('has a late message of its own: no channel was sent it', async () => {
    const monitors = [
      { id: 'db', failThreshold: 1 },
      { id: 'web', dependsOn: ['db'], failThreshold: 1 },
    ];
    const config = await sketch({ monitors, channels: ['ops'], windowSecs });
    const world: World = new World({
      disk: await openDisk(),
      config,
      startAt: originAt,
      answer: () => (world.clock.now() < at(45) ? refused() : taken),
    });
    for (const [secs, id, seen] of [
      [10, 'db', 'down'],
      [12, 'web', 'down'],
      [46, 'db', 'up'],
      [60, 'web', 'up'],
    ] as const) {
      await world.runTo(at(secs));
      await world.sample(id, seen);
    }
    await world.runTo(at(4000));
    await world.stop();
    assert.deepEqual(
      world.lines(originAt).map((line) => line.replace(/ \d+ ops$/, '')),
      ['late recovered db', 'late recovered web'],
    );
  });
});

describe('a message that cannot be read', () => {
  const readable = { startedAt: at(1), confirmedAt: at(1) };
  const reminder = { ...readable, dueAt: at(10), number: 1, repeatMs: 600_000 };
  for (const [title, event, monitor, payload, reason] of [
    ['a recovery', 'recovered', 'api', {}, 'unreadable'],
    ['a down', 'down', 'api', {}, 'unreadable'],
    ['a down of no monitor', 'down', null, readable, 'unreadable'],
    ['a degradation', 'degraded', 'api', {}, 'unreadable'],
    ['what cannot be checked', 'unknown', 'api', {}, 'unreadable'],
    ['a reminder', 'reminder', 'api', {}, 'unreadable'],
    ['a reminder of no monitor', 'reminder', null, reminder, 'unreadable'],
    ['an event of a later version', 'no_such_event', 'api', readable, 'unreadable'],
    ['a down of no incident', 'down', 'api', readable, 'over'],
    ['a reminder of no incident', 'reminder', 'api', reminder, 'over'],
  ] as const)
    it(`is dropped with a decision, and holds up nothing behind it: ${title}`, async () => {
      const config = await sketch({ monitors: api, channels: ['ops'], windowSecs });
      const world = new World({ disk, config, startAt: originAt });
      await world.runTo(at(10));
      world.apply(
        outbox.put({
          deliveryId: 'torn',
          channel: 'ops',
          event,
          monitor,
          incident: null,
          payload,
          createdAt: at(10),
          nextAt: at(10),
        }),
      );
      await world.sample('api', 'down');
      await world.runTo(at(100));
      await world.stop();
      assert.deepEqual(world.lines(originAt), ['down api 40 ops']);
      assert.equal(outbox.nextDueAt(world.sql), null);
      const spared = decisions.totals(world.sql).filter(({ verdict }) => verdict === 'spared');
      assert.deepEqual(spared, [{ verdict: 'spared', reason, count: 1 }]);
    });
});

describe('a recovery that was not written before the program was killed', () => {
  it('is written at the next start', async () => {
    let isKilled = false;
    const world = new World({
      disk: await openDisk(),
      config: await sketch({ monitors: api, channels: ['ops'], windowSecs }),
      startAt: originAt,
      tamper: (operations) => (isKilled ? operations.filter(([name]) => name !== 'outbox.put') : operations),
    });
    await world.runTo(at(10));
    await world.sample('api', 'down');
    await world.runTo(at(100));
    isKilled = true;
    await world.sample('api', 'up');
    await world.runTo(at(101));
    assert.deepEqual(world.lines(originAt), ['down api 40 ops']);
    isKilled = false;
    world.restart();
    await world.runTo(at(200));
    await world.stop();
    assert.match(world.lines(originAt).slice(1).join(), /^recovered api 1\d\d ops$/);
  });
});

describe('a recovery that was not written for a while', () => {
  /** It is up again at 300; the program stood still from then on, for so many hours. */
  async function startedAfter(hours: number): Promise<string[]> {
    let isKilled = false;
    const world = new World({
      disk: await openDisk(),
      config: await sketch({ monitors: api, channels: ['ops'], windowSecs }),
      startAt: originAt,
      tamper: (operations) => (isKilled ? operations.filter(([name]) => name !== 'outbox.put') : operations),
    });
    await world.runTo(at(10));
    await world.sample('api', 'down');
    await world.runTo(at(300));
    isKilled = true;
    await world.sample('api', 'up');
    isKilled = false;
    world.restart(hours * 3_600_000);
    await world.runTo(world.clock.now() + 60_000);
    await world.stop();
    return world.lines(originAt).map((line) => line.split(' ')[0] ?? '');
  }

  it('is written within a day, and not of what is older', async () => {
    assert.deepEqual(await startedAfter(0), ['down', 'recovered']);
    assert.deepEqual(await startedAfter(23.9), ['down', 'recovered']);
    assert.deepEqual(await startedAfter(24.1), ['down']);
  });
});

describe('a dependent whose upstream recovers while the message that names it is on its way', () => {
  const monitors = [
    { id: 'db', failThreshold: 1 },
    { id: 'web', dependsOn: ['db'], failThreshold: 1 },
  ];
  /** A write takes 100 ms, the message until so long after the recovery. What was sent, with what it named. */
  async function play(takenAfterMs: number, webUpAt: number): Promise<string[]> {
    const takenAt = at(60) + takenAfterMs;
    const world: World = new World({
      disk,
      config: await sketch({ monitors, channels: ['ops'], windowSecs }),
      startAt: originAt,
      canHang: true,
      writeMs: () => 100,
      answer: async () => {
        const now = world.clock.now();
        if (now >= at(42) && now < takenAt) await world.clock.sleep(takenAt - now);
        return taken;
      },
    });
    for (const [secs, id, seen] of [
      [10, 'web', 'down'],
      [12, 'db', 'down'],
      [60, 'db', 'up'],
      [webUpAt, 'web', 'up'],
    ] as const) {
      await world.runTo(at(secs));
      await world.sample(id, seen);
    }
    await world.runTo(at(5000));
    await world.stop();
    return world.notified.map(({ message }) =>
      message.event === 'down' || message.event === 'recovered'
        ? [message.event, message.monitor.id, ...message.impacted.map(({ id }) => id)].join(' ')
        : message.event,
    );
  }

  for (const takenAfterMs of [0, 50, 99, 100, 101, 150, 199, 200, 201, 250, 299, 300, 301, 500])
    it(`is alerted on by itself while it lasts, and its end is not forgotten, after ${takenAfterMs} ms`, async () => {
      const isNamed = ['down db web', 'recovered db'];
      const byItself = ['down web', 'recovered web'];
      assert.deepEqual(await play(takenAfterMs, 4000), [...isNamed, ...byItself]);
      // Up before its own window is over.
      assert.deepEqual(await play(takenAfterMs, 80), [...isNamed, 'recovered web']);
      assert.deepEqual(await play(takenAfterMs, 60.15), ['down db web', 'recovered db web']);
    });
});

describe('a message that waited while nothing ran', () => {
  /** The program stops at 20 and is started again ten minutes later. */
  async function stopFor(truth: 'up' | 'down'): Promise<World> {
    const config = await sketch({ monitors: api, channels: ['ops'], windowSecs });
    const world = new World({ disk: await openDisk(), config, startAt: originAt, truth: () => truth });
    await world.runTo(at(10));
    await world.sample('api', 'down');
    await world.runTo(at(20));
    world.restart(600_000);
    await world.runTo(at(700));
    await world.stop();
    assert.deepEqual(world.asked, ['api']);
    return world;
  }

  it('is sent after a look whether it is still true', async () => {
    const world = await stopFor('down');
    assert.deepEqual(world.lines(originAt), ['down api 620 ops']);
  });

  it('is not sent as an outage when that look finds the target up', async () => {
    const world = await stopFor('up');
    assert.deepEqual(world.lines(originAt), ['late recovered api 620 ops']);
  });
});

describe('a message that is dropped by hand while what it says is written down', () => {
  const monitors = [
    { id: 'db', failThreshold: 1 },
    { id: 'web', dependsOn: ['db'], failThreshold: 1 },
  ];

  async function dropWhen(isDropped: boolean): Promise<World> {
    const config = await sketch({ monitors, channels: ['ops'], windowSecs });
    let drops = 0;
    const world: World = new World({
      disk: await openDisk(),
      config,
      startAt: originAt,
      tamper: (operations) => {
        const isAboutToLeave =
          world.clock.now() >= at(40) && operations.some(([name]) => name === 'incident.describe');
        if (!isAboutToLeave || drops > 0) return operations;
        drops += 1;
        const [row] = outbox.due(world.sql, world.clock.now(), 10).filter(({ monitor }) => monitor === 'db');
        if (isDropped && row !== undefined)
          world.apply(outbox.drop({ deliveryId: row.deliveryId, at: world.clock.now() }));
        return operations;
      },
    });
    await world.runTo(at(10));
    await world.sample('db', 'down');
    // What it is the cause of begins, and is written down, as it is about to leave.
    await world.runTo(at(39));
    world.clock.advanceTo(at(40));
    await world.sample('web', 'down');
    await world.runTo(at(60));
    await world.stop();
    assert.equal(drops, 1);
    return world;
  }

  it('is not sent', async () => {
    const world = await dropWhen(true);
    assert.deepEqual(
      world.lines(originAt).filter((line) => line.startsWith('down db')),
      [],
    );
  });

  it('is sent when nothing drops it', async () => {
    const world = await dropWhen(false);
    assert.deepEqual(world.lines(originAt), ['down db 40 ops']);
  });
});

describe('a warning that a channel is failing', () => {
  /** Neither channel takes anything at first; `sms` works from 1,000 on, `ops` from `opsWorksFrom` on. */
  async function warnings(opsWorksFrom: number): Promise<World> {
    const config = await sketch({ monitors: api, channels: ['ops', 'sms'], windowSecs });
    const answer = (_: Message, channel: string): Delivered =>
      world.clock.now() >= at(channel === 'sms' ? 1000 : opsWorksFrom) ? taken : refused();
    const world: World = new World({ disk: await openDisk(), config, startAt: originAt, answer });
    await world.runTo(at(10));
    await world.sample('api', 'down');
    await world.runTo(at(4000));
    await world.stop();
    return world;
  }
  const about = (world: World, channel: string) =>
    world.notified.filter(
      ({ message }) => message.event === 'channel_failing' && message.channel === channel,
    );

  it('is not sent once that channel works again', async () => {
    const world = await warnings(500);
    assert.deepEqual(about(world, 'ops'), []);
    const spared = decisions
      .totals(world.sql)
      .filter(({ verdict, reason }) => `${verdict} ${reason}` === 'spared over');
    assert.equal(spared.length, 1);
  });

  it('is sent late while that channel still fails', async () => {
    const world = await warnings(100_000);
    assert.deepEqual(
      about(world, 'ops').map(({ channel }) => channel),
      ['sms'],
    );
  });
});

describe('a peer under a mute', () => {
  /** It falls silent at 5; `muted` names what is muted until 1,000. */
  async function notified(muted: string, way: 'silence' | 'maintenance'): Promise<readonly string[]> {
    const instant = (secs: number) => new Date(at(secs)).toISOString();
    const window = `[[maintenance]]\nstart = ${instant(0)}\nend = ${instant(1000)}\nmonitors = ["${muted}"]`;
    const config = await sketch({
      monitors: api,
      channels: ['ops'],
      windowSecs,
      extra: `[health]\nid = "here"\n[[peers]]\nid = "paris"\nlisten_id = "in-paris"\nlisten_token = "t0ken-p"\n${way === 'maintenance' ? window : ''}`,
    });
    const world = new World({ disk: await openDisk(), config, startAt: originAt });
    await world.runTo(at(5));
    if (way === 'silence')
      world.apply(silences.add({ monitors: [muted], createdAt: at(5), untilAt: at(1000), reason: null }));
    const down = {
      kind: 'peer_down',
      at: at(5),
      peer: 'paris',
      startedAt: at(5),
      reason: 'silent',
      lastHeardAt: null,
    } as const;
    const facts = { rows: [], channels: ['ops'], windowMs: windowSecs * 1000, isDegradedNotified: false };
    world.apply(...operationsOf(queue(down, facts), at(5)));
    await world.runTo(at(1100));
    await world.stop();
    return world.lines(originAt);
  }

  for (const way of ['silence', 'maintenance'] as const) {
    it(`is not sent before the ${way} over its listen_id ends`, async () => {
      assert.deepEqual(await notified('in-paris', way), ['peer_down  1000 ops']);
      assert.deepEqual(await notified('api', way), ['peer_down  5 ops']);
    });
  }
});

describe('a budget burn that a silence held back', () => {
  /** It burns from 5 on; the silence ends at 1,000. */
  async function silenced(isDown: boolean, burning: readonly string[] = ['fast']): Promise<World> {
    const config = await sketch({ monitors: api, channels: ['ops'], windowSecs });
    const world = new World({ disk: await openDisk(), config, startAt: originAt });
    const burn = {
      kind: 'budget_burn',
      at: at(5),
      monitor: 'api',
      pace: 'fast',
      rate: 20,
      windowSecs: 3600,
      uptimePercent: 99.9,
      sloWindowDays: 30,
      leftMinutes: 10,
      totalMinutes: 43.2,
    } as const;
    await world.runTo(at(5));
    world.apply(silences.add({ monitors: ['api'], createdAt: at(5), untilAt: at(1000), reason: null }));
    const facts = { rows: [], channels: ['ops'], windowMs: windowSecs * 1000, isDegradedNotified: false };
    world.apply(...operationsOf(queue(burn, facts), at(5)));
    const state = { ...freshState, heardAt: null, burning } as unknown as Json;
    world.apply(alertStates.save({ monitor: 'api', state, at: at(5) }));
    await world.runTo(at(500));
    if (isDown) await world.sample('api', 'down');
    await world.runTo(at(1100));
    await world.stop();
    return world;
  }

  it('is not sent beside the outage that came meanwhile', async () => {
    const world = await silenced(true);
    assert.deepEqual(world.lines(originAt), ['down api 1000 ops']);
    const spared = decisions.totals(world.sql).filter(({ verdict }) => verdict === 'spared');
    assert.deepEqual(spared, [{ verdict: 'spared', reason: 'outage_open', count: 1 }]);
  });

  it('is not sent when it was over before the silence', async () => {
    const world = await silenced(false, []);
    assert.deepEqual(world.lines(originAt), []);
    const spared = decisions.totals(world.sql).filter(({ verdict }) => verdict === 'spared');
    assert.deepEqual(spared, [{ verdict: 'spared', reason: 'muted', count: 1 }]);
  });

  it('is sent when the silence ends, it still burns and nothing is down', async () => {
    const world = await silenced(false);
    assert.deepEqual(world.lines(originAt), ['budget_burn api 1000 ops']);
  });
});

describe('a certificate that could not be read, behind a silence', () => {
  /** It cannot be read from 2 on, which is confirmed at 5; the silence ends at 1,000. */
  async function silenced(isReadAgain: boolean): Promise<string[]> {
    const config = await sketch({ monitors: api, channels: ['ops'], windowSecs });
    const world = new World({ disk: await openDisk(), config, startAt: originAt });
    const seen = {
      monitor: 'api',
      subject: 'api.example',
      issuer: 'An Authority',
      validFromAt: originAt,
      validToAt: at(1e6),
      spkiSha256: 'aa',
      isTrusted: true,
    };
    const unreadable = {
      kind: 'cert_unreadable',
      at: at(5),
      monitor: 'api',
      sinceAt: at(2),
      lastExpiresAt: at(1e6),
      reason: 'no certificate',
    } as const;
    const facts = { rows: [], channels: ['ops'], windowMs: windowSecs * 1000, isDegradedNotified: false };
    world.apply(certificates.see({ ...seen, at: originAt }));
    await world.runTo(at(5));
    world.apply(silences.add({ monitors: ['api'], createdAt: at(5), untilAt: at(1000), reason: null }));
    world.apply(certificates.unreadable({ monitor: 'api', sinceAt: at(2) }));
    world.apply(...operationsOf(queue(unreadable, facts), at(5)));
    await world.runTo(at(500));
    if (isReadAgain) world.apply(certificates.see({ ...seen, at: at(500) }));
    await world.runTo(at(1100));
    await world.stop();
    return world.lines(originAt);
  }

  it('is sent when the silence ends', async () => {
    assert.deepEqual(await silenced(false), ['cert_unreadable api 1000 ops']);
  });

  it('is suppressed when it was read before the silence ended', async () => {
    assert.deepEqual(await silenced(true), []);
  });
});

describe('an alert whose window ends while the daemon stands still', () => {
  for (const [truth, lines] of [
    ['down', ['down api 3620 ops']],
    ['up', ['late recovered api 3620 ops']],
  ] as const)
    it(`is sent as what its monitor is afterwards: ${truth}`, async () => {
      const world: World = new World({
        disk: await openDisk(),
        config: await sketch({ monitors: api, channels: ['ops'], windowSecs }),
        startAt: originAt,
        truth: () => truth,
      });
      await world.runTo(at(10));
      await world.sample('api', 'down');
      await world.runTo(at(20));
      world.clock.stall(3_600_000);
      await world.runTo(at(4000));
      await world.stop();
      assert.deepEqual(world.lines(originAt), lines);
      assert.deepEqual(world.asked, ['api']);
    });
});

describe('an alert that is overdue', () => {
  /** Its window ends at 40; the daemon stands still from 20 on, for so long. */
  async function sentAfter(standMs: number): Promise<World> {
    const world: World = new World({
      disk,
      config: await sketch({ monitors: api, channels: ['ops'], windowSecs }),
      startAt: originAt,
      truth: () => 'down',
    });
    await world.runTo(at(10));
    await world.sample('api', 'down');
    await world.runTo(at(20));
    world.clock.stall(standMs);
    await world.runTo(at(200));
    await world.stop();
    return world;
  }

  it('by a minute is sent as it is, and by more after a check', async () => {
    const onTheMinute = await sentAfter(80_000);
    assert.deepEqual(onTheMinute.lines(originAt), ['down api 100 ops']);
    assert.deepEqual(onTheMinute.asked, []);
    const later = await sentAfter(80_001);
    assert.deepEqual(later.lines(originAt), ['down api 100.001 ops']);
    assert.deepEqual(later.asked, ['api']);
  });

  it('is sent as it is when its monitor was checked after it was due', async () => {
    const world: World = new World({
      disk,
      config: await sketch({ monitors: api, channels: ['ops'], windowSecs }),
      startAt: originAt,
      truth: () => 'down',
    });
    await world.runTo(at(10));
    await world.sample('api', 'down');
    await world.runTo(at(20));
    world.clock.stall(3_600_000);
    await world.sample('api', 'down');
    await world.runTo(at(4000));
    assert.deepEqual(world.lines(originAt), ['down api 3620 ops']);
    assert.deepEqual(world.asked, []);
    await world.stop();
  });

  it('by less is sent after a check when the last one was before the start, and more than a minute ago', async () => {
    for (const [downMs, asked] of [
      [50_000, []],
      [50_001, ['api']],
    ] as const) {
      const world = new World({
        disk,
        config: await sketch({ monitors: api, channels: ['ops'], windowSecs }),
        startAt: originAt,
        truth: () => 'down',
      });
      await world.runTo(at(10));
      await world.sample('api', 'down');
      await world.runTo(at(20));
      world.restart(downMs);
      await world.runTo(at(100));
      assert.equal(world.notified.length, 1);
      assert.deepEqual(world.asked, asked);
      await world.stop();
    }
  });
});
