/** What is remembered of a certificate outlives a restart and another id of its monitor. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Certificate } from '../../../src/engine/core/probe.ts';
import { httpMonitors, openWorld, up, type World } from './world.ts';

const minute = 60_000;
const day = 86_400_000;
const ids = ['web', 'www', 'api'];

/** Whoever asks is shown this certificate. */
function presenting(world: World, certificate: Partial<Certificate>): void {
  const whole: Certificate = {
    subject: 'CN=example.com',
    issuer: 'CN=ca',
    validFromAt: 0,
    validToAt: world.clock.now() + 400 * day,
    spkiSha256: 'a'.repeat(64),
    isTrusted: true,
    chain: [],
    ...certificate,
  };
  for (const id of ids)
    world.targets.set(id, () => ({ result: { ...up().result, certificate: whole }, tookMs: 0 }));
}

const told = (world: World, event: string) => world.outbox().filter((row) => row.includes(` ${event} `));

/** The target of `world.ts` has the id in it, and a rename is recognised by the target. */
const monitor = (id: string, target = 'https://example.com/') =>
  `[[monitors]]\nid = "${id}"\ntarget = "${target}"\ninterval_secs = 60\n`;

const changes = {
  'a reload': (world: World, toml: string): Promise<unknown> => world.reload(toml),
  'a restart': (world: World, toml: string): Promise<unknown> => world.restart(toml),
};

for (const [how, change] of Object.entries(changes)) {
  describe(`a certificate of a monitor that ${how} gives another id`, () => {
    it('is not warned of again, and is for another expiry', async () => {
      const world = await openWorld(monitor('web'));
      const expiresAt = world.clock.now() + 5 * day;
      presenting(world, { validToAt: expiresAt });
      await world.clock.run(5 * minute);
      assert.equal(told(world, 'cert_expiring').length, 1);
      await change(world, monitor('www'));
      await world.clock.run(5 * minute);
      assert.deepEqual(told(world, 'cert_expiring'), ['www cert_expiring waiting']);
      presenting(world, { validToAt: expiresAt + day });
      await world.clock.run(5 * minute);
      assert.equal(told(world, 'cert_expiring').length, 2);
      await world.engine.stop();
    });

    it('is warned of when it is no rename, but another target', async () => {
      const world = await openWorld(monitor('web'));
      presenting(world, { validToAt: world.clock.now() + 5 * day });
      await world.clock.run(5 * minute);
      await change(world, monitor('www', 'https://other.example.com/'));
      await world.clock.run(5 * minute);
      assert.equal(told(world, 'cert_expiring').length, 2);
      await world.engine.stop();
    });

    it('is noticed when its key is another one, and when its expiry can no longer be read', async () => {
      const world = await openWorld(monitor('web'));
      presenting(world, {});
      await world.clock.run(5 * minute);
      await change(world, monitor('www'));
      await world.clock.run(5 * minute);
      assert.deepEqual(told(world, 'cert_changed'), []);
      presenting(world, { spkiSha256: 'b'.repeat(64) });
      await world.clock.run(5 * minute);
      assert.deepEqual(told(world, 'cert_changed'), ['www cert_changed waiting']);
      world.targets.set('www', up);
      await world.clock.run(5 * minute);
      assert.equal(told(world, 'cert_unreadable').length, 1);
      await world.engine.stop();
    });
  });
}

describe('certificates that take turns behind one name', () => {
  const taking = async (world: World, keys: string) => {
    for (const key of keys) {
      presenting(world, { spkiSha256: key.repeat(64), validToAt: world.clock.now() + 400 * day });
      await world.clock.run(2 * minute);
    }
  };

  it('are distinguished from a new one after restarts', async () => {
    const world = await openWorld(httpMonitors(['api']));
    await taking(world, 'ab');
    assert.equal(told(world, 'cert_changed').length, 1);
    for (const keys of ['ab', 'ba', 'a', 'b']) {
      await world.restart();
      await taking(world, keys);
    }
    assert.equal(told(world, 'cert_changed').length, 1, 'both are known');
    await taking(world, 'c');
    assert.equal(told(world, 'cert_changed').length, 2, 'this one is not');
    await world.restart();
    await taking(world, 'cabd');
    assert.equal(told(world, 'cert_changed').length, 3, 'nor is the last of these');
    await world.engine.stop();
  });

  it('are remembered under another id', async () => {
    const world = await openWorld(monitor('web'));
    await taking(world, 'ab');
    await world.reload(monitor('www'));
    await world.restart();
    await taking(world, 'ab');
    await world.restart(monitor('web'));
    await taking(world, 'ab');
    await world.restart();
    await taking(world, 'ba');
    assert.equal(told(world, 'cert_changed').length, 1);
    await taking(world, 'c');
    assert.equal(told(world, 'cert_changed').length, 2);
    await world.engine.stop();
  });

  it('write their keys when one comes in, and no more', async () => {
    const world = await openWorld(httpMonitors(['api']));
    const written = () =>
      world.store.taken.filter((operation) => JSON.stringify(operation).includes('certificate_keys')).length;
    await taking(world, 'a');
    const before = written();
    await taking(world, 'aa');
    assert.equal(written(), before, 'one key is in its row');
    await taking(world, 'b');
    assert.equal(written(), before + 1);
    await taking(world, 'abab');
    assert.equal(written(), before + 1);
    await world.engine.stop();
  });
});
