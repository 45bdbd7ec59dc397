/** Certificates that expired while the daemon was stopped for days: a long stop is not taken for a wrong clock. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { failed, httpMonitors, openWorld, up, type World } from './world.ts';

const minute = 60_000;
const day = 86_400_000;
const ids = ['web', 'api', 'mail'];

/** A certificate with so many days left, with a key of its own or that of another; refused by the clock of the host. */
function presenting(
  world: World,
  id: string,
  {
    daysLeft,
    key = id,
    isTrusted = true,
  }: { readonly daysLeft: number; readonly key?: string; readonly isTrusted?: boolean },
): void {
  const validToAt = world.clock.now() + daysLeft * day;
  world.targets.set(id, () => {
    const certificate = {
      subject: id,
      issuer: 'ca',
      validFromAt: validToAt - 90 * day,
      validToAt,
      spkiSha256: key.padEnd(64, '0'),
      isTrusted,
      chain: [],
    };
    const answer =
      world.clock.now() <= validToAt ? up() : failed('tls', `the certificate of ${id}.example expired`);
    return { ...answer, result: { ...answer.result, certificate } };
  });
}

const openOf = (world: World) =>
  incidents
    .listOpen(world.store.sql)
    .map(({ monitor, ownFault }) => `${monitor} ${ownFault ?? 'down'}`)
    .sort();
const told = (world: World) =>
  world.outbox().flatMap((row) => (/ (?:down|unknown) /.test(row) ? [row.replace(/ waiting$/, '')] : []));

interface AfterStop {
  readonly stopDays?: number;
  readonly threshold?: number;
  /** Of all certificates; left out: each has its own. */
  readonly key?: string;
  /** Of all targets; left out: each has its own. */
  readonly host?: string;
}

/** The targets, with the days that their certificates have left, when the daemon ends for so many days. */
async function afterStop(
  targets: Readonly<Record<string, number>>,
  { stopDays = 30, threshold = 3, key, host }: AfterStop = {},
): Promise<World> {
  const settings = `[alerts]\nfail_threshold = ${threshold}\ngroup_window_secs = 0\n`;
  const monitors = httpMonitors(Object.keys(targets), 'interval_secs = 60');
  const world = await openWorld(
    settings +
      (host === undefined ? monitors : monitors.replace(/https:\/\/(\w+)\.example\//g, `https://${host}/$1`)),
  );
  for (const [id, daysLeft] of Object.entries(targets)) presenting(world, id, { daysLeft, key: key ?? id });
  await world.clock.run(10 * minute);
  await world.clock.until(world.engine.stop());
  world.clock.step(stopDays * day);
  await world.restart();
  return world;
}

for (const threshold of [1, 3])
  describe(`after a stop of 30 days, at a fail_threshold of ${threshold}`, () => {
    it('a target whose certificate expired meanwhile is down, among others that are up', async () => {
      const world = await afterStop({ web: 20, api: 80, mail: 70 }, { threshold });
      await world.clock.run(10 * minute);
      assert.deepEqual(openOf(world), ['web down']);
      assert.deepEqual(told(world), ['web down']);
      await world.engine.stop();
    });

    it('also when it is the only target', async () => {
      const world = await afterStop({ web: 20 }, { threshold });
      await world.clock.run(10 * minute);
      assert.deepEqual(told(world), ['web down']);
      await world.engine.stop();
    });

    it('also when two hosts share the certificate', async () => {
      const world = await afterStop({ web: 20, api: 20 }, { threshold, key: 'wildcard' });
      await world.clock.run(10 * minute);
      assert.deepEqual(told(world).sort(), ['api down', 'web down']);
      await world.engine.stop();
    });

    it('also when one host has two of them, for an RSA key and an ECDSA key', async () => {
      const world = await afterStop({ rsa: 20, ecdsa: 20 }, { threshold, host: 'web.example' });
      await world.clock.run(10 * minute);
      assert.deepEqual(told(world).sort(), ['ecdsa down', 'rsa down']);
      await world.engine.stop();
    });

    it('also when two of them expired, and a third one was issued since: the clock is right by that one', async () => {
      const world = await afterStop({ web: 20, api: 25, mail: 28 }, { threshold });
      presenting(world, 'mail', { daysLeft: 88 });
      await world.clock.run(10 * minute);
      assert.deepEqual(told(world).sort(), ['api down', 'web down']);
      await world.engine.stop();
    });

    it('and no target where the third one was issued before they expired, or by nobody who is trusted', async () => {
      for (const [daysLeft, isTrusted] of [
        [79, true],
        [88, false],
      ] as const) {
        const world = await afterStop({ web: 20, api: 25, mail: 28 }, { threshold });
        presenting(world, 'mail', { daysLeft, isTrusted });
        await world.clock.run(60 * minute);
        assert.deepEqual(openOf(world), ['api clock', 'web clock']);
        await world.engine.stop();
      }
    });

    it('and is up again when it is renewed', async () => {
      const world = await afterStop({ web: 20, api: 80 }, { threshold });
      await world.clock.run(10 * minute);
      presenting(world, 'web', { daysLeft: 90 });
      await world.clock.run(10 * minute);
      assert.deepEqual(openOf(world), []);
      await world.engine.stop();
    });

    it('nothing is reported when none expired', async () => {
      const world = await afterStop({ web: 60, api: 80 }, { threshold });
      await world.clock.run(25 * 60 * minute);
      assert.deepEqual(told(world), []);
      await world.engine.stop();
    });

    it('the clock is blamed when the certificates of all targets have expired, and no target', async () => {
      const world = await afterStop({ web: 20, api: 25, mail: 28 }, { threshold, stopDays: 400 });
      await world.clock.run(60 * minute);
      assert.deepEqual(openOf(world), ['api clock', 'mail clock', 'web clock']);
      assert.deepEqual(told(world).sort(), ['api unknown', 'mail unknown', 'web unknown']);
      // With the right clock all of them are as they were.
      world.clock.step(-400 * day);
      await world.clock.run(10 * minute);
      assert.deepEqual(openOf(world), []);
      assert.deepEqual(
        told(world).filter((row) => row.endsWith('down')),
        [],
      );
      await world.engine.stop();
    });

    it('the clock is trusted once it has run for a day', async () => {
      const world = await afterStop({ web: 20, api: 25 }, { threshold });
      await world.clock.run(25 * 60 * minute);
      assert.deepEqual(openOf(world), ['api down', 'web down']);
      await world.engine.stop();
    });
  });

describe('a certificate that expires', () => {
  it('while the daemon is stopped for some hours is down at once', async () => {
    const world = await afterStop({ web: 0.2, api: 80 }, { stopDays: 0.5 });
    await world.clock.run(4 * minute);
    assert.deepEqual(told(world), ['web down']);
    await world.engine.stop();
  });

  for (const [name, restarts] of [
    ['', false],
    [', also after a restart', true],
  ] as const)
    it(`by a clock that was seen to be set far ahead is no fault of its target${name}`, async () => {
      const world = await openWorld(httpMonitors(ids, 'interval_secs = 60'));
      presenting(world, 'web', { daysLeft: 20 });
      for (const id of ids.slice(1)) presenting(world, id, { daysLeft: 80 });
      await world.clock.run(10 * minute);
      world.clock.step(30 * day);
      await world.clock.run(2 * minute);
      if (restarts) await world.restart();
      await world.clock.run(60 * minute);
      assert.deepEqual(openOf(world), ['web clock']);
      await world.engine.stop();
    });
});
