/** A clock that is set delays nothing, deletes nothing, changes no duration; a real outage meanwhile is notified in time. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { announcements } from '../../../src/db/tables/announcements.ts';
import { channels } from '../../../src/db/tables/channels.ts';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { monitors } from '../../../src/db/tables/monitors.ts';
import { outbox } from '../../../src/db/tables/outbox.ts';
import { samples } from '../../../src/db/tables/samples.ts';
import { silences } from '../../../src/db/tables/silences.ts';
import { createDigest } from '../../../src/notify/digest/digest.ts';
import { createPipeline, type Pipeline } from '../../../src/notify/delivery.ts';
import type { Delivered } from '../../../src/notify/channels/channel.ts';
import { failed, httpMonitors, loadWith, openWorld, unknown, up, type World } from './world.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const windowMs = 30 * second;

const settings = '[alerts]\nfail_threshold = 2\nrecover_threshold = 2\ngroup_window_secs = 30\n';
const toml = settings + httpMonitors(['web'], 'interval_secs = 10');

interface Sent {
  readonly event: string;
  readonly monitor: string;
  readonly atMs: number;
  readonly durationMs: number | null;
}

interface Alerting {
  readonly world: World;
  readonly sent: Sent[];
  readonly lines: () => string[];
  /** What the channel answers from now on. */
  answer: (delivered: Delivered) => void;
  readonly restart: (whileOff?: () => void) => Promise<void>;
  readonly stop: () => Promise<void>;
}

const taken: Delivered = { kind: 'sent', attempts: 1 };

/** An engine, and the pipeline that delivers what it queues. */
async function openAlerting(config: string): Promise<Alerting> {
  const world = await openWorld(config);
  const { config: loaded } = await loadWith(config);
  const sent: Sent[] = [];
  let delivered = taken;
  const start = (): Pipeline =>
    createPipeline({
      config: () => loaded,
      store: world.engine.store,
      clock: world.engine.clock,
      log: () => undefined,
      engine: {
        checkAnew: (ids) => world.engine.checkAnew(ids),
        heardAgainBy: (id, sinceAt) => world.engine.heardAgainBy(id, sinceAt),
        stateOf: (id) => world.engine.stateOf(id),
      },
      askPeer: null,
      deliver: (message) => {
        if (delivered.kind === 'sent')
          sent.push({
            event: message.event,
            monitor: 'monitor' in message ? message.monitor.id : '-',
            atMs: world.clock.monotonic(),
            durationMs: message.event === 'recovered' ? message.endedAt - message.startedAt : null,
          });
        return Promise.resolve(delivered);
      },
    });
  let pipeline = start();
  return {
    world,
    sent,
    lines: () => sent.map(({ event, monitor }) => `${event} ${monitor}`),
    answer: (next) => {
      delivered = next;
    },
    restart: async (whileOff = () => undefined) => {
      await world.clock.until(pipeline.stop());
      await world.clock.until(world.engine.stop());
      whileOff();
      await world.restart();
      pipeline = start();
    },
    stop: async () => {
      await world.clock.until(pipeline.stop());
      await world.engine.stop();
    },
  };
}

/** Runs until the store has an open incident; answers when that was, on the monotonic clock. */
async function untilConfirmed({ clock, openIncidents }: World, id = 'web'): Promise<number> {
  for (let steps = 0; steps < 600; steps += 1) {
    if (openIncidents().includes(id)) return clock.monotonic();
    await clock.run(second);
  }
  return assert.fail(`${id} was never confirmed down`);
}

const steps: readonly (readonly [string, number])[] = [
  ['an hour back', -hour],
  ['an hour ahead', hour],
  ['400 days ahead', 400 * day],
  ['400 days back', -400 * day],
  ['ten seconds back', -10 * second],
];

