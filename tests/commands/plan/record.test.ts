import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { configFingerprint } from '../../../src/commands/plan/fingerprint.ts';
import { readRunning, recordRunning } from '../../../src/commands/plan/record.ts';
import { meta } from '../../../src/db/tables/meta.ts';
import { load } from '../../support/config.ts';
import { makeOperatorWorld, type OperatorWorld } from '../../support/operator-world.ts';

let world: OperatorWorld;
before(() => {
  world = makeOperatorWorld();
});
after(() => {
  world.remove();
});

const configOf = async (count: number, server = '') => {
  const monitors = Array.from(
    { length: count },
    (_, index) => `[[monitors]]\nid = "m${index}"\nkind = "tcp"\ntarget = "a.example:1"\n`,
  );
  const { config, redact } = await load(`[server]\n${server}\n${monitors.join('')}`);
  return { config, redact, started: config };
};

describe('the settings that the daemon records', () => {
  it('is read back whole, however many monitors there are, and nothing of an earlier one is left', async () => {
    const store = await world.openDaemon();
    try {
      for (const count of [3, 900, 2]) {
        const running = await configOf(count);
        await recordRunning(store, running, count);
        const read = readRunning(store.sql);
        assert.equal(read?.at, count);
        assert.deepEqual(
          read.fingerprint,
          configFingerprint(running.config, { redact: running.redact, salt: read.salt }),
        );
      }
      assert.equal(meta.get(store.sql, 'running.1'), null);
    } finally {
      await store.close();
    }
  });

  it('is not written again when it is the same', async () => {
    const store = await world.openDaemon();
    let writes = 0;
    const counting = {
      sql: store.sql,
      write: (...args: Parameters<typeof store.write>) => {
        writes += 1;
        return store.write(...args);
      },
    };
    try {
      await recordRunning(counting, await configOf(5), 10);
      await recordRunning(counting, await configOf(5), 20);
      assert.deepEqual([writes, readRunning(store.sql)?.at], [1, 10]);
      await recordRunning(counting, await configOf(6), 30);
      assert.deepEqual([writes, readRunning(store.sql)?.at], [2, 30]);
    } finally {
      await store.close();
    }
  });

  it('is written again as a whole when the daemon died before its end', async () => {
    const store = await world.openDaemon();
    const dying = {
      sql: store.sql,
      write: (...[operations, options]: Parameters<typeof store.write>) =>
        operations.length === 1 ? store.write(operations, options) : Promise.reject(new Error('killed')),
    };
    try {
      await recordRunning(store, await configOf(900), 10);
      const next = await configOf(1800);
      await assert.rejects(recordRunning(dying, next, 20), { message: 'killed' });
      await recordRunning(store, next, 30);
      const read = readRunning(store.sql);
      assert.equal(read?.at, 30);
      assert.deepEqual(
        read.fingerprint,
        configFingerprint(next.config, { redact: next.redact, salt: read.salt }),
      );
    } finally {
      await store.close();
    }
  });

  it('keeps the settings of the start where only a restart changes them', async () => {
    const store = await world.openDaemon();
    try {
      const started = (await configOf(1, 'bind = "127.0.0.1:1"')).config;
      const { config, redact } = await configOf(1, 'bind = "127.0.0.1:2"');
      await recordRunning(store, { config, redact, started }, 1);
      assert.equal(readRunning(store.sql)?.fingerprint.sections['server']?.['bind'], '127.0.0.1:1');
    } finally {
      await store.close();
    }
  });

  it('is nothing where another version wrote something else', async () => {
    await world.write(meta.set({ name: 'running', value: { version: 9 } }));
    assert.equal(await world.read(readRunning), null);
  });
});
