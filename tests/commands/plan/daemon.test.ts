import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { startDaemon } from '../../../src/commands/serve/daemon.ts';
import { loadConfig } from '../../../src/engine/config/load.ts';
import { readSmallFile } from '../../../src/engine/config/read-file.ts';
import { makeOperatorWorld, type OperatorWorld } from '../../support/operator-world.ts';
import { realClock } from '../../support/real-clock.ts';

let world: OperatorWorld;
before(() => {
  world = makeOperatorWorld();
});
after(() => {
  world.remove();
});

interface Plan {
  readonly restart: readonly { readonly id: string }[];
  readonly needs_restart: readonly { readonly key: string }[];
  readonly unchanged: number;
}
const plan = async () => {
  const { restart, needs_restart: waiting, unchanged } = (await world.json('plan')) as Plan;
  return [restart.map(({ id }) => id), waiting.map(({ key }) => key), unchanged];
};

describe('what plan says of a daemon', () => {
  it('is nothing once it has started, what was edited then, and nothing but what waits after a reload', async () => {
    const file = join(world.cwd, 'statusd.toml');
    const load = () => loadConfig(file, { env: {}, readFile: readSmallFile });
    const edit = (from: string, to: string) => {
      writeFileSync(file, readFileSync(file, 'utf8').replace(from, to));
    };
    edit('127.87.87.87:1', '127.0.0.1:0');
    const daemon = await startDaemon({
      loaded: await load(),
      log: () => undefined,
      context: { clock: realClock, env: {} },
      signal: new AbortController().signal,
    });
    try {
      assert.deepEqual(await plan(), [[], [], 3]);
      edit('name = "The API"', 'name = "Our API"');
      edit('127.0.0.1:0', '127.0.0.1:9');
      assert.deepEqual(await plan(), [['api'], ['server.bind'], 2]);
      await daemon.reload(await load());
      assert.deepEqual(await plan(), [[], ['server.bind'], 3]);
    } finally {
      await daemon.stop();
    }
  });
});
