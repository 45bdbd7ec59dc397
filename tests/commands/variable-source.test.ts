import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { runCli } from '../support/cli.ts';
import { makeFolder } from '../support/tiny-store.ts';

const folder = makeFolder();
after(() => {
  folder.remove();
});
const file = join(folder.path, 'statusd.toml');
writeFileSync(file, '[server]\nbind = "127.87.87.86:1"\n');

const run = (args: readonly string[], env: Readonly<Record<string, string>>) =>
  runCli(args, { cwd: folder.path, env });

describe('an error about a value of the environment names its variable', { concurrency: 2 }, () => {
  it('the file of $STATUSD_CONFIG, but not that of --config', async () => {
    const env = { STATUSD_CONFIG: '/nowhere/a.toml' };
    for (const args of [['check'], ['silence', 'list'], ['serve']]) {
      const { code, stderr } = await run(args, env);
      assert.equal(code, 3);
      assert.match(stderr, /there is no configuration file \/nowhere\/a\.toml/);
      assert.match(stderr, /The path comes from \$STATUSD_CONFIG\./);
    }
    const { stderr } = await run(['check', '-c', '/nowhere/b.toml'], env);
    assert.doesNotMatch(stderr, /STATUSD_CONFIG/);
    assert.match(
      (await run(['check'], { STATUSD_CONFIG: '/' })).stderr,
      /is a directory\n.*STATUSD_CONFIG\./,
    );
  });

  it('the database of $STATUSD_DATABASE', async () => {
    const { code, stderr } = await run(['silence', 'list'], { STATUSD_DATABASE: '/nowhere/x.db' });
    assert.equal(code, 4);
    assert.match(stderr, /Create the folder, or correct \$STATUSD_DATABASE\.\n/);
    const clear = await run(['silence', 'clear', '--all'], {
      STATUSD_DATABASE: join(folder.path, 'none.db'),
    });
    assert.match(clear.stderr, /or correct \$STATUSD_DATABASE\.\n/);
    assert.match(
      (await run(['silence', 'clear', '--all'], {})).stderr,
      /or correct server\.database_path\. Where the daemon has \$STATUSD_DATABASE, set it here too\.\n/,
    );
  });
});
