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
      monitor('a', 'One \\u202E') +
        monitor('b', 'Two') +
        monitor('c', 'Two') +
        '[[channels]]\nname = "ann"\ntype = "webhook"\nurl = "http://127.0.0.1:1/"\n' +
        ['primary', 'the night\\u202E']
          .map(
            (name) =>
              `[[rotations]]\nname = "${name}"\nmembers = ["ann"]\nevery = "7d"\nfrom = "2026-01-05T08:00:00Z"\n`,
          )
          .join(''),
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

  it('prints names by which one monitor alone is found', async () => {
    const named = (id: string, name: string) =>
      `[[monitors]]\nid = "${id}"\nname = "${name}"\nkind = "tcp"\ntarget = "a:1"\n`;
    writeFileSync(
      join(cwd, 'named.toml'),
      named('a', 'Web Shop') + named('b', 'Two') + named('c', 'Two') + named('d', 'a'),
    );
    assert.equal((await ask('monitor', '-c', 'named.toml')).stdout, 'a\nb\nc\nd\nWeb Shop\n');
  });

  it('prints the rotations for who asks who is on call', async () => {
    const { stdout } = await ask('rotation', '-c', 'good.toml');
    assert.equal(stdout, 'primary\nthe night\n');
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
