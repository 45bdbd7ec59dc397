import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decisions } from '../../../src/db/tables/decisions.ts';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { meta } from '../../../src/db/tables/meta.ts';
import { samples } from '../../../src/db/tables/samples.ts';
import type { StatusdError } from '../../../src/engine/core/errors.ts';
import { failed, httpMonitors, openWorld, silent, unknown, up, type World } from './world.ts';

const second = 1000;
const minute = 60_000;

function samplesOf(world: World, id: string) {
  return samples.list(world.store.sql, id, { fromAt: 0, toAt: Number.MAX_SAFE_INTEGER / 2000 });
}

describe('the engine', () => {
  it('opens an incident after fail_threshold failed checks, queues one message, and closes it again', async () => {
    const world = await openWorld(httpMonitors(['api']));
    await world.clock.run(3 * minute);
    assert.equal(world.engine.stateOf('api')?.status, 'up');
    world.targets.set('api', () => failed());
    await world.clock.run(2 * minute);
    assert.equal(world.engine.stateOf('api')?.status, 'degraded');
    assert.deepEqual(world.openIncidents(), []);
    await world.clock.run(minute);
    assert.equal(world.engine.stateOf('api')?.status, 'down');
    assert.deepEqual(world.openIncidents(), ['api']);
    assert.deepEqual(world.outbox(), ['api down waiting']);
    world.targets.set('api', () => up());
    await world.clock.run(minute);
    assert.deepEqual(world.openIncidents(), []);
    assert.deepEqual(
      world.log.map(({ event }) => event),
      ['monitor.down', 'monitor.recovered'],
    );
    await world.engine.stop();
  });

  it('logs of a slow target how long it took, in whole milliseconds', async () => {
    const world = await openWorld(httpMonitors(['api'], 'fail_threshold = 1\ndegraded_over_ms = 500'));
    world.targets.set('api', () => up(900.2667570000012));
    await world.clock.run(minute);
    const [line] = world.log;
    assert.equal(line?.message, 'api is degraded: it took 900 ms');
    assert.deepEqual(line.fields, { monitor: 'api', latency_ms: 900, reason: null });
    await world.engine.stop();
  });

  it('keeps the answer of the failed check with the incident', async () => {
    const world = await openWorld(httpMonitors(['api'], 'fail_threshold = 1'));
    const answer = {
      statusLine: 'HTTP/1.1 503 Service Unavailable',
      headers: [['server', 'nginx']] as const,
      moreHeaders: 6,
      body: 'sorry',
    };
    const { result } = failed();
    world.targets.set('api', () => ({ result: { ...result, answer }, tookMs: 0 }));
    await world.clock.run(minute);
    const [incident] = incidents.listOpen(world.store.sql);
    assert.equal(incident?.category, 'status');
    assert.equal(incident.reason, 'answered 503');
    assert.deepEqual(incident.snapshot, answer);
    await world.engine.stop();
  });

  it('lets each sample count until the next one is due', async () => {
    const world = await openWorld(
      httpMonitors(['api'], 'interval_secs = 30\ntimeout_secs = 4\nprobe_retries = 2'),
    );
    await world.clock.run(minute);
    assert.equal(samplesOf(world, 'api')[0]?.holdSecs, 30 + 5 * 3);
    await world.engine.stop();
  });

  it('checks every monitor once an interval, spread over it', async () => {
    const ids = Array.from({ length: 100 }, (_, n) => `m${n}`);
    const world = await openWorld(httpMonitors(ids));
    await world.clock.run(minute);
    assert.equal(new Set(world.checks.map(({ id }) => id)).size, 100);
    const perSecond = new Map<number, number>();
    for (const { atMs } of world.checks)
      perSecond.set(Math.floor(atMs / 1000), (perSecond.get(Math.floor(atMs / 1000)) ?? 0) + 1);
    assert.ok(Math.max(...perSecond.values()) < 10, 'they come in a burst');
    await world.clock.run(9 * minute);
    assert.equal(world.checks.length, 1000, 'the schedule drifts');
    await world.engine.stop();
  });

  it('gathers the checks of many in the first part of each tenth of a second, with those a reload adds', async () => {
    const ids = Array.from({ length: 1000 }, (_, n) => `m${n}`);
    const world = await openWorld(httpMonitors(ids.slice(0, 900), 'interval_secs = 20'));
    const places = () => world.checks.map(({ atMs }) => atMs % 100);
    await world.clock.run(20 * second + 37);
    assert.ok(world.checks.length >= 900 && Math.max(...places()) < 10, String(Math.max(...places())));
    await world.reload(httpMonitors(ids, 'interval_secs = 20'));
    await world.clock.run(40 * second);
    assert.equal(new Set(world.checks.map(({ id }) => id)).size, 1000);
    assert.ok(Math.max(...places()) < 11, String(Math.max(...places())));
    await world.engine.stop();
  });

  it('has no two checks of one monitor under way, and skips the ticks a slow one overruns', async () => {
    const world = await openWorld(httpMonitors(['slow'], 'interval_secs = 5'));
    world.targets.set('slow', () => silent(12 * second));
    await world.clock.run(minute);
    const gaps = world.checks.slice(1).map(({ atMs }, n) => Math.round(atMs - (world.checks[n]?.atMs ?? 0)));
    assert.deepEqual(new Set(gaps), new Set([15 * second]));
    await world.engine.stop();
  });

  it('bounds the checks under way, and says when they hold up the schedule', async () => {
    const ids = Array.from({ length: 2100 }, (_, n) => `m${n}`);
    const world = await openWorld(httpMonitors(ids));
    for (const id of ids) world.targets.set(id, () => silent(50 * minute));
    await world.clock.run(minute);
    assert.equal(world.engine.health().inFlight, 2000);
    assert.equal(world.checks.length, 2000);
    await world.clock.run(minute);
    assert.equal(world.engine.health().isSchedulerOk, false);
    await world.engine.stop();
  });

  it('checks the healthy half in time while the other half hangs, and reports that down', async () => {
    const ids = Array.from({ length: 3000 }, (_, n) => (n % 2 === 0 ? `ok${n}` : `hangs${n}`));
    const world = await openWorld(httpMonitors(ids, 'interval_secs = 20'));
    // Three attempts of 10 s, 1 s apart.
    for (const id of ids) if (id.startsWith('hangs')) world.targets.set(id, () => silent(32 * second));
    await world.clock.run(5 * minute);
    const last = new Map<string, number>();
    const late: number[] = [];
    for (const { id, atMs } of world.checks) {
      if (id.startsWith('hangs')) continue;
      late.push(atMs - (last.get(id) ?? atMs - 20 * second) - 20 * second);
      last.set(id, atMs);
    }
    assert.ok(late.length >= 1500 * 14, `${late.length} checks`);
    assert.ok(Math.max(...late) < second, `${Math.max(...late)} ms late`);
    assert.equal(world.openIncidents().length, 1500);
    assert.equal(world.engine.health().isSchedulerOk, true);
    await world.engine.stop();
  });

  it('reports the health of its schedule', async () => {
    const world = await openWorld(httpMonitors(['api']));
    assert.equal(world.engine.health().lastTickAgeMs, null);
    await world.clock.run(minute);
    const health = world.engine.health();
    assert.equal(health.isSchedulerOk, true);
    assert.ok((health.lastTickAgeMs ?? Infinity) <= minute);
    assert.deepEqual(health.network, { state: 'ok', sinceAt: null, reason: null });
    assert.ok(health.lateness.maxMs <= 1);
    await world.engine.stop();
  });

  it('checks now, and a push monitor at once', async () => {
    const world = await openWorld(
      httpMonitors(['api'], 'interval_secs = 3600') + '[[monitors]]\nid = "job"\nkind = "push"\n',
    );
    await world.clock.until(world.engine.checkNow(['api', 'job', 'nobody']));
    assert.equal(samplesOf(world, 'api').length, 1);
    world.targets.set('api', () => up(3));
    const both = Promise.all([world.engine.checkNow(['api']), world.engine.checkNow(['api'])]);
    await world.clock.until(both);
    assert.equal(world.checks.length, 2, 'one that is under way is joined');
    await world.engine.stop();
  });

  it('takes a broken check for a fault of its own', async () => {
    const world = await openWorld(httpMonitors(['api'], 'fail_threshold = 1'), {
      engine: { check: () => Promise.reject(new Error('a bug')) },
    });
    await world.clock.run(5 * minute);
    assert.equal(world.engine.stateOf('api')?.status, 'unknown');
    assert.deepEqual(world.outbox(), ['api unknown waiting'], 'which is reported, and no down');
    await world.engine.stop();
  });
});

