import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('run.js', import.meta.url));
const sources: Readonly<Record<string, string>> = {
  // What it hooks up would fail every other file.
  'hooks.test.ts': `
    import { afterEach, before, describe, it } from 'node:test';
    const seen = { count: 0 };
    before(() => { seen.count += 1; });
    afterEach((context) => { if (!context.name.startsWith('mine')) throw new Error('not mine'); });
    describe('a suite', () => { it('mine', () => { if (seen.count !== 1) throw new Error('no hook'); }); });`,
  'plain.test.ts': `
    import { describe, it } from 'node:test';
    describe('another suite', () => { it('holds', () => { console.log('heard'); }); it('is left out', { skip: true }); });`,
  'wrong.test.ts': `
    import { it } from 'node:test';
    it('is wrong', () => { throw new Error('as it should be'); });`,
  'broken.test.ts': `throw new Error('no test is in here');`,
  'rejects.test.ts': `
    import { it } from 'node:test';
    import { setTimeout as pause } from 'node:timers/promises';
    it('forgets a promise', async () => {
      void pause(1).then(() => { throw new Error('nobody waits for this'); });
      await pause(200);
    });`,
  'late.test.ts': `
    import { describe, it } from 'node:test';
    describe('an async suite', async () => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      it('comes late', () => undefined);
    });`,
  'ends.test.ts': `
    import { it } from 'node:test';
    it('ends it all', () => { process.exit(0); });`,
  'open.test.ts': `
    import { it } from 'node:test';
    it('leaves a timer', () => { setInterval(() => undefined, 1000); });`,
};

describe('test files that share a process', () => {
  let folder = '';
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'statusd-run-'));
    mkdirSync(join(folder, 'tests'));
    for (const [name, text] of Object.entries(sources)) writeFileSync(join(folder, 'tests', name), text);
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });

  const run = (...parts: readonly string[]) => {
    const { status, stdout } = spawnSync(process.execPath, [program, ...parts], {
      cwd: folder,
      encoding: 'utf8',
    });
    const counts = Object.fromEntries(
      [...stdout.matchAll(/^ℹ (\w+) (\d+)$/gm)].map(([, name = '', count]) => [name, Number(count)]),
    );
    return { status, stdout, counts };
  };

  it('are counted together, and have their hooks to themselves, in either order', () => {
    for (const order of [[], ['--reverse']]) {
      const { status, stdout, counts } = run('hooks', 'plain', ...order);
      assert.equal(status, 0, stdout);
      assert.deepEqual(counts, { tests: 3, suites: 2, pass: 2, fail: 0, cancelled: 0, skipped: 1, todo: 0 });
      assert.match(stdout, /^heard$/m);
    }
  });

  it('are named when they fail, and when they cannot be loaded', () => {
    const { status, stdout, counts } = run('wrong', 'broken', 'plain');
    assert.equal(status, 1);
    assert.match(stdout, /^test at tests\/wrong\.test\.ts:3:5\n✖ is wrong .*\n {2}Error: as it should be$/m);
    assert.match(stdout, /^✖ tests\/broken\.test\.ts can be loaded .*\n {2}Error: no test is in here$/m);
    assert.deepEqual([counts['pass'], counts['fail'], counts['skipped']], [1, 2, 1]);
  });

  it('fail when they declare a test after they were loaded, which would find no suite to belong to', () => {
    const { status, stdout } = run('late');
    assert.equal(status, 1, stdout);
    assert.match(stdout, /^✖ comes late\n {2}it was declared when its file was loaded already/m);
  });

  it('are named when one of them ends the process, with those that were not run', () => {
    const { status, stdout } = run('ends', 'plain');
    assert.equal(status, 1);
    assert.match(stdout, /^✖ tests\/ends\.test\.ts\n {2}it did not come to its end: exit 0 of the process/m);
    assert.match(
      stdout,
      /^✖ tests\/plain\.test\.ts\n {2}it was not run: tests\/ends\.test\.ts came before it/m,
    );
  });

  it('are named when an error of theirs reaches nobody', () => {
    const { status, stdout } = run('rejects');
    assert.equal(status, 1, stdout);
    assert.match(stdout, /tests\/rejects\.test\.ts/);
    assert.match(stdout, /nobody waits for this/);
  });

  it('are listed by what they took, with --times', () => {
    const { status, stdout } = run('plain', 'hooks', '--times');
    assert.equal(status, 0, stdout);
    assert.match(stdout, /^ℹ processors {4}clock\n +\d+\.\d\d +\d+\.\d\d {2}2 files\n/m);
    for (const name of ['plain', 'hooks'])
      assert.match(stdout, new RegExp(`^ +\\d+\\.\\d\\d +\\d+\\.\\d\\d {2}tests/${name}\\.test\\.ts$`, 'm'));
  });

  it('do not keep the run from ending with what they leave open', () => {
    const { status, stdout } = run('open', 'plain');
    assert.equal(status, 1);
    assert.match(stdout, /^still open: .*Timeout/m);
    assert.match(stdout, /^✖ tests\/open\.test\.ts, tests\/plain\.test\.ts$/m);
  });
});
