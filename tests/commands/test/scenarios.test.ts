/** The state table and the rules of alerting, as alert tests that anybody can read and run. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { before, describe, it } from 'node:test';
import { readSmallFile } from '../../../src/engine/config/read-file.ts';
import { loadTestFile } from '../../../src/commands/test/format/load.ts';
import type { Expectation, Test, TestFile } from '../../../src/commands/test/format/test-file.ts';
import { judge } from '../../../src/commands/test/judge.ts';
import { runCli } from '../../support/cli.ts';
import { runHere } from '../../support/operator-world.ts';
import { played, verdictOf } from './world.ts';

const folder = fileURLToPath(new URL('../../scenarios', import.meta.url));
const names = readdirSync(folder)
  .filter((name) => name.endsWith('.toml'))
  .sort();

async function load(name: string): Promise<TestFile> {
  const loaded = await loadTestFile(join(folder, name), {
    cwd: folder,
    env: {},
    readFile: readSmallFile,
    configFile: null,
  });
  assert.ok('tests' in loaded, name);
  return loaded;
}

describe('the scenarios', () => {
  it('pass, run by `statusd test`', async () => {
    const { code, stdout, stderr } = await runHere(['test', ...names], { cwd: folder });
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' }, stdout);
    assert.match(stdout, /\n(\d+) tests passed\n$/);
    assert.ok(!stdout.includes('✗'));
    // A process of its own takes as long again: it does with one of them.
    const alone = await runCli(['test', 'states.toml'], { cwd: folder });
    assert.deepEqual([alone.code, alone.stderr], [0, ''], alone.stdout);
  });

  it('cover acknowledgements, states, flaps, cascades, mutes, failing channels, degradations, escalations, rotations, heartbeats, budgets, doubt, what cannot be checked, quiet hours, recoveries of an upstream, reloads, reminders and no window', () => {
    assert.deepEqual(
      names.map((name) => name.replace('.toml', '')),
      [
        'acknowledge',
        'budget',
        'cascade',
        'degraded',
        'doubt',
        'escalate',
        'flap',
        'heartbeat',
        'late',
        'mute',
        'quiet',
        'recovered-upstream',
        'reload',
        'remind',
        'rotate',
        'states',
        'unknown',
        'unstable',
        'window-zero',
      ],
    );
  });

  it('fail for each message that is not expected, or expected a minute later', async () => {
    let controls = 0;
    for (const { tests } of await Promise.all(names.map(load))) {
      for (const test of tests) {
        const what = await played(test);
        for (const each of test.expectations) {
          if (each.kind !== 'message') continue;
          const others = test.expectations.filter((other) => other !== each);
          const later: Expectation = { ...each, fromMs: each.fromMs + 60_000, toMs: each.fromMs + 60_000 };
          if (isOneOfMany(each, test)) continue;
          assert.ok(judge({ expectations: others }, what).failures.length > 0, test.name);
          if (each.fromMs === each.toMs)
            assert.ok(judge({ expectations: [...others, later] }, what).failures.length > 0, test.name);
          controls += 1;
        }
      }
    }
    assert.ok(controls > 50, `${controls} controls`);
  });
});

describe('the scenario of flaps', () => {
  let tests: readonly Test[] = [];
  before(async () => {
    ({ tests } = await load('flap.toml'));
  });

  it('would fail without a window', async () => {
    const silent = tests.filter(({ expectations }) => expectations.some(({ kind }) => kind === 'nothing'));
    const notified = silent.map((test): Test => {
      const alerts = { ...test.config.alerts, group_window_secs: 0 };
      return { ...test, config: { ...test.config, alerts }, reloads: new Map() };
    });
    let failed = 0;
    for (const test of notified) if ((await verdictOf(test)).failures.length > 0) failed += 1;
    assert.ok(failed >= 4, `${failed} of ${notified.length} fail`);
  });
});

/** Something else is expected that says the same: leaving one out moves the other into its place. */
function isOneOfMany(each: Expectation, { expectations }: Test): boolean {
  return expectations.some(
    (other) =>
      other !== each &&
      other.kind === 'message' &&
      each.kind === 'message' &&
      other.event === each.event &&
      other.monitor === null,
  );
}
