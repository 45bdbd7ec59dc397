import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { certificates } from '../../../src/db/tables/certificates.ts';
import { decisions } from '../../../src/db/tables/decisions.ts';
import { domains } from '../../../src/db/tables/domains.ts';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { outbox } from '../../../src/db/tables/outbox.ts';
import { silences } from '../../../src/db/tables/silences.ts';
import { fieldsOf } from '../../../src/engine/alerting/events/stored.ts';
import type { Certificate } from '../../../src/engine/core/probe.ts';
import { failed, httpMonitors, openWorld, up, type World } from './world.ts';

const minute = 60_000;
const hour = 3_600_000;
const day = 86_400_000;

function rowsOf(world: World, event: string): string[] {
  return world.outbox().filter((row) => row.includes(event));
}

/** Why a budget burn was not sent, as `verdict reason`. */
function suppressedIn(world: World): string[] {
  return decisions
    .ofMonitor(world.store.sql, 'api', { at: Number.MAX_SAFE_INTEGER, limit: 100 })
    .filter(({ event }) => event === 'budget_burn')
    .map(({ verdict, reason }) => `${verdict} ${reason}`);
}

function presenting(world: World, certificate: Partial<Certificate>): void {
  const whole: Certificate = {
    subject: 'CN=api.example',
    issuer: 'CN=ca',
    validFromAt: 0,
    validToAt: world.clock.now() + 400 * day,
    spkiSha256: 'a'.repeat(64),
    isTrusted: true,
    chain: [],
    ...certificate,
  };
  world.targets.set('api', () => ({ result: { ...up().result, certificate: whole }, tookMs: 0 }));
}

describe('certificates', () => {
  it('are warned of once for each expiry, also after a restart', async () => {
    const world = await openWorld(httpMonitors(['api'], 'interval_secs = 300'));
    const expiresAt = world.clock.now() + 14 * day + hour;
    presenting(world, { validToAt: expiresAt });
    await world.clock.run(50 * minute);
    assert.deepEqual(rowsOf(world, 'cert_expiring'), []);
    await world.clock.run(30 * minute);
    assert.equal(rowsOf(world, 'cert_expiring').length, 1);
    await world.restart();
    await world.clock.run(30 * minute);
    assert.equal(rowsOf(world, 'cert_expiring').length, 1);
    presenting(world, { validToAt: expiresAt + minute });
    await world.clock.run(10 * minute);
    assert.equal(rowsOf(world, 'cert_expiring').length, 2, 'another expiry is another warning');
    await world.engine.stop();
  });

  it('are notified when their key changed, and not again when servers take turns', async () => {
    const world = await openWorld(httpMonitors(['api']));
    presenting(world, {});
    await world.clock.run(5 * minute);
    for (const key of ['b', 'a', 'b', 'a']) {
      presenting(world, { spkiSha256: key.repeat(64) });
      await world.clock.run(2 * minute);
    }
    assert.equal(rowsOf(world, 'cert_changed').length, 1);
    assert.equal(certificates.find(world.store.sql, 'api')?.spkiSha256, 'a'.repeat(64));
    await world.engine.stop();
  });

  it('are written when something changed, and once a day', async () => {
    const world = await openWorld(httpMonitors(['api'], 'interval_secs = 600'));
    presenting(world, { validToAt: world.clock.now() + 400 * day });
    const written = () => world.store.taken.filter(([name]) => name === 'certificate.see').length;
    await world.clock.run(23 * hour);
    assert.equal(written(), 1);
    await world.clock.run(2 * hour);
    assert.equal(written(), 2);
    await world.engine.stop();
  });

  it('are not warned of where check_cert is off', async () => {
    const world = await openWorld(httpMonitors(['api'], 'check_cert = false'));
    presenting(world, { validToAt: world.clock.now() + day });
    await world.clock.run(hour);
    assert.deepEqual(rowsOf(world, 'cert'), []);
    assert.notEqual(certificates.find(world.store.sql, 'api'), null);
    await world.engine.stop();
  });
});

