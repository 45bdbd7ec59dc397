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
writeFileSync(
  join(folder.path, 'statusd.toml'),
  '[[monitors]]\nid = "web"\nkind = "push"\ninterval_secs = 60\n',
);

const nagios = (...args: string[]) => runCli(['check', ...args], { cwd: folder.path });

describe('a run that --format nagios cannot do', { concurrency: 2 }, () => {
  const cases: [args: string[], stdout: string][] = [
    [['--format', 'nagios', 'wbe'], "STATUSD UNKNOWN - there is no monitor 'wbe'\n"],
    [['--format=nagios', '--group', 'a|b'], "STATUSD UNKNOWN - there is no group 'a/b'\n"],
    [['--format', 'nagios', '--nosuch'], 'STATUSD UNKNOWN - check has no option --nosuch\n'],
    [['--nosuch', '--format', 'nagios'], 'STATUSD UNKNOWN - check has no option --nosuch\n'],
    [
      ['--format', 'nagios', '--concurrency', 'x'],
      "STATUSD UNKNOWN - --concurrency must be from 1 to 1000, not 'x'\n",
    ],
    [['--format', 'nagios', '--json'], 'STATUSD UNKNOWN - --json and --format nagios do not go together\n'],
  ];
  for (const [args, line] of cases) {
    it(`is unknown: ${args.join(' ')}`, async () => {
      const { code, stdout, stderr } = await nagios(...args);
      assert.deepEqual({ code, stdout }, { code: 3, stdout: line });
      assert.match(stderr, /^statusd: /);
    });
  }

  it('has the usual codes in every other format', async () => {
    for (const args of [
      ['wbe'],
      ['wbe', '--format', 'tap'],
      ['wbe', '--format', 'nagios', '--format', 'json'],
    ]) {
      const { code, stdout } = await nagios(...args);
      assert.deepEqual({ code, stdout }, { code: 5, stdout: '' });
    }
    assert.equal((await nagios('--nosuch', '--', '--format', 'nagios')).code, 2);
  });
});
