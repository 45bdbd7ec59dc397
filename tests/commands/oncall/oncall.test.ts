import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { runHere } from '../../support/operator-world.ts';

const monitor = '[[monitors]]\nid = "api"\ntarget = "http://127.0.0.1:1/"\n';
const channel = (name: string, url = 'http://127.0.0.1:1/') =>
  `[[channels]]\nname = "${name}"\ntype = "webhook"\nurl = "${url}"\n`;
const rotation = (name: string, members: readonly string[], more = '') =>
  `[[rotations]]\nname = "${name}"\nmembers = [${members.map((each) => `"${each}"`).join(', ')}]\nevery = "7d"\nfrom = "2026-01-05T08:00:00Z"\n${more}`;

const files = {
  'two.toml': [
    monitor,
    ...['ann', 'ben', 'cat'].map((name) => channel(name)),
    channel('dora', '${NOBODY_HAS_SET_THIS}'),
    rotation('primary', ['ann', 'ben', 'cat']),
    rotation('night', ['dora', 'ben'], 'timezone = "Europe/Berlin"\n'),
  ].join('\n'),
  'none.toml': monitor,
  'mute.toml': [monitor, channel('dora', '${NOBODY_HAS_SET_THIS}'), rotation('lost', ['dora'])].join('\n'),
};

describe('oncall', () => {
  let cwd = '';
  before(() => {
    cwd = mkdtempSync(join(tmpdir(), 'statusd-oncall-'));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  });
  after(() => {
    rmSync(cwd, { recursive: true });
  });

  const oncall = (file: string, ...args: string[]) =>
    runHere(['oncall', '-c', file, ...args], { cwd, env: {}, columns: null });
  /** In the second week of both. */
  const at = ['--at', '2026-01-13T12:00:00Z'];

  it('prints a line a rotation: who, until when, and who is next', async () => {
    const { code, stdout } = await oncall('two.toml', ...at);
    assert.equal(code, 0);
    assert.deepEqual(
      stdout.split('\n').map((line) => line.trimEnd().replace(/ {2,}/g, ' | ')),
      [
        'ROTATION | ON CALL | UNTIL (UTC) | LEFT | NEXT',
        'primary | ben | 2026-01-19 08:00 | 5d 20h | cat',
        'night | ben | 2026-01-19 08:00 | 5d 20h | ben (dora is disabled)',
        '',
      ],
    );
    const quiet = await oncall('two.toml', '--quiet', ...at);
    assert.equal(
      quiet.stdout.split('\n')[0]?.trimEnd().replace(/ {2,}/g, ' | '),
      'primary | ben | 2026-01-19 08:00 | 5d 20h | cat',
    );
  });

  it('prints the present turn of one rotation and those that follow', async () => {
    const { code, stdout } = await oncall('two.toml', 'primary', ...at);
    assert.equal(code, 0);
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.trimEnd().replace(/ {2,}/g, ' | '));
    assert.deepEqual(lines.slice(0, 4), [
      'FROM (UTC) | UNTIL (UTC) | ON CALL',
      '2026-01-12 08:00 | 2026-01-19 08:00 | ben',
      '2026-01-19 08:00 | 2026-01-26 08:00 | cat',
      '2026-01-26 08:00 | 2026-02-02 08:00 | ann',
    ]);
  });

  it('says the same to a program', async () => {
    const { code, stdout } = await oncall('two.toml', '--json', ...at);
    assert.equal(code, 0);
    const { at: asked, rotations } = JSON.parse(stdout) as {
      readonly at: string;
      readonly rotations: readonly Readonly<Record<string, unknown>>[];
    };
    assert.equal(asked, '2026-01-13T12:00:00Z');
    assert.deepEqual(
      rotations.map(({ turns, ...rest }) => ({ ...rest, first: (turns as readonly unknown[])[0] })),
      [
        {
          name: 'primary',
          timezone: 'UTC',
          on_call: 'ben',
          since: '2026-01-12T08:00:00Z',
          until: '2026-01-19T08:00:00Z',
          next: 'cat',
          first: {
            on_call: 'ben',
            passed_over: null,
            from: '2026-01-12T08:00:00Z',
            until: '2026-01-19T08:00:00Z',
          },
        },
        {
          name: 'night',
          timezone: 'Europe/Berlin',
          on_call: 'ben',
          since: '2026-01-12T08:00:00Z',
          until: '2026-01-19T08:00:00Z',
          next: 'ben',
          first: {
            on_call: 'ben',
            passed_over: null,
            from: '2026-01-12T08:00:00Z',
            until: '2026-01-19T08:00:00Z',
          },
        },
      ],
    );
    const one = await oncall('two.toml', 'night', '--json', '--at', '2026-01-06T12:00:00Z');
    const [night] = (
      JSON.parse(one.stdout) as { rotations: readonly { turns: readonly { passed_over: string }[] }[] }
    ).rotations;
    assert.equal(night?.turns[0]?.passed_over, 'dora');
  });

  it('knows a member by the hour: the turn changes with its minute', async () => {
    const who = async (time: string) => {
      const { stdout } = await oncall('two.toml', 'primary', '--json', '--at', time);
      return (JSON.parse(stdout) as { rotations: readonly { on_call: string }[] }).rotations[0]?.on_call;
    };
    assert.deepEqual(
      [
        await who('2026-01-12T07:59:59Z'),
        await who('2026-01-12T08:00:00Z'),
        await who('2026-01-01T00:00:00Z'),
      ],
      ['ann', 'ben', 'cat'],
    );
  });

  it('ends with 1 where nobody can be reached, and says so', async () => {
    const { code, stdout } = await oncall('mute.toml', ...at);
    assert.equal(code, 1);
    assert.match(stdout, /lost +nobody: the channels of all members are disabled/);
    const json = await oncall('mute.toml', '--json', ...at);
    assert.equal(json.code, 1);
    assert.equal(
      (JSON.parse(json.stdout) as { rotations: readonly { on_call: null }[] }).rotations[0]?.on_call,
      null,
    );
  });

  it('says that there is no rotation, and where one is added', async () => {
    const { code, stdout } = await oncall('none.toml');
    assert.deepEqual([code, stdout], [0, 'No rotations: add [[rotations]] to the configuration.\n']);
    assert.equal((await oncall('none.toml', '--quiet')).stdout, '');
    const { rotations } = JSON.parse((await oncall('none.toml', '--json')).stdout) as {
      rotations: unknown[];
    };
    assert.deepEqual(rotations, []);
  });

  it('refuses a rotation that is not there with the nearest name, and a time that is none', async () => {
    const typo = await oncall('two.toml', 'primari');
    assert.equal(typo.code, 5);
    assert.match(typo.stderr, /there is no rotation .primari.\n +Did you mean primary\?/);
    const other = await oncall('two.toml', 'xyz');
    assert.match(other.stderr, /There are: primary, night\./);
    const nothing = await oncall('none.toml', 'primary');
    assert.equal(nothing.code, 5);
    assert.match(nothing.stderr, /The configuration has none\./);
    assert.equal((await oncall('two.toml', '--at', 'someday')).code, 2);
  });
});