describe('stopping and starting', () => {
  it('goes on with all monitors when a probe throws at once, or its result cannot be judged', async () => {
    const ids = ['good', 'bad', 'worse'];
    const begun: string[] = [];
    const world = await openWorld(httpMonitors(ids), {
      engine: {
        check: ({ id }) => {
          begun.push(id);
          if (id === 'bad') throw new Error('thrown before there was a promise');
          const { result } = up();
          const cursed = {
            ...result,
            get outcome(): 'healthy' {
              throw new Error('cursed');
            },
          };
          return Promise.resolve({ startedAt: 0, attempts: 1, result: id === 'worse' ? cursed : result });
        },
      },
    });
    await world.clock.run(10 * minute);
    for (const id of ids) assert.ok(begun.filter((one) => one === id).length >= 9, id);
    assert.equal(world.engine.health().inFlight, 0);
    assert.equal(world.engine.stateOf('good')?.status, 'up');
    const faults = world.log.filter(({ event }) => event === 'daemon.fault');
    assert.equal(
      faults[0]?.message,
      'something unexpected went wrong with the check of worse: cursed. All else goes on',
    );
    await world.engine.stop();
  });

  it('drops what is under way, at once', async () => {
    const world = await openWorld(httpMonitors(['api'], 'fail_threshold = 1'));
    world.targets.set('api', () => silent(10 * second));
    while (world.checks.length === 0) await world.clock.run(second);
    await world.engine.stop();
    await world.clock.run(5 * minute);
    assert.deepEqual(samplesOf(world, 'api'), []);
    assert.equal(world.checks.length, 1);
  });

  it('goes on with the streak and the open incident it had', async () => {
    const world = await openWorld(httpMonitors(['api', 'web']));
    world.targets.set('api', () => failed());
    await world.clock.run(2 * minute);
    await world.restart();
    assert.equal(world.engine.stateOf('api')?.failures?.count, 2);
    await world.clock.run(minute);
    assert.deepEqual(world.openIncidents(), ['api']);
    await world.restart();
    assert.equal(world.engine.stateOf('api')?.status, 'down');
    await world.clock.run(5 * minute);
    assert.deepEqual(world.openIncidents(), ['api']);
    world.targets.set('api', () => up());
    await world.clock.run(minute);
    assert.deepEqual(world.openIncidents(), []);
    assert.deepEqual(incidents.list(world.store.sql, { limit: 10 }).incidents.length, 1);
    await world.engine.stop();
  });

  it('ends the incident of a monitor that was removed while it was stopped', async () => {
    const world = await openWorld(httpMonitors(['api', 'web'], 'fail_threshold = 1'));
    world.targets.set('api', () => failed());
    await world.clock.run(minute);
    await world.restart(httpMonitors(['web']));
    assert.deepEqual(world.openIncidents(), []);
    const { uid = '' } = incidents.list(world.store.sql, { limit: 1 }).incidents[0] ?? {};
    const reasons = decisions.ofIncident(world.store.sql, uid).map(({ reason }) => reason);
    assert.ok(reasons.includes('monitor_removed'));
    assert.ok(world.outbox().every((row) => !row.includes('recovered')));
    await world.engine.stop();
  });
});