describe('an outage during which the clock is set', () => {
  for (const [name, stepMs] of steps) {
    it(`is notified in time and keeps its duration: ${name}`, async () => {
      const alerting = await openAlerting(toml);
      const { world, sent } = alerting;
      await world.clock.run(5 * minute);
      world.targets.set('web', () => failed());
      const confirmedMs = await untilConfirmed(world);
      await world.clock.run(5 * second);
      world.clock.step(stepMs);
      await world.clock.run(windowMs);
      assert.deepEqual(alerting.lines(), ['down web']);
      const lateMs = (sent[0]?.atMs ?? Infinity) - confirmedMs - windowMs;
      assert.ok(Math.abs(lateMs) <= 2 * second, `${lateMs} ms late`);
      await world.clock.run(10 * minute);
      world.targets.set('web', () => up());
      await world.clock.run(minute);
      assert.deepEqual(alerting.lines(), ['down web', 'recovered web']);
      const [incident] = incidents.list(world.store.sql, { limit: 1 }).incidents;
      const lastedMs = (incident?.endedAt ?? 0) - (incident?.startedAt ?? 0);
      assert.ok(Math.abs(lastedMs - 11 * minute) <= minute, `it lasted ${lastedMs / minute} minutes`);
      assert.equal(sent[1]?.durationMs, lastedMs);
      assert.ok(Math.abs((incident?.endedAt ?? 0) - world.clock.now()) <= minute, 'it ended by the clock');
      await alerting.stop();
    });

    it(`is a flap that wakes nobody when it ends within its window: ${name}`, async () => {
      const alerting = await openAlerting(toml);
      const { world } = alerting;
      await world.clock.run(5 * minute);
      world.targets.set('web', () => failed());
      await untilConfirmed(world);
      await world.clock.run(2 * second);
      world.clock.step(stepMs);
      world.targets.set('web', () => up());
      await world.clock.run(10 * minute);
      assert.deepEqual(alerting.lines(), []);
      await alerting.stop();
    });

    it(`that begins afterwards is notified in time: ${name}`, async () => {
      const alerting = await openAlerting(toml);
      const { world, sent } = alerting;
      await world.clock.run(5 * minute);
      world.clock.step(stepMs);
      world.targets.set('web', () => failed());
      const confirmedMs = await untilConfirmed(world);
      await world.clock.run(windowMs + 2 * second);
      assert.deepEqual(alerting.lines(), ['down web']);
      assert.ok((sent[0]?.atMs ?? Infinity) - confirmedMs <= windowMs + 2 * second);
      await alerting.stop();
    });
  }

  it('is notified in time when the clock is set again and again', async () => {
    const alerting = await openAlerting(toml);
    const { world, sent } = alerting;
    await world.clock.run(5 * minute);
    world.targets.set('web', () => failed());
    const confirmedMs = await untilConfirmed(world);
    for (const stepMs of [-hour, 3 * hour, -day, 400 * day, -1900, -1900, -1900, -399 * day]) {
      await world.clock.run(3 * second);
      world.clock.step(stepMs);
    }
    await world.clock.run(windowMs - 20 * second);
    assert.deepEqual(alerting.lines(), ['down web']);
    const lateMs = (sent[0]?.atMs ?? Infinity) - confirmedMs - windowMs;
    assert.ok(Math.abs(lateMs) <= 6 * second, `${lateMs} ms late`);
    await alerting.stop();
  });

  it('is tried again in time by a channel that failed before', async () => {
    const alerting = await openAlerting(toml);
    const { world } = alerting;
    alerting.answer({
      kind: 'failed',
      attempts: 3,
      error: 'It was refused.',
      isPermanent: false,
      retryAfterMs: null,
    });
    await world.clock.run(5 * minute);
    world.targets.set('web', () => failed());
    await untilConfirmed(world);
    await world.clock.run(windowMs + 5 * second);
    alerting.answer(taken);
    world.clock.step(-hour);
    await world.clock.run(minute);
    assert.deepEqual(alerting.lines(), ['down web']);
    assert.equal(channels.list(world.store.sql)[0]?.failingSinceAt, null);
    await alerting.stop();
  });

  it('is notified in time when the daemon starts again under a clock that is right by then', async () => {
    const alerting = await openAlerting(toml);
    const { world } = alerting;
    world.clock.step(hour);
    await world.clock.run(5 * minute);
    world.targets.set('web', () => failed());
    await untilConfirmed(world);
    await alerting.restart(() => {
      world.clock.step(-hour);
    });
    await world.clock.run(windowMs + 2 * second);
    assert.deepEqual(alerting.lines(), ['down web']);
    world.targets.set('web', () => up());
    await world.clock.run(minute);
    const [incident] = incidents.list(world.store.sql, { limit: 1 }).incidents;
    const lastedMs = (incident?.endedAt ?? 0) - (incident?.startedAt ?? 0);
    assert.ok(lastedMs > 30 * second && lastedMs < 3 * minute, `it lasted ${lastedMs} ms`);
    await alerting.stop();
  });

  it('began before a machine slept: it lasted over the sleep, which is no setting of the clock', async () => {
    const alerting = await openAlerting(toml);
    const { world } = alerting;
    await world.clock.run(5 * minute);
    world.targets.set('web', () => failed());
    await untilConfirmed(world);
    await world.clock.run(minute);
    world.clock.suspend(8 * hour);
    await world.clock.run(minute);
    world.targets.set('web', () => up());
    await world.clock.run(minute);
    assert.deepEqual(alerting.lines(), ['down web', 'recovered web']);
    const [incident] = incidents.list(world.store.sql, { limit: 1 }).incidents;
    const lastedMs = (incident?.endedAt ?? 0) - (incident?.startedAt ?? 0);
    assert.ok(Math.abs(lastedMs - 8 * hour) < 5 * minute, `it lasted ${lastedMs / minute} minutes`);
    await alerting.stop();
  });
});