describe('a certificate that can no longer be read', () => {
  const told = (world: World) => rowsOf(world, 'cert_unreadable').length;

  /** It answers, over TLS, and its certificate cannot be read. */
  const withholding = (world: World) => {
    world.targets.set('api', () => up());
  };

  it('is notified once, also after a restart, and again when it was read in between', async () => {
    const world = await openWorld(httpMonitors(['api']));
    presenting(world, {});
    await world.clock.run(5 * minute);
    withholding(world);
    await world.clock.run(2 * minute);
    assert.equal(told(world), 0, 'one or two checks say nothing');
    await world.clock.run(3 * minute);
    assert.equal(told(world), 1);
    await world.restart();
    withholding(world);
    await world.clock.run(hour);
    assert.equal(told(world), 1);
    presenting(world, {});
    await world.clock.run(2 * minute);
    withholding(world);
    await world.clock.run(10 * minute);
    assert.equal(told(world), 2);
    await world.engine.stop();
  });

  it('names since when, and until when it was valid when it was last read', async () => {
    const world = await openWorld(httpMonitors(['api']));
    const validToAt = world.clock.now() + 60 * day;
    presenting(world, { validToAt });
    await world.clock.run(5 * minute);
    const lastReadAt = world.clock.now();
    withholding(world);
    await world.clock.run(5 * minute);
    const payload = world.store.sql.get(
      "SELECT payload FROM outbox WHERE event = 'cert_unreadable'",
      [],
      (row) => JSON.parse(row.text('payload')) as Record<string, unknown>,
    );
    assert.equal(payload?.['lastExpiresAt'], validToAt);
    const sinceAt = Number(payload['sinceAt']);
    assert.ok(sinceAt > lastReadAt && sinceAt <= lastReadAt + minute, `${sinceAt - lastReadAt}`);
    await world.engine.stop();
  });

  it('is not notified of a target that is down or cannot be checked: that is an outage', async () => {
    const world = await openWorld(httpMonitors(['api']));
    presenting(world, {});
    await world.clock.run(5 * minute);
    for (const answer of [failed('connection'), failed('tls'), failed('status')]) {
      world.targets.set('api', () => answer);
      await world.clock.run(20 * minute);
      presenting(world, {});
      await world.clock.run(5 * minute);
    }
    assert.equal(told(world), 0);
    assert.equal(rowsOf(world, 'api down').length, 3);
    await world.engine.stop();
  });

  it('is notified whatever fails between the checks that found none', async () => {
    const world = await openWorld(httpMonitors(['api']));
    presenting(world, {});
    await world.clock.run(5 * minute);
    let count = 0;
    world.targets.set('api', () => {
      count += 1;
      return count % 2 === 0 ? failed() : up();
    });
    await world.clock.run(4 * minute);
    assert.equal(told(world), 0);
    await world.clock.run(4 * minute);
    assert.equal(told(world), 1);
    await world.engine.stop();
  });

  it('is not notified where none was ever read, none is expected, or it is switched off', async () => {
    const plain = '[[monitors]]\nid = "api"\ntarget = "http://api.example/"\n';
    for (const [toml, isRead] of [
      [httpMonitors(['api']), false],
      [httpMonitors(['api'], 'check_cert = false'), true],
      [plain, true],
    ] as const) {
      const world = await openWorld(toml);
      if (isRead) presenting(world, {});
      await world.clock.run(5 * minute);
      withholding(world);
      await world.clock.run(20 * minute);
      assert.equal(told(world), 0, toml);
      await world.engine.stop();
    }
  });
});

describe('domains', () => {
  const toml = httpMonitors(['api'], 'interval_secs = 3600\ndomain_expiry = "example.com"');

  it('are looked up once a day, and warned of once', async () => {
    let looks = 0;
    const expiresAt = Date.UTC(2026, 0, 12);
    const lookUpDomain = () => {
      looks += 1;
      return Promise.resolve({ kind: 'known', expiresAt } as const);
    };
    const world = await openWorld(toml, { engine: { lookUpDomain } });
    await world.clock.run(day + hour);
    assert.equal(looks, 2);
    await world.restart();
    await world.clock.run(hour);
    assert.equal(looks, 2, 'a restart asks for nothing that is known');
    assert.deepEqual(rowsOf(world, 'domain_expiring').length, 1);
    assert.equal(domains.find(world.store.sql, 'api')?.expiresAt, expiresAt);
    await world.engine.stop();
  });

  it('are asked for again within hours when the registry did not answer', async () => {
    let looks = 0;
    const lookUpDomain = () => {
      looks += 1;
      return Promise.resolve({ kind: 'unknown', message: 'no answer' } as const);
    };
    const world = await openWorld(toml, { engine: { lookUpDomain } });
    await world.clock.run(3 * hour + 30 * minute);
    assert.equal(looks, 4);
    assert.equal(domains.find(world.store.sql, 'api')?.error, 'no answer');
    await world.engine.stop();
  });
});

