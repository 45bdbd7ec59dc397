import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { runCli } from '../../support/cli.ts';
import { makeFolder } from '../../support/tiny-store.ts';

const folder = makeFolder();
after(() => {
  folder.remove();
});
const push = '[[monitors]]\nid = "job"\nkind = "push"\npush_token = "a-token-of-enough-characters"\n';
writeFileSync(join(folder.path, 'warned.toml'), `${push}notify = []\n`);
writeFileSync(join(folder.path, 'clean.toml'), push);

const check = (...args: string[]) => runCli(['check', ...args], { cwd: folder.path });

describe('statusd check --strict', { concurrency: 2 }, () => {
  it('takes a warning for an error: exit 3, and nothing is probed', async () => {
    for (const args of [[], ['--config-only']]) {
      const { code, stdout, stderr } = await check('-c', 'warned.toml', '--strict', ...args);
      assert.deepEqual([code, stdout], [3, '']);
      assert.match(stderr, /^warned\.toml:5:\d+: error: monitor "job": notify /);
    }
  });

  it('does so in every format', async () => {
    const { code, stdout } = await check('-c', 'warned.toml', '--strict', '--json');
    const { ok, errors } = JSON.parse(stdout) as { ok: boolean; errors: { line: number }[] };
    assert.deepEqual([code, ok, errors.map(({ line }) => line)], [3, false, [5]]);
    const nagios = await check('-c', 'warned.toml', '--strict', '--format', 'nagios');
    assert.equal(nagios.code, 3);
    assert.match(nagios.stdout, /^STATUSD UNKNOWN - warned\.toml:5:\d+ monitor "job": notify /);
  });

  it('changes nothing without warnings, and warnings alone fail nothing without it', async () => {
    assert.equal((await check('-c', 'clean.toml', '--strict')).code, 0);
    assert.equal((await check('-c', 'clean.toml', '--strict', '--config-only')).code, 0);
    assert.equal((await check('-c', 'warned.toml', '--config-only')).code, 0);
  });
});