describe('a reload', () => {
  const policy = 'fail_threshold = 3';

  it('says what changed, and leaves the rest alone', async () => {
    const world = await openWorld(httpMonitors(['a', 'b', 'c'], policy));
    world.targets.set('b', () => failed());
    await world.clock.run(2 * minute);
    const next =
      httpMonitors(['a'], policy) + httpMonitors(['b'], 'fail_threshold = 5') + httpMonitors(['d']);
    const changes = await world.reload(next);
    assert.deepEqual(changes, {
      started: ['d'],
      stopped: ['c'],
      renamed: [],
      restarted: ['b'],
      unchanged: 1,
    });
    assert.equal(world.engine.stateOf('c'), null);
    assert.equal(world.engine.stateOf('b')?.failures?.count, 2, 'the streak goes on');
    await world.clock.run(10 * minute);
    const times = world.checks.filter(({ id }) => id === 'a').map(({ atMs }) => atMs);
    assert.deepEqual(
      new Set(times.slice(1).map((at, n) => Math.round(at - (times[n] ?? 0)))),
      new Set([minute]),
    );
    await world.engine.stop();
  });

  it('drops a check that asks for what is no longer asked', async () => {
    const world = await openWorld(httpMonitors(['a'], 'fail_threshold = 1'));
    world.targets.set('a', () => silent(10 * second));
    while (world.checks.length === 0) await world.clock.run(second);
    world.targets.set('a', () => up());
    await world.reload(httpMonitors(['a'], 'fail_threshold = 1\ntimeout_secs = 3'));
    await world.clock.run(minute);
    assert.deepEqual(
      samplesOf(world, 'a').map(({ status }) => status),
      ['up'],
    );
    await world.engine.stop();
  });

  it('ends the incident of a removed monitor, and begins without it when the monitor is back', async () => {
    const world = await openWorld(httpMonitors(['a', 'b'], 'fail_threshold = 1'));
    world.targets.set('a', () => failed());
    await world.clock.run(minute);
    assert.deepEqual(world.openIncidents(), ['a']);
    await world.reload(httpMonitors(['b']));
    assert.deepEqual(world.openIncidents(), []);
    world.targets.set('a', () => up());
    await world.reload(httpMonitors(['a', 'b'], 'fail_threshold = 1'));
    await world.clock.run(2 * minute);
    assert.equal(world.engine.stateOf('a')?.status, 'up');
    await world.engine.stop();
  });
});

