import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { XMLParser } from 'fast-xml-parser';
import { Parser } from 'tap-parser';
import { type CheckFormat, formats, rendererOf } from '../../../src/commands/check/formats.ts';
import type { CheckReport, CheckView, ConfigVerdict } from '../../../src/commands/check/report.ts';
import { cleanLine } from '../../../src/engine/core/text.ts';
import {
  checked,
  everyStatus,
  hostileFailure,
  hostileReport,
  plainView,
  reportOf,
  twoProblems,
} from '../../support/check-report.ts';
import { assertGolden } from '../../support/golden.ts';
import { parseWorkflowCommands } from '../../support/workflow-commands.ts';

const golden = (name: string) => new URL(`golden/${name}`, import.meta.url);

async function render(
  format: CheckFormat,
  report: CheckReport,
  checkView: CheckView = plainView,
): Promise<string> {
  const renderer = await rendererOf(format);
  const lines = report.results.map((result) => renderer.result?.(result) ?? '');
  return lines.join('') + renderer.report(report, checkView);
}

async function renderVerdict(format: CheckFormat, verdict: ConfigVerdict): Promise<string> {
  return (await rendererOf(format)).config(verdict, plainView);
}

test('of 1,000 mistakes people read the first 50 and how many are left, programs all of them', async () => {
  const [problem] = twoProblems.problems;
  assert.ok(problem);
  const problems = Array.from({ length: 1_000 }, () => ({ ...problem, hint: null }));
  const lines = (await renderVerdict('human', { ...twoProblems, problems })).trimEnd().split('\n');
  assert.deepEqual([lines.length, lines.at(-1)], [51, 'and 950 more problems']);
  const json: unknown = JSON.parse(await renderVerdict('json', { ...twoProblems, problems }));
  assert.ok(typeof json === 'object' && json !== null && 'errors' in json && Array.isArray(json.errors));
  assert.equal(json.errors.length, 1_000);
});