describe('what goes with an outage while the clock is set', () => {
  it('has the recovery of a degradation reach those who were notified of it', async () => {
    const slow =
      '[alerts]\nfail_threshold = 2\ngroup_window_secs = 30\nalert_on_degraded = true\n' +
      httpMonitors(['web'], 'interval_secs = 10\ndegraded_over_ms = 100');
    const alerting = await openAlerting(slow);
    const { world } = alerting;
    await world.clock.run(2 * minute);
    world.targets.set('web', () => up(5000));
    await world.clock.run(2 * minute);
    assert.deepEqual(alerting.lines(), ['degraded web']);
    world.clock.step(-hour);
    await world.clock.run(minute);
    world.targets.set('web', () => up());
    await world.clock.run(2 * minute);
    assert.deepEqual(alerting.lines(), ['degraded web', 'recovered web']);
    await alerting.stop();
  });

  it('mutes for as long as a silence was meant to last, and not after', async () => {
    for (const stepMs of [-hour, 5 * hour]) {
      const alerting = await openAlerting(toml);
      const { world } = alerting;
      await world.clock.run(5 * minute);
      const now = world.clock.now();
      await world.store.write([
        silences.add({ monitors: ['web'], untilAt: now + 30 * minute, reason: null, createdAt: now }),
      ]);
      world.targets.set('web', () => failed());
      await world.clock.run(5 * minute);
      world.clock.step(stepMs);
      await world.clock.run(20 * minute);
      assert.deepEqual(alerting.lines(), [], 'it is muted still');
      await world.clock.run(6 * minute);
      assert.deepEqual(alerting.lines(), ['down web'], 'and is notified when the silence is over');
      await alerting.stop();
    }
  });

  for (const [name, stepMs] of steps)
    it(`is notified, and so is its end, when its heartbeat is what finds the clock set: ${name}`, async () => {
      const job =
        '[[monitors]]\nid = "job"\nkind = "push"\ninterval_secs = 600\nfail_threshold = 1\nrecover_threshold = 1\n';
      const alerting = await openAlerting(settings + job);
      const { world, sent } = alerting;
      const beat = (status: 'up' | 'down') =>
        world.clock.until(world.engine.heartbeat({ monitor: 'job', status, message: null, pingMs: null }));
      await beat('up');
      await world.clock.run(minute + 300);
      world.clock.step(stepMs);
      await beat('down');
      const failedMs = world.clock.monotonic();
      await world.clock.run(windowMs + 2 * second);
      assert.deepEqual(alerting.lines(), ['down job']);
      assert.ok((sent[0]?.atMs ?? 0) - failedMs >= windowMs, 'after its window');
      await world.clock.run(minute + 300);
      world.clock.step(-stepMs);
      await beat('up');
      await world.clock.run(2 * second);
      assert.deepEqual(alerting.lines(), ['down job', 'recovered job']);
      const [incident] = incidents.list(world.store.sql, { limit: 1 }).incidents;
      const lastedMs = (incident?.endedAt ?? 0) - (incident?.startedAt ?? 0);
      assert.ok(
        Math.abs(lastedMs - (world.clock.monotonic() - failedMs)) <= 3 * second,
        `it lasted ${lastedMs} ms`,
      );
      assert.equal(sent[1]?.durationMs, lastedMs);
      await alerting.stop();
    });

  it('reports a push monitor that stays away in time, also when the clock was set back', async () => {
    const push = `${settings}[[monitors]]\nid = "job"\nkind = "push"\ninterval_secs = 600\ngrace_secs = 300\npush_token = "a-token-of-the-tests"\n`;
    const alerting = await openAlerting(push);
    const { world } = alerting;
    await world.engine.heartbeat({ monitor: 'job', status: 'up', message: null, pingMs: null });
    await world.clock.run(5 * minute);
    world.clock.step(-5 * hour);
    await world.clock.run(25 * minute);
    assert.deepEqual(alerting.lines(), ['down job']);
    await alerting.stop();
  });

  it('holds no certificate against its target that only a clock 400 days off makes invalid', async () => {
    const alerting = await openAlerting(settings + httpMonitors(['web', 'api'], 'interval_secs = 10'));
    const { world } = alerting;
    const now = world.clock.now();
    const presenting = (id: string, validFromAt: number, validToAt: number) => {
      world.targets.set(id, () => {
        const certificate = {
          subject: id,
          issuer: 'ca',
          validFromAt,
          validToAt,
          spkiSha256: 'a'.repeat(64),
          isTrusted: true,
          chain: [],
        };
        const at = world.clock.now();
        const isValid = validFromAt <= at && at <= validToAt;
        const answer = isValid ? up() : failed('tls', 'the certificate expired');
        return { ...answer, result: { ...answer.result, certificate } };
      });
    };
    presenting('web', now - 30 * day, now + 60 * day);
    presenting('api', now - 30 * day, now + 60 * day);
    await world.clock.run(5 * minute);
    for (const stepMs of [400 * day, -800 * day]) {
      world.clock.step(stepMs);
      await world.clock.run(10 * minute);
    }
    // Nothing is down, but nothing can be checked with such a clock either: that is reported, once for each step.
    const notified = alerting.lines();
    assert.deepEqual(
      [...new Set(notified)].sort(),
      ['recovered web', 'unknown web'].filter((line) => notified.includes(line)),
    );
    assert.ok(notified.includes('unknown web'));
    // A real one: it has expired by the time that is vouched for, too.
    presenting('api', now - 30 * day, now - day);
    world.clock.step(800 * day);
    await world.clock.run(2 * minute);
    assert.deepEqual(
      alerting.lines().filter((line) => !/^(?:unknown|recovered) web$/.test(line)),
      ['cert_expiring api', 'down api'],
    );
    await alerting.stop();
  });

  it('says nothing of a step that is no fault', async () => {
    const alerting = await openAlerting(toml);
    const { world } = alerting;
    world.targets.set('web', () => unknown());
    await world.clock.run(minute);
    world.targets.set('web', () => up());
    for (const [, stepMs] of steps) {
      world.clock.step(stepMs);
      await world.clock.run(5 * minute);
    }
    assert.deepEqual(alerting.lines(), []);
    await alerting.stop();
  });
});

