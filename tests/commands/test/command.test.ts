import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { runHere } from '../../support/operator-world.ts';
import { makeFolder } from '../../support/tiny-store.ts';
import { base } from './world.ts';

const folder = makeFolder();
const cwd = folder.path;
const good = `${base}[[tests]]\nname = "fine"\nseries.api = "up"\n`;
const bad = `config = "statusd.toml"\n[[tests]]\nname = "not fine"\nseries.api = "up, down"\n`;

before(() => {
  writeFileSync(folder.at('good.toml'), good);
  writeFileSync(folder.at('bad.toml'), bad);
  writeFileSync(folder.at('statusd.toml'), base);
  writeFileSync(folder.at('broken.toml'), `${base}[[tests]]\nnam = "x"\n`);
  writeFileSync(folder.at('other.toml'), 'config = "broken-statusd.toml"\n[[tests]]\nname = "x"\n');
  writeFileSync(folder.at('broken-statusd.toml'), '[alerts]\nfail_treshold = 3\n');
});
after(folder.remove);

describe('statusd test', () => {
  it('ends with 0 when every test passed', async () => {
    assert.deepEqual(await runHere(['test', 'good.toml'], { cwd }), {
      code: 0,
      stdout: 'good.toml\n  ✓ fine\n1 test passed\n',
      stderr: '',
    });
    assert.deepEqual(await runHere(['test', '-q', 'good.toml'], { cwd }), {
      code: 0,
      stdout: '',
      stderr: '',
    });
  });

  it('ends with 1 when one failed, of several files too', async () => {
    const { code, stdout, stderr } = await runHere(['test', 'good.toml', 'bad.toml'], { cwd });
    assert.deepEqual([code, stderr], [1, '']);
    assert.match(stdout, /^good\.toml\n {2}✓ fine\nbad\.toml\n {2}✗ not fine {2}line 2\n/);
    assert.match(stdout, /not expected at 3m30s: ops: down api\n/);
    assert.match(stdout, /\n1 of 2 tests failed\n$/);
  });

  it('prints JSON and TAP', async () => {
    const { code, stdout } = await runHere(['test', '--json', 'good.toml', 'bad.toml'], { cwd });
    const report = JSON.parse(stdout) as {
      ok: boolean;
      counts: unknown;
      tests: { name: string; ok: boolean }[];
    };
    assert.deepEqual([code, report.ok, report.counts], [1, false, { passed: 1, failed: 1 }]);
    assert.deepEqual(
      report.tests.map(({ name, ok }) => [name, ok]),
      [
        ['fine', true],
        ['not fine', false],
      ],
    );
    assert.equal(
      (await runHere(['test', '--format', 'tap', 'good.toml'], { cwd })).stdout,
      'TAP version 14\n1..1\nok 1 - good.toml: fine\n',
    );
  });

  it('ends with 3 and reports all problems of all files, when one is broken or missing', async () => {
    assert.deepEqual(await runHere(['test', 'good.toml', 'broken.toml', 'other.toml'], { cwd }), {
      code: 3,
      stdout: '',
      stderr: [
        'statusd: there are 3 problems',
        '  broken.toml:18:1  tests[0].name: is required; for example name = "a flap stays silent"',
        '  broken.toml:19:1  tests[0].nam: is an unknown key; did you mean name?',
        '  broken-statusd.toml:2:1  alerts.fail_treshold: is an unknown key; did you mean fail_threshold?',
        '',
      ].join('\n'),
    });
    assert.deepEqual(await runHere(['test', 'nothing.toml'], { cwd }), {
      code: 3,
      stdout: '',
      stderr:
        'statusd: there is no test file nothing.toml\n  `statusd test --example` prints one to begin with.\n',
    });
  });

  it('ends with 2 without a file, or with a format that there is not', async () => {
    assert.equal((await runHere(['test'], { cwd })).code, 2);
    assert.match(
      (await runHere(['test', '--format', 'jnit', 'good.toml'], { cwd })).stderr,
      /not 'jnit'\n {2}Did you mean junit\?\n/,
    );
  });

  it('takes the configuration that --config names in the place of that of the file', async () => {
    writeFileSync(folder.at('lenient.toml'), base.replace('fail_threshold = 3', 'fail_threshold = 100'));
    const { code } = await runHere(['test', 'bad.toml', '-c', 'lenient.toml'], { cwd });
    assert.equal(code, 0);
    const { code: missing, stderr } = await runHere(['test', 'bad.toml', '-c', 'nowhere.toml'], { cwd });
    assert.equal(missing, 3);
    assert.match(stderr, /there is no configuration file .*nowhere\.toml/);
  });

  it('prints a file to begin with, which passes', async () => {
    const { code, stdout } = await runHere(['test', '--example'], { cwd });
    assert.equal(code, 0);
    const own = stdout.slice(0, stdout.indexOf('[[tests]]')).match(/^\[/gm) ?? [];
    assert.match(
      stdout,
      new RegExp(`remove the ${['no', 'one', 'two', 'three', 'four'][own.length]}\n# tables below`),
    );
    assert.match(stdout, /# {3}up {8}healthy;/);
    writeFileSync(folder.at('example.toml'), stdout);
    assert.equal((await runHere(['test', 'example.toml'], { cwd })).code, 0);
  });
});