describe('push monitors', () => {
  const job = '[[monitors]]\nid = "job"\nkind = "push"\ninterval_secs = 600\ngrace_secs = 300\n';
  const beat = (world: World, status: 'up' | 'degraded' | 'down' = 'up', message: string | null = null) =>
    world.clock.until(world.engine.heartbeat({ monitor: 'job', status, message, pingMs: 12 }));

  it('are unknown until their first deadline, then down', async () => {
    const world = await openWorld(job);
    await world.clock.run(14 * minute);
    assert.equal(world.engine.stateOf('job'), null);
    await world.clock.run(2 * minute);
    assert.equal(world.engine.stateOf('job')?.status, 'down');
    assert.equal(incidents.listOpen(world.store.sql)[0]?.category, 'heartbeat');
    await world.engine.stop();
  });

  it('are degraded when late, down after their grace, and up with the next heartbeat', async () => {
    const world = await openWorld(job);
    await beat(world);
    assert.equal(world.engine.stateOf('job')?.status, 'up');
    await world.clock.run(11 * minute);
    assert.equal(world.engine.stateOf('job')?.status, 'degraded');
    await world.clock.run(5 * minute);
    assert.equal(world.engine.stateOf('job')?.status, 'down');
    await beat(world);
    assert.equal(world.engine.stateOf('job')?.status, 'up');
    assert.deepEqual(world.openIncidents(), []);
    await world.engine.stop();
  });

  it('stay on record as down for as long as they are silent', async () => {
    const world = await openWorld(job);
    await beat(world);
    await world.clock.run(60 * minute);
    const all = samplesOf(world, 'job');
    const down = all.filter(({ status }) => status === 'down');
    const spoken = down.map(({ at, holdSecs }, n) =>
      Math.min(holdSecs, ((down[n + 1]?.at ?? at) - at) / 1000),
    );
    assert.equal(
      spoken.reduce((sum, secs) => sum + secs, 0),
      ((down.at(-1)?.at ?? 0) - (down[0]?.at ?? 0)) / 1000,
      'there is a hole in the outage',
    );
    assert.ok(down.length >= 5);
    await world.engine.stop();
  });

  it('count an explicit down as a failed check, with what it said', async () => {
    const world = await openWorld(job);
    for (let count = 0; count < 3; count += 1) await beat(world, 'down', 'disk \u001b[31mfull');
    const [incident] = incidents.listOpen(world.store.sql);
    assert.equal(incident?.reason, 'disk full');
    await world.engine.stop();
  });

  it('refuse a heartbeat that cannot be kept, and change nothing', async () => {
    const world = await openWorld(job);
    await beat(world);
    world.store.setHealth({ isDurable: false, reason: 'the disk is full', since: 1 });
    const before = world.engine.stateOf('job');
    await assert.rejects(beat(world, 'down'), { code: 'store_full' });
    assert.deepEqual(world.engine.stateOf('job'), before);
    await world.engine.stop();
  });

  it('are not found under the id of another kind, or of nobody', async () => {
    const world = await openWorld(job + httpMonitors(['api']));
    for (const monitor of ['api', 'nobody'])
      await assert.rejects(
        world.engine.heartbeat({ monitor, status: 'up', message: null, pingMs: null }),
        (error: StatusdError) => error.code === 'not_found',
      );
    await world.engine.stop();
  });

  it('keep every heartbeat, several in one second too', async () => {
    const world = await openWorld(job);
    await world.clock.until(Promise.all(Array.from({ length: 5 }, () => beat(world))));
    assert.equal(samplesOf(world, 'job').length, 5);
    await world.engine.stop();
  });

  it('that another node refused in the place of this one are given time to come again', async () => {
    const first = await openWorld(job);
    await first.clock.until(beat(first));
    await first.engine.stop();
    const { clock, store } = first;
    const refusedSinceAt = clock.now();
    await clock.run(60 * minute);
    // The other node listened until now, as far as the record says.
    await store.write([meta.set({ name: 'listening_until', value: clock.now() })], { mustBeDurable: false });
    const next = await openWorld(job, { clock, store, engine: { refusedSinceAt } });
    await clock.run(20 * second);
    assert.notEqual(next.engine.stateOf('job')?.status, 'down');
    assert.deepEqual(next.openIncidents(), []);
    await clock.run(60 * minute);
    assert.deepEqual(next.openIncidents(), ['job']);
    await next.engine.stop();
  });

  it('are expected by their schedule', async () => {
    const hourly = '[[monitors]]\nid = "job"\nkind = "push"\nschedule = "0 * * * *"\n';
    const world = await openWorld(hourly);
    await world.clock.run(60 * minute);
    await beat(world);
    await world.clock.run(60 * minute - minute);
    assert.equal(world.engine.stateOf('job')?.status, 'up');
    await world.clock.run(2 * minute);
    assert.equal(world.engine.stateOf('job')?.status, 'degraded');
    await world.clock.run(30 * minute);
    assert.equal(world.engine.stateOf('job')?.status, 'down');
    const [first] = samplesOf(world, 'job');
    assert.equal(first?.holdSecs, 3600 + 1800);
    await world.engine.stop();
  });

  it('are given time to come again after a restart', async () => {
    const world = await openWorld(job);
    await beat(world);
    await world.engine.stop();
    world.clock.stall(60 * minute);
    await world.restart();
    await world.clock.run(14 * minute);
    assert.deepEqual(world.openIncidents(), []);
    await world.clock.run(2 * minute);
    assert.deepEqual(world.openIncidents(), ['job'], 'but no longer');
    await world.engine.stop();
  });
});

describe('unknown samples', () => {
  it('never open an incident', async () => {
    const world = await openWorld(httpMonitors(['api'], 'fail_threshold = 1'));
    world.targets.set('api', unknown);
    await world.clock.run(60 * minute);
    assert.deepEqual(world.openIncidents(), []);
    await world.engine.stop();
  });
});