describe('error budgets', () => {
  const toml = httpMonitors(['api'], 'slo_uptime = 99.9');

  /** Two failed checks, then a good one: never confirmed down. */
  const twoOfThree = () => {
    let count = 0;
    return () => {
      count += 1;
      return count % 3 === 0 ? up() : failed();
    };
  };

  it('are notified once when they burn, and again after a pause', async () => {
    const world = await openWorld(toml);
    await world.clock.run(4 * hour);
    world.targets.set('api', twoOfThree());
    await world.clock.run(10 * minute);
    world.targets.set('api', () => up());
    assert.equal(
      rowsOf(world, 'budget_burn').length,
      1,
      'of two that begin at once, the fast one says it all',
    );
    await world.restart();
    world.targets.set('api', twoOfThree());
    await world.clock.run(20 * minute);
    assert.equal(rowsOf(world, 'budget_burn').length, 1);
    world.targets.set('api', () => up());
    await world.clock.run(7 * hour);
    world.targets.set('api', twoOfThree());
    await world.clock.run(10 * minute);
    assert.equal(rowsOf(world, 'budget_burn').length, 3, 'fast, and slow a little later');
    await world.engine.stop();
  });

  it('are not notified beside an outage, nor when it is over: once an outage, that is logged', async () => {
    const world = await openWorld(toml);
    await world.clock.run(4 * hour);
    world.targets.set('api', () => failed());
    await world.clock.run(30 * minute);
    world.targets.set('api', () => up());
    await world.clock.run(10 * minute);
    assert.deepEqual(rowsOf(world, 'budget_burn'), []);
    assert.deepEqual(suppressedIn(world), ['spared outage_open']);
    await world.engine.stop();
  });

  it('are notified once when failures go on after an outage is over', async () => {
    const world = await openWorld(toml);
    await world.clock.run(4 * hour);
    world.targets.set('api', () => failed());
    await world.clock.run(10 * minute);
    world.targets.set('api', () => up());
    await world.clock.run(2 * minute);
    world.targets.set('api', twoOfThree());
    await world.clock.run(30 * minute);
    assert.equal(rowsOf(world, 'budget_burn').length, 1);
    await world.engine.stop();
  });

  it('are notified when only flaps use them up, each of them over within its window', async () => {
    const world = await openWorld(`[alerts]\ngroup_window_secs = 180\n${toml}`);
    await world.clock.run(4 * hour);
    for (let count = 0; count < 3; count += 1) {
      world.targets.set('api', () => failed());
      await world.clock.run(4 * minute);
      world.targets.set('api', () => up());
      await world.clock.run(minute);
    }
    world.targets.set('api', () => failed());
    await world.clock.run(2 * minute);
    assert.ok(
      incidents
        .list(world.store.sql, { limit: 10 })
        .incidents.every(({ endedAt, confirmedAt }) => (endedAt ?? 0) - confirmedAt < 180_000),
    );
    assert.ok(rowsOf(world, 'budget_burn').length > 0);
    await world.engine.stop();
  });

  it('are not notified after two minutes of data', async () => {
    const world = await openWorld(toml);
    await world.clock.run(minute);
    world.targets.set('api', twoOfThree());
    await world.clock.run(20 * minute);
    assert.deepEqual(rowsOf(world, 'budget_burn'), []);
    await world.clock.run(15 * minute);
    assert.equal(rowsOf(world, 'budget_burn').length, 1, 'fast, after half an hour');
    await world.engine.stop();
  });

  it('do not burn on a failure now and then', async () => {
    const world = await openWorld(httpMonitors(['api'], 'slo_uptime = 90'));
    for (let count = 0; count < 4; count += 1) {
      world.targets.set('api', () => failed());
      await world.clock.run(minute);
      world.targets.set('api', () => up());
      await world.clock.run(30 * minute);
    }
    assert.deepEqual(rowsOf(world, 'budget_burn'), []);
    await world.engine.stop();
  });
});