describe('a clock that is 400 days ahead for 400 s', () => {
  const sparse = settings + httpMonitors(['web', 'api'], 'interval_secs = 60');

  it('deletes nothing, and samples, silences and alerts go on afterwards', async () => {
    const alerting = await openAlerting(sparse);
    const { world } = alerting;
    const { sql } = world.store;
    // The daemon has run for long enough that it prunes.
    await world.clock.run(25 * hour);
    world.targets.set('web', () => failed());
    await world.clock.run(5 * minute);
    world.targets.set('web', () => up());
    await world.clock.run(5 * minute);
    const now = world.clock.now();
    const [incident] = incidents.list(sql, { limit: 1 }).incidents;
    assert.ok(incident?.endedAt, 'there is a closed incident');
    await world.store.write([
      incidents.annotate({ uid: incident.uid, note: 'the disk was full', at: now }),
      silences.add({ monitors: ['api'], untilAt: now + 2 * hour, reason: 'works', createdAt: now }),
      announcements.add({
        title: 'works',
        body: null,
        severity: 'info',
        untilAt: now + 2 * hour,
        createdAt: now,
      }),
    ]);
    const counts = () => ({
      incidents: incidents.list(sql, { limit: 10, monitors: ['web'] }).incidents.length,
      note: incidents.find(sql, incident.uid)?.note,
      silences: silences.active(sql, world.engine.clock.now()).map(({ reason }) => reason),
      announcements: announcements.active(sql, world.engine.clock.now()).map(({ title }) => title),
      samples: samples.list(sql, 'web', { fromAt: now - day, toAt: now }).length,
    });
    const rows = (table: string) =>
      sql.get(`SELECT count(*) AS count FROM ${table}`, [], (row) => row.number('count')) ?? 0;
    const before = counts();
    const [decided, deliveries] = [rows('decisions'), rows('outbox')];
    world.clock.step(400 * day);
    await world.clock.run(400 * second);
    world.targets.set('api', () => failed());
    await world.clock.run(5 * minute);
    assert.deepEqual(alerting.lines(), ['down web', 'recovered web'], 'the silence holds');
    world.clock.step(-400 * day);
    await world.clock.run(10 * minute);
    assert.deepEqual(counts(), before);
    assert.ok(rows('decisions') >= decided && rows('outbox') >= deliveries);
    const recordedAt = monitors.find(sql, 'web')?.last?.at ?? 0;
    assert.ok(Math.abs(recordedAt - world.clock.now()) <= 2 * minute, 'the last sample is the last one');
    const recent = samples.list(sql, 'web', {
      fromAt: world.clock.now() - 5 * minute,
      toAt: world.clock.now(),
    });
    assert.ok(recent.length >= 4, `${recent.length} samples of the last five minutes`);
    world.targets.set('web', () => failed());
    await world.clock.run(5 * minute);
    assert.deepEqual(
      alerting.lines(),
      ['down web', 'recovered web', 'down web'],
      'a real outage is notified',
    );
    await world.clock.run(2 * hour);
    assert.ok(alerting.lines().includes('down api'), 'and the other when its silence is over');
    await alerting.stop();
  });

  it('leaves no samples in the future once the clock was right for a day', async () => {
    const alerting = await openAlerting(sparse);
    const { world } = alerting;
    const { sql } = world.store;
    await world.clock.run(2 * hour);
    world.clock.step(400 * day);
    await world.clock.run(3 * hour);
    world.clock.step(-400 * day);
    const ahead = () =>
      sql.get('SELECT max(tail_secs) AS secs FROM monitors', [], (row) => row.number('secs')) ?? 0;
    await world.clock.run(23 * hour);
    assert.ok(ahead() * 1000 > world.clock.now() + day, 'for a day nothing is deleted');
    await world.clock.run(2 * hour);
    assert.ok(ahead() * 1000 <= world.clock.now(), 'then what lies months ahead is gone');
    const last = samples.list(sql, 'web', { fromAt: world.clock.now() - 10 * hour, toAt: world.clock.now() });
    assert.ok(last.length >= 590, `${last.length} samples of the last ten hours`);
    await alerting.stop();
  });
});