for (const format of formats) {
  test(`${format} of a report with every status is what the golden file holds`, async () => {
    assertGolden(golden(`every-status.${format}.txt`), await render(format, everyStatus));
  });

  test(`${format} of an invalid configuration is what the golden file holds`, async () => {
    assertGolden(golden(`problems.${format}.txt`), await renderVerdict(format, twoProblems));
  });

  test(`${format} of a valid configuration is what the golden file holds`, async () => {
    const text = await renderVerdict(format, { file: 'statusd.toml', problems: [] });
    assertGolden(golden(`valid.${format}.txt`), text);
  });

  test(`${format} leaves no raw control or hidden character of a hostile report`, async () => {
    const text = (await render(format, hostileReport)) + (await renderVerdict(format, hostileFailure));
    assert.doesNotMatch(
      text.replaceAll('\n', ''),
      /[\p{Cc}\p{Cs}\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/u,
    );
  });

  test(`${format} of nothing to check is well-formed`, async () => {
    assertGolden(golden(`empty.${format}.txt`), await render(format, reportOf([])));
  });
}

describe('human', () => {
  test('explains a root cause, and gives what it took along a line each', async () => {
    const down = { status: 'down', error: 'connection refused', curl: 'curl http://x/' } as const;
    const report = reportOf(
      [checked('shop', { ...down, name: 'Shop' }), checked('db', { ...down, name: 'PostgreSQL' })],
      { causes: new Map([['shop', 'PostgreSQL']]) },
    );
    const text = await render('human', report);
    assert.match(text, /✗ down +Shop +.* because of PostgreSQL\n/);
    assert.match(text, /✗ PostgreSQL \(db\) is down\n {4}connection refused\n {4}\$ curl http:\/\/x\/\n/);
    assert.match(text, /\n✗ Shop \(shop\) because of PostgreSQL: connection refused\n/);
    assert.equal(text.split('$ curl').length, 2);
  });
});

describe('json', () => {
  const keys = [
    'id',
    'name',
    'group',
    'kind',
    'status',
    'latency_ms',
    'error',
    'attempts',
    'timings',
    'cert_expiry_days',
  ];

  test('a document and its results have the promised keys and no others', async () => {
    const document = JSON.parse(await render('json', everyStatus)) as Record<string, unknown>;
    assert.deepEqual(Object.keys(document), ['ok', 'config', 'checked_at', 'counts', 'results']);
    for (const result of document['results'] as object[]) assert.deepEqual(Object.keys(result), keys);
  });

  test('hostile text comes back as it was', async () => {
    const { results } = JSON.parse(await render('json', hostileReport)) as { results: { name: string }[] };
    // JSON.stringify writes half a surrogate pair as an escape, so even that survives.
    assert.equal(results[0]?.name, hostileReport.results[0]?.name);
  });

  test('ndjson is one result a line', async () => {
    const lines = (await render('ndjson', hostileReport)).trimEnd().split('\n');
    assert.deepEqual(
      lines.map((line) => (JSON.parse(line) as { id: string }).id),
      hostileReport.results.map(({ id }) => id),
    );
  });
});

describe('junit', () => {
  const parse = (xml: string) =>
    new XMLParser({ ignoreAttributes: false, isArray: (name) => name === 'testcase' }).parse(xml) as Junit;

  interface Junit {
    testsuites: { testsuite: { testcase: Record<string, unknown>[] } & Record<string, string> };
  }

  test('down fails, push and unknown are skipped, the rest passes', async () => {
    const { testsuite } = parse(await render('junit', everyStatus)).testsuites;
    const verdicts = testsuite.testcase.map(
      (one) => ['failure', 'error', 'skipped'].find((tag) => tag in one) ?? 'passed',
    );
    assert.deepEqual(verdicts, ['passed', 'failure', 'passed', 'skipped', 'skipped', 'passed']);
    assert.deepEqual(
      [testsuite['@_tests'], testsuite['@_failures'], testsuite['@_skipped']],
      ['6', '1', '2'],
    );
  });

  test('with --fail-on degraded, degraded fails and unknown is an error', async () => {
    const report = { ...everyStatus, failing: ['down', 'degraded', 'unknown'] as const };
    const { testsuite } = parse(await render('junit', report)).testsuites;
    assert.deepEqual(
      [testsuite['@_failures'], testsuite['@_errors'], testsuite['@_skipped']],
      ['2', '1', '1'],
    );
  });

  test('xmllint accepts hostile reports and failures', async () => {
    const noncharacters = reportOf([
      checked('a', { name: '\ufffe\uffff \u{1f642}', status: 'down', error: '<&>"\n' }),
    ]);
    for (const xml of [
      await render('junit', hostileReport),
      await renderVerdict('junit', hostileFailure),
      await render('junit', noncharacters),
    ]) {
      const { status, stderr } = spawnSync('xmllint', ['--noout', '-'], { input: xml, encoding: 'utf8' });
      assert.equal(status, 0, stderr);
    }
  });
});

describe('tap', () => {
  interface Point {
    ok: boolean;
    name: string;
    skip: string | boolean;
    diag: Record<string, unknown> | null;
  }

  function parse(text: string) {
    const points: Point[] = [];
    const extra: string[] = [];
    const parser = new Parser({ strict: true });
    parser.on('assert', (point: Point) => points.push(point));
    parser.on('extra', (line: string) => extra.push(line));
    parser.end(text);
    const { results } = parser;
    assert.ok(results !== null, 'the parser came to an end');
    return { points, extra, results };
  }

  test('someone else reads the same verdicts', async () => {
    const { points, extra } = parse(await render('tap', everyStatus));
    assert.deepEqual(extra, []);
    assert.deepEqual(
      points.map(({ ok, skip }) => (skip ? 'skip' : ok)),
      [true, false, true, 'skip', 'skip', true],
    );
    const { answer, at } = points[1]?.diag ?? {};
    assert.deepEqual([answer, at], ['HTTP/1.1 503 Service Unavailable', 'statusd.toml:9:1']);
  });

  test('hostile text ends no block, skips nothing and plans nothing', async () => {
    const { points, extra, results } = parse(await render('tap', hostileReport));
    assert.deepEqual(extra, []);
    assert.equal(results.bailout, false);
    assert.equal(results.plan.end, 5);
    assert.deepEqual(
      points.map(({ ok, skip }) => (skip ? 'skip' : ok)),
      [true, false, true, 'skip', 'skip'],
    );
  });

  test('an interrupted run bails out', async () => {
    const { results } = parse(await render('tap', { ...everyStatus, isInterrupted: true }));
    assert.equal(results.bailout, 'interrupted');
  });
});

describe('github', () => {
  test('a runner reads one annotation a problem, at its place', async () => {
    const { commands } = parseWorkflowCommands(await render('github', everyStatus));
    assert.deepEqual(
      commands.map(({ name, properties }) => [
        name,
        properties['file'],
        properties['line'],
        properties['col'],
      ]),
      [
        ['error', 'statusd.toml', '9', '1'],
        ['warning', 'statusd.toml', '15', '1'],
        ['warning', 'statusd.toml', '21', '1'],
        ['notice', 'statusd.toml', '4', '1'],
      ],
    );
    assert.match(commands[0]?.message ?? '', /"code": "100% <fatal> \| #1"\n/);
  });

  test('hostile text gives no command of its own', async () => {
    const report = parseWorkflowCommands(await render('github', hostileReport));
    assert.deepEqual(
      report.commands.map(({ name }) => name),
      ['error', 'warning', 'warning', 'notice'],
    );
    const name = cleanLine(hostileReport.results[1]?.name ?? '');
    const { title, line, col } = report.commands[0]?.properties ?? {};
    assert.deepEqual([title, line, col], [`${name} (m1) is down`, '1', '1']);
    const failure = parseWorkflowCommands(await renderVerdict('github', hostileFailure));
    assert.deepEqual(
      failure.commands.map(({ name }) => name),
      ['error'],
    );
    assert.deepEqual(failure.lines, []);
  });
});

describe('nagios', () => {
  test('there is one line with one bar, whatever the texts hold', async () => {
    for (const text of [await render('nagios', hostileReport), await render('nagios', everyStatus)]) {
      assert.match(text, /^STATUSD CRITICAL - [^|\n]+ \| [^|\n]+\n$/);
    }
    assert.match(await renderVerdict('nagios', hostileFailure), /^STATUSD UNKNOWN - [^|\n]+\n$/);
  });

  test('performance data follows the plugin guidelines', async () => {
    const [, data = ''] = (await render('nagios', everyStatus)).trimEnd().split(' | ');
    for (const item of data.split(' ')) assert.match(item, /^[\w-]+=(U|\d+(ms)?(;\d*){0,4})$/);
  });

  test('many failures are named up to five', async () => {
    const many = Array.from({ length: 8 }, (_, n) => checked(`m${n}`, { status: 'down', error: 'e' }));
    assert.match(await render('nagios', reportOf(many)), /8 of 8 down: m0 \(e\), .*m4 \(e\), 3 more \|/);
  });
});
