import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { XMLParser } from 'fast-xml-parser';
import { exampleFile } from '../../../src/commands/test/example.ts';
import { judge, type TestFailure } from '../../../src/commands/test/judge.ts';
import { humanText } from '../../../src/commands/test/render/human.ts';
import { junitText, reportJson, tapText } from '../../../src/commands/test/render/print.ts';
import { hasPassed, type TestReport, type TestResult } from '../../../src/commands/test/report.ts';
import type { TextPosition } from '../../../src/engine/config/problem.ts';
import { assertGolden } from '../../support/golden.ts';
import { outputOf } from '../../support/sheet.ts';
import { fileOf, played } from './world.ts';

async function reportOf(text: string): Promise<TestReport> {
  const { file, tests, locate } = await fileOf(text);
  const results: TestResult[] = [];
  for (const test of tests) {
    const what = await played(test);
    const verdict = judge(test, what);
    const places = new Map<TestFailure, TextPosition>();
    for (const failure of verdict.failures)
      if (failure.kind !== 'unexpected') places.set(failure, await locate(failure.wanted.path, 'key'));
    const position = verdict.failures.length === 0 ? null : await locate(test.path, 'key');
    results.push({ file, test, played: what, verdict, position, places, tookMs: 12 });
  }
  return { results, failed: results.filter((result) => !hasPassed(result)).length };
}

/** The example, with something of each kind wrong. */
const wrong = exampleFile
  .replace('status = "degraded"', 'status = "up"')
  .replace('at = "3m30s"', 'at = "4m"')
  .replace('group_window_secs = 90', 'group_window_secs = 10')
  .replace('impacted = ["api"]', 'impacted = []')
  .replace('name = "a flap', 'name = "a <flap> & ü #1');
const golden = (name: string) => new URL(`golden/${name}`, import.meta.url);

describe('the example', () => {
  it('passes', async () => {
    const { results, failed } = await reportOf(exampleFile);
    assert.deepEqual([results.length, failed], [5, 0]);
  });
});

describe('a report', () => {
  it('shows people what was expected, what was sent, and why', async () => {
    const report = await reportOf(wrong);
    const text = humanText(report, { isQuiet: false }, outputOf({ columns: 100, isColoured: false }));
    assertGolden(golden('human.txt'), text);
    for (const line of text.split('\n')) assert.ok(line.length <= 100, line);
    assert.ok(!text.includes('\u001b'));
  });

  it('shows no more than what failed with --quiet, and nothing when all is ok', async () => {
    const output = outputOf({ columns: null, isColoured: false });
    assert.equal(humanText(await reportOf(exampleFile), { isQuiet: true }, output), '');
    const text = humanText(await reportOf(wrong), { isQuiet: true }, output);
    assert.ok(!text.includes('✓ a '));
    assert.match(text, /\n3 of 5 tests failed\n$/);
  });

  it('is JSON for programs', async () => {
    const json = reportJson(await reportOf(wrong));
    assertGolden(golden('report.json'), `${JSON.stringify(json, null, 2)}\n`);
  });

  it('is JUnit XML and TAP for build servers', async () => {
    const report = await reportOf(wrong);
    const xml = junitText(report);
    const { testsuites } = new XMLParser({ ignoreAttributes: false }).parse(xml) as {
      testsuites: { testsuite: { testcase: { '@_name': string; failure?: unknown }[] } };
    };
    const cases = testsuites.testsuite.testcase;
    assert.deepEqual(
      cases.map(({ failure }) => failure !== undefined),
      [true, true, true, false, false],
    );
    assert.equal(cases[1]?.['@_name'], 'a <flap> & ü #1 wakes nobody');
    assertGolden(golden('junit.xml'), xml);
    assertGolden(golden('report.tap'), tapText(report));
  });
});