describe('upkeep', () => {
  const sparse = settings + httpMonitors(['web'], 'interval_secs = 3600');
  const old = (world: World) => {
    const at = world.clock.now() - 500 * day;
    return world.store.write([
      incidents.open({
        uid: `old-${world.clock.monotonic()}`,
        monitor: 'other',
        name: 'Other',
        startedAt: at,
        confirmedAt: at,
        category: 'timeout',
        reason: null,
        cause: null,
        impacted: [],
        snapshot: null,
        vantage: null,
      }),
      incidents.close({ uid: `old-${world.clock.monotonic()}`, endedAt: at + hour }),
    ]);
  };
  const kept = ({ store }: World) => incidents.list(store.sql, { limit: 10 }).incidents.length;

  it('deletes after a day of a clock that was not set, counted over restarts', async () => {
    const world = await openWorld(sparse);
    await old(world);
    for (let quarter = 1; quarter <= 3; quarter += 1) {
      await world.clock.run(7 * hour);
      await world.restart();
      assert.equal(kept(world), 1, `after ${7 * quarter} hours`);
    }
    await world.clock.run(4 * hour);
    assert.equal(kept(world), 0);
    await world.engine.stop();
  });

  it('waits for a day after a stop that the clock alone says was long', async () => {
    const world = await openWorld(sparse);
    await world.clock.run(25 * hour);
    const at = world.clock.now();
    await world.store.write([
      silences.add({ monitors: null, untilAt: at + 2 * day, reason: null, createdAt: at }),
    ]);
    await world.engine.stop();
    world.clock.step(90 * day);
    await world.restart();
    const all = () => silences.active(world.store.sql, 0).length;
    await world.clock.run(23 * hour);
    assert.equal(all(), 1);
    await world.clock.run(2 * hour);
    assert.equal(all(), 0);
    await world.engine.stop();
  });

  it('goes on by monotonic time while the clock is set every few hours', async () => {
    const world = await openWorld(sparse);
    await world.clock.run(25 * hour);
    const at = world.clock.now();
    await world.store.write([
      silences.add({ monitors: null, untilAt: at + 5 * hour, reason: null, createdAt: at }),
    ]);
    for (let round = 0; round < 4; round += 1) {
      await world.clock.run(2 * hour);
      world.clock.step(round % 2 === 0 ? hour : -hour);
    }
    await world.clock.run(minute * 10);
    assert.equal(silences.active(world.store.sql, 0).length, 0);
    await world.engine.stop();
  });

  it('takes samples in again that a database from under a wrong clock refuses', async () => {
    const world = await openWorld(settings + httpMonitors(['web'], 'interval_secs = 60'));
    await world.clock.run(5 * minute);
    await world.engine.stop();
    const hours = world.clock.now() / hour;
    world.store.facts.sql.run('UPDATE monitors SET pruned_before = ?', Math.floor(hours) + 9600);
    await world.restart();
    const before = monitors.find(world.store.sql, 'web')?.samples ?? 0;
    await world.clock.run(10 * minute);
    assert.ok((monitors.find(world.store.sql, 'web')?.samples ?? 0) >= before + 9);
    await world.engine.stop();
  });
});

