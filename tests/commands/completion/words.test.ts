import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { runCli } from '../../support/cli.ts';

describe('completion words', () => {
  let cwd = '';
  const ask = (...args: string[]) => runCli(['completion', 'words', ...args], { cwd });

  before(() => {
    cwd = mkdtempSync(join(tmpdir(), 'statusd-words-'));
    const monitor = (id: string, group: string) =>
      `[[monitors]]\nid = "${id}"\nkind = "tcp"\ntarget = "a:1"\ngroup = "${group}"\n`;
    writeFileSync(
      join(cwd, 'good.toml'),
      monitor('a', 'One \\u202E') + monitor('b', 'Two') + monitor('c', 'Two'),
    );
    writeFileSync(join(cwd, 'bad.toml'), 'monitors = 1');
  });
  after(() => {
    rmSync(cwd, { recursive: true });
  });

  it('prints ids, and each group once, fit for a terminal', async () => {
    assert.deepEqual(await ask('monitor', '-c', 'good.toml'), { code: 0, stdout: 'a\nb\nc\n', stderr: '' });
    assert.deepEqual(await ask('group', '-c', 'good.toml'), { code: 0, stdout: 'One \nTwo\n', stderr: '' });
  });

  for (const [what, args] of [
    ['the configuration is invalid', ['monitor', '-c', 'bad.toml']],
    ['it is not there', ['monitor', '-c', 'nosuch.toml']],
    ['there is none at all', ['monitor']],
    ['words of another sort are wanted', ['colour', '-c', 'good.toml']],
  ] as const) {
    it(`prints nothing and is content when ${what}`, async () => {
      assert.deepEqual(await ask(...args), { code: 0, stdout: '', stderr: '' });
    });
  }
});
