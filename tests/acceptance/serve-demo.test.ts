import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { after, describe, it } from 'node:test';
import { runCli } from '../support/cli.ts';
import { startDaemon, until } from '../support/daemon.ts';
import { makeFolder } from '../support/tiny-store.ts';

const folder = makeFolder();
after(folder.remove);

describe('statusd demo', () => {
  it('shows its world, lets other commands look, and leaves nothing behind', async () => {
    const daemon = await startDaemon(folder.path, { command: 'demo' });
    const opened = await daemon.says('store.opened');
    const home = dirname(String(opened['database']));
    await daemon.says('demo.scene', 4);
    assert.match(daemon.url, /^http:\/\/127\.0\.0\.1:\d+\/$/);
    const statuses = async () => {
      const summary = (await (await fetch(`${daemon.url}api/summary`)).json()) as {
        monitors?: { id: string; status: string }[];
      };
      return Object.fromEntries((summary.monitors ?? []).map(({ id, status }) => [id, status]));
    };
    const isSeen = async () => {
      const { website, database, api, shop, backup } = await statuses();
      return [website, database, api, shop, backup].every((status) => status === 'up');
    };
    await until(isSeen, () => JSON.stringify(daemon.lines));
    const { code } = await runCli(['incidents', '-c', `${home}/statusd.toml`], { cwd: folder.path });
    assert.equal(code, 0);
    assert.equal((await daemon.end('SIGINT')).code, 0);
    assert.ok(!existsSync(home));
  });

  it('takes no configuration', async () => {
    const { code, stderr } = await runCli(['demo', '-c', 'statusd.toml'], { cwd: folder.path });
    assert.equal(code, 2);
    assert.match(stderr, /^statusd: demo brings its own configuration\n/);
  });
});