describe('what was written under a clock that was ahead, before anything was known of it', () => {
  it('is moved to now when the daemon starts', async () => {
    const alerting = await openAlerting(toml);
    const { world } = alerting;
    await world.clock.run(minute);
    world.targets.set('web', () => failed());
    await alerting.restart(() => {
      const at = world.clock.now() + 400 * day;
      world.store.facts.sql.run("DELETE FROM meta WHERE name = 'clock'");
      world.store.facts.apply(
        incidents.open({
          uid: 'ahead',
          monitor: 'web',
          name: 'web',
          startedAt: at - minute,
          confirmedAt: at,
          category: 'timeout',
          reason: null,
          cause: null,
          impacted: [],
          snapshot: null,
          vantage: null,
        }),
        outbox.put({
          deliveryId: 'ahead.down.ops',
          channel: 'ops',
          event: 'down',
          monitor: 'web',
          incident: 'ahead',
          payload: { startedAt: at - minute, confirmedAt: at, windowEndsAt: at + windowMs, hold: null },
          createdAt: at,
          nextAt: at + windowMs,
        }),
      );
    });
    await world.clock.run(windowMs + 2 * second);
    assert.deepEqual(alerting.lines(), ['down web']);
    assert.ok((incidents.find(world.store.sql, 'ahead')?.startedAt ?? Infinity) <= world.clock.now());
    await alerting.stop();
  });
});

describe('the digest after a stop', () => {
  it('that was missed in three days is sent at the start, once, and the next one when it is due', async () => {
    const config = `[digest]\nschedule = "0 8 * * *"\n${httpMonitors(['web'], 'interval_secs = 3600')}`;
    const world = await openWorld(config);
    const { config: loaded } = await loadWith(config);
    const start = () =>
      createDigest({
        config: () => loaded,
        store: world.store,
        clock: world.engine.trustedClock,
        log: () => undefined,
      });
    const digests = () => world.outbox().filter((row) => row.includes('digest')).length;
    const before = await start();
    await world.clock.run(25 * hour);
    const sent = digests();
    await before.stop();
    await world.engine.stop();
    // It has ended: ending it again would write down a clock of three days later.
    world.engine = { ...world.engine, stop: () => Promise.resolve() };
    world.clock.advance(3 * day);
    await world.restart();
    const after = await start();
    await world.clock.run(second);
    assert.equal(digests(), sent + 1);
    await world.clock.run(24 * hour);
    assert.equal(digests(), sent + 2);
    await after.stop();
    await world.engine.stop();
  });
});

describe('the digest while the clock is set', () => {
  it('is sent once for each slot, and for none of a clock that is months ahead', async () => {
    const config = `[digest]\nschedule = "0 8 * * *"\n${httpMonitors(['web'], 'interval_secs = 3600')}`;
    const world = await openWorld(config);
    const { config: loaded } = await loadWith(config);
    const digest = await createDigest({
      config: () => loaded,
      store: world.store,
      clock: world.engine.trustedClock,
      log: () => undefined,
    });
    const digests = () => world.outbox().filter((row) => row.includes('digest')).length;
    await world.clock.run(33 * hour);
    assert.equal(digests(), 2);
    world.clock.step(400 * day);
    await world.clock.run(hour);
    assert.equal(digests(), 2, 'none of the clock that is ahead');
    world.clock.step(-400 * day);
    await world.clock.run(23 * hour);
    assert.equal(digests(), 3, 'and the next one is that of the next day');
    world.clock.step(-2 * hour);
    await world.clock.run(3 * hour);
    assert.equal(digests(), 3, 'no slot comes twice');
    await world.clock.run(23 * hour);
    assert.equal(digests(), 4);
    await digest.stop();
    await world.engine.stop();
  });
});