describe('a store that fails', () => {
  it('is notified once an episode, and probing and alerting go on', async () => {
    const world = await openWorld(httpMonitors(['api'], 'fail_threshold = 1'));
    const failing = {
      isDurable: false,
      reason: 'the disk is full',
      hint: 'Free some.',
      since: world.clock.now(),
    } as const;
    const healthy = { isDurable: true, reason: null, since: null } as const;
    world.store.setHealth(failing);
    world.store.setHealth(failing);
    world.targets.set('api', () => failed());
    await world.clock.run(2 * minute);
    assert.equal(rowsOf(world, 'storage_failing').length, 1);
    assert.equal(rowsOf(world, 'api down').length, 1);
    assert.deepEqual(
      world.log.flatMap(({ event, message }) => (event === 'store.failing' ? [message] : [])),
      ['the database cannot be written: the disk is full. Free some.'],
    );
    world.store.setHealth(healthy);
    world.store.setHealth({ ...failing, since: world.clock.now() });
    await world.clock.run(minute);
    assert.equal(rowsOf(world, 'storage_failing').length, 2);
    await world.engine.stop();
  });

  for (const { settings, secs } of [
    { settings: '[alerts]\ngroup_window_secs = 20', secs: 20 },
    { settings: '[alerts]\ngroup_window_secs = 0', secs: 5 },
    {
      settings:
        '[alerts]\ngroup_window_secs = 20\n[storage]\nurl = "postgres://127.0.0.1/x"\nlease_secs = 40',
      secs: 40,
    },
  ])
    it(`for less than ${secs} s wakes nobody, and one that lasts is notified then: ${settings.replaceAll('\n', ' ')}`, async () => {
      const world = await openWorld(`${settings}\n${httpMonitors(['api'])}`);
      const healthy = { isDurable: true, reason: null, since: null } as const;
      const fail = () => {
        world.store.setHealth({ isDurable: false, reason: 'the disk is full', since: world.clock.now() });
      };
      // It flaps for ten minutes.
      for (let flap = 0; flap < 10; flap += 1) {
        fail();
        await world.clock.run(secs * 1000 - 1);
        world.store.setHealth(healthy);
        await world.clock.run(minute - secs * 1000);
      }
      assert.deepEqual(rowsOf(world, 'storage_failing'), []);
      fail();
      const failedAt = world.clock.now();
      await world.clock.run(secs * 1000);
      const [row, ...others] = outbox.due(world.store.sql, world.clock.now(), 10);
      assert.ok(row?.event === 'storage_failing' && others.length === 0);
      assert.deepEqual([row.nextAt, fieldsOf(row.payload)['startedAt']], [failedAt + secs * 1000, failedAt]);
      await world.engine.stop();
    });

  it('is not notified once the daemon stops', async () => {
    const world = await openWorld(httpMonitors(['api']));
    world.store.setHealth({ isDurable: false, reason: 'the disk is full', since: world.clock.now() });
    await world.clock.run(10_000);
    await world.engine.stop();
    await world.clock.run(minute);
    assert.deepEqual(rowsOf(world, 'storage_failing'), []);
  });
});

describe('upkeep', () => {
  it('sweeps what expired and packs what is old', async () => {
    const world = await openWorld(httpMonitors(['api']));
    // Before, nothing is deleted: the clock may be wrong.
    await world.clock.run(24 * hour);
    const untilAt = world.clock.now() + 10 * minute;
    world.store.facts.apply(
      silences.add({ monitors: ['api'], untilAt, reason: null, createdAt: world.clock.now() }),
    );
    await world.clock.run(4 * hour);
    const count = (table: string) =>
      world.store.sql.get(`SELECT count(*) AS n FROM ${table}`, [], (row) => row.number('n'));
    assert.equal(count('silences'), 0);
    assert.ok((count('samples') ?? 0) <= 180, 'hours are packed');
    await world.engine.stop();
  });
});
