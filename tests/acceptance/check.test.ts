import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { XMLParser } from 'fast-xml-parser';
import stringWidth from 'string-width';
import { Parser } from 'tap-parser';
import { formats } from '../../src/commands/check/formats.ts';
import { canaries, expected, startWorld, type World } from '../support/check-world.ts';
import { bin, runCli, runOnTerminal, runShell, startCli, type CliResult } from '../support/cli.ts';
import { runHere } from '../support/operator-world.ts';
import { parseWorkflowCommands } from '../support/workflow-commands.ts';

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

/** As a user runs it: in a process of its own. */
const checkAlone = (...args: string[]): Promise<CliResult> =>
  runCli(['check', ...args], { cwd: world.folder, env: world.env });

/** From parsing to the exit code in this process, where what is printed is looked at. */
const check = (...args: string[]): Promise<CliResult> =>
  runHere(['check', ...args], { cwd: world.folder, env: world.env });

interface JsonReport {
  ok: boolean;
  config: string;
  checked_at: string;
  counts: Record<string, number>;
  results: Record<string, unknown>[];
}

const statuses = (results: readonly Record<string, unknown>[]): Record<string, unknown> =>
  Object.fromEntries(results.map(({ id, status }): [string, unknown] => [String(id), status]));

const idsOf = (...wanted: string[]) =>
  Object.keys(expected).filter((id) => wanted.includes(expected[id] ?? ''));

/** Everything but line breaks that a terminal could act on, escape sequences included. */
const unsafe = /[\p{Cc}\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/u;

function assertSafe(text: string): void {
  assert.doesNotMatch(text.replaceAll('\n', ''), unsafe);
}

// Most of the time goes by between the attempts of a failing probe.
describe('formats', { concurrency: 4 }, () => {
  test('human: a table, what each failing target answered, a summary, exit 1', async () => {
    const { code, stdout, stderr } = await checkAlone();
    assert.equal(code, 1);
    assert.match(stdout, /^ {2}✓ up +Website +[\d.]+ m?s$/m);
    assert.match(stdout, /^TLS$/m);
    assert.match(stdout, /^✗ Public API \(api\) is down after 2 attempts$/m);
    assert.match(stdout, /^ {4}│ HTTP\/1\.1 503 Service Unavailable$/m);
    assert.match(stdout, /^ {4}│ {3}"error": "database gone",$/m);
    assert.match(stdout, /^ {4}\$ curl .*\/api\?/m);
    assert.match(stdout, /^note Sécurité 日本 \(secure\): the certificate expires in \d days$/m);
    assert.match(stdout, /^5 up, 2 degraded, 6 down, 1 unknown, 1 skipped in [\d.]+ s\n$/m);
    assert.match(stderr, /1 monitor could not be checked: disk-gone/);
    assertSafe(stdout + stderr);
  });

  test('json: the document of the interface, and the same with --json', async () => {
    for (const args of [['--format', 'json'], ['--json']]) {
      const { code, stdout } = await check(...args);
      const report = JSON.parse(stdout) as JsonReport;
      assert.equal(code, 1);
      assert.deepEqual(Object.keys(report), ['ok', 'config', 'checked_at', 'counts', 'results']);
      assert.deepEqual([report.ok, report.config], [false, join(world.folder, 'statusd.toml')]);
      assert.ok(Math.abs(Date.parse(report.checked_at) - Date.now()) < 60_000);
      assert.deepEqual(report.counts, { up: 5, degraded: 2, down: 6, unknown: 1, skipped: 1 });
      assert.deepEqual(statuses(report.results), expected);
      const [site] = report.results;
      assert.deepEqual(
        [site?.['name'], site?.['kind'], site?.['error'], site?.['attempts']],
        ['Website', 'http', null, 1],
      );
    }
  });

  test('ndjson: a line a result, each as it ends', async () => {
    const { code, stdout } = await checkAlone('--format', 'ndjson');
    const results = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    assert.equal(code, 1);
    assert.deepEqual(new Map(Object.entries(statuses(results))), new Map(Object.entries(expected)));
    assert.equal(results[0]?.['id'], 'backup', 'nobody waits for a push monitor');
    const ended = results.map(({ id }) => String(id));
    const configured = Object.keys(expected);
    const behind = configured.slice(configured.indexOf('api') + 1);
    const overtook = ended.slice(0, ended.indexOf('api')).filter((id) => behind.includes(id));
    assert.ok(overtook.length > 1, `the one with a retry holds nobody up: ${ended.join(' ')}`);
  });

  test('junit: failures, skips and what was answered', async () => {
    const { code, stdout } = await check('--format', 'junit');
    assert.equal(code, 1);
    assert.equal(spawnSync('xmllint', ['--noout', '-'], { input: stdout }).status, 0);
    const parser = new XMLParser({ ignoreAttributes: false, isArray: (name) => name === 'testcase' });
    const { testsuite } = (parser.parse(stdout) as { testsuites: { testsuite: JUnitSuite } }).testsuites;
    assert.deepEqual(
      [testsuite['@_tests'], testsuite['@_failures'], testsuite['@_skipped']],
      ['15', '6', '2'],
    );
    const failing = testsuite.testcase.filter((one) => 'failure' in one).map((one) => one['@_name']);
    assert.deepEqual(failing, [
      'Public API (api)',
      'words',
      'untrusted',
      'closed-port',
      'wrong-name',
      'disk-full',
    ]);
    assert.match(testsuite.testcase[1]?.['system-out'] ?? '', /^HTTP\/1\.1 503 Service Unavailable\n/);
  });

  interface JUnitSuite {
    testcase: Record<string, string>[];
    '@_tests': string;
    '@_failures': string;
    '@_skipped': string;
  }

  test('tap: points that a TAP 14 parser reads', async () => {
    const { code, stdout } = await check('--format', 'tap');
    assert.equal(code, 1);
    assert.match(stdout, /^TAP version 14\n1\.\.15\n/);
    const points: { ok: boolean; skip: string | false; diag: Record<string, unknown> | null }[] = [];
    const extra: string[] = [];
    const parser = new Parser({ strict: true });
    parser.on('assert', (point: (typeof points)[number]) => points.push(point));
    parser.on('extra', (line: string) => extra.push(line));
    parser.end(stdout);
    assert.deepEqual(extra, []);
    const ids = Object.keys(expected);
    assert.deepEqual(
      ids.filter((_, index) => points[index]?.ok === false),
      idsOf('down'),
    );
    assert.deepEqual(
      ids.filter((_, index) => Boolean(points[index]?.skip)),
      idsOf('unknown', 'skipped'),
    );
    const { status, attempts, answer } = points[1]?.diag ?? {};
    assert.deepEqual([status, attempts, answer], ['down', 2, 'HTTP/1.1 503 Service Unavailable']);
  });

  test('github: an annotation for each monitor that is not up, at its line of the file', async () => {
    const { code, stdout } = await check('--format', 'github');
    assert.equal(code, 1);
    const { commands, lines } = parseWorkflowCommands(stdout);
    const source = readFileSync(join(world.folder, 'statusd.toml'), 'utf8').split('\n');
    const annotated = (level: string) =>
      commands
        .filter(({ name }) => name === level)
        .map(({ properties: { file, line } }) => {
          assert.equal(file, 'statusd.toml');
          assert.equal(source[Number(line) - 1], '[[monitors]]');
          return /"(.*)"/.exec(source[Number(line)] ?? '')?.[1];
        });
    assert.deepEqual(annotated('error'), idsOf('down'));
    assert.deepEqual(annotated('warning'), idsOf('degraded', 'unknown'));
    assert.deepEqual(annotated('notice'), ['secure', 'untrusted']);
    assert.match(
      commands[0]?.message ?? '',
      /^status 503 .+\nexpected_status: .+\nHTTP\/1\.1 503 Service Unavailable\n\{\n/,
    );
    assert.match(lines.at(-1) ?? '', /^statusd: 5 up, 2 degraded, 6 down, 1 unknown, 1 skipped in/);
  });

  test('nagios: one line and the state as exit code', async () => {
    const cases = [
      [[], 2, 'CRITICAL'],
      [['site', 'slow'], 1, 'WARNING'],
      [['site', 'disk-gone'], 3, 'UNKNOWN'],
      [['site', 'backup'], 0, 'OK'],
    ] as const;
    for (const [ids, state, word] of cases) {
      const { code, stdout } = await check('--format', 'nagios', ...ids);
      assert.equal(code, state);
      assert.match(stdout, new RegExp(`^STATUSD ${word} - [^|\\n]+ \\| [^|\\n]+\\n$`));
    }
  });

  test('no format shows a secret of the configuration', async () => {
    const runs = formats.map(async (format) => ({ format, ...(await check('--format', format, 'api')) }));
    for (const { format, stdout, stderr } of await Promise.all(runs)) {
      for (const canary of canaries)
        assert.ok(!(stdout + stderr).includes(canary), `${format} shows ${canary}`);
    }
  });
});

describe('what is checked and what fails', () => {
  test('ids and groups choose the monitors', async () => {
    const { code, stdout } = await check('--json', 'port', '--group', 'TLS');
    const { results } = JSON.parse(stdout) as JsonReport;
    assert.equal(code, 1);
    assert.deepEqual(
      results.map(({ id }) => id),
      ['secure', 'untrusted', 'port'],
    );
  });

  test('an unknown id or group ends with 5 and names the nearest', async () => {
    const id = await checkAlone('prot');
    assert.deepEqual([id.code, id.stdout], [5, '']);
    assert.match(id.stderr, /there is no monitor 'prot'\n +Did you mean port\?/);
    const group = await check('--group', 'TSL');
    assert.equal(group.code, 5);
    assert.match(group.stderr, /there is no group 'TSL'\n +Did you mean TLS\?/);
  });

  test('--fail-on decides which statuses fail the run', async () => {
    const codes = async (...ids: string[]) => {
      const runs = ['down', 'degraded', 'never'].map((level) => check('--fail-on', level, ...ids));
      return (await Promise.all(runs)).map(({ code }) => code);
    };
    assert.deepEqual(await codes('site', 'backup'), [0, 0, 0]);
    assert.deepEqual(await codes('slow'), [0, 1, 0]);
    assert.deepEqual(await codes('disk-gone'), [0, 1, 0]);
    assert.deepEqual(await codes('words'), [1, 1, 0]);
  });

  test('-q prints what is wrong and nothing else', async () => {
    const fine = await checkAlone('-q', 'site', 'port', 'backup');
    assert.deepEqual(fine, { code: 0, stdout: '', stderr: '' });
    const { stdout } = await check('-q', 'site', 'words');
    assert.match(stdout, /^✗ words is down/);
    assert.doesNotMatch(stdout, /Website/);
  });

  test('a usage error ends with 2 and says what there is', async () => {
    const cases = [
      [['--format', 'jsno'], /--format must be one of .*, not 'jsno'\n +Did you mean json\?/],
      [['--fail-on', 'warn'], /--fail-on must be one of down, degraded, never/],
      [['--concurrency', '0'], /--concurrency must be from 1 to 1000, not '0'/],
      [['--concurrency', '1e3'], /--concurrency must be from 1 to 1000/],
      [['--json', '--format', 'tap'], /--json and --format tap do not go together/],
    ] as const;
    for (const [args, message] of cases) {
      const { code, stdout, stderr } = await check(...args);
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(stderr, message);
    }
  });

  test('with one slot and a slow target everything is still checked', async () => {
    const { stdout } = await check('--json', '--concurrency', '1', 'slow', 'site', 'port');
    assert.deepEqual(statuses((JSON.parse(stdout) as JsonReport).results), {
      site: 'up',
      slow: 'degraded',
      port: 'up',
    });
  });
});

describe('configuration', () => {
  const broken =
    '[[monitors]]\nid = "a"\ntagret = "http://127.0.0.1/"\n\n[[monitors]]\nid = "b"\nkind = "htpp"\n';

  test('--config-only says that it is valid and probes nothing', async () => {
    let requests = 0;
    const origin = await world.http((_, response) => {
      requests++;
      response.end();
    });
    const file = world.config('only.toml', `[[monitors]]\nid = "a"\ntarget = "${origin}"\nnotify = []\n`);
    const { code, stdout, stderr } = await checkAlone('--config-only', '--config', file);
    assert.deepEqual([code, stdout], [0, '✓ only.toml is valid\n']);
    assert.match(stderr, /^only\.toml:4:\d+: warning: monitor "a": notify /);
    assert.equal(requests, 0);
  });

  test('every problem is listed at its place, whatever the format, and the run ends with 3', async () => {
    const file = world.config('broken.toml', broken);
    const outputs = new Map<string, CliResult>();
    for (const format of formats) outputs.set(format, await check('--format', format, '--config', file));
    for (const [format, { code }] of outputs) assert.equal(code, 3, format);
    assert.match(outputs.get('human')?.stderr ?? '', /^broken\.toml:3:1: error: .*tagret/m);
    assert.match(outputs.get('human')?.stderr ?? '', /^broken\.toml:7:8: error: .*kind/m);
    const json = JSON.parse(outputs.get('json')?.stdout ?? '') as {
      ok: boolean;
      errors: Record<string, unknown>[];
    };
    assert.equal(json.ok, false);
    assert.ok(json.errors.length >= 2);
    for (const error of json.errors) {
      assert.deepEqual(Object.keys(error), ['file', 'line', 'column', 'path', 'message', 'hint']);
    }
    const { commands } = parseWorkflowCommands(outputs.get('github')?.stdout ?? '');
    assert.equal(commands.length, json.errors.length);
    assert.ok(
      commands.every(({ name, properties }) => name === 'error' && properties['file'] === 'broken.toml'),
    );
    assert.match(outputs.get('nagios')?.stdout ?? '', /^STATUSD UNKNOWN - broken\.toml:\d+:\d+ /);
    assert.match(outputs.get('tap')?.stdout ?? '', /^not ok 1 - configuration: /m);
    assert.match(outputs.get('junit')?.stdout ?? '', /<error /);
  });

  test('no configuration ends with 3 and says where it was looked for', async () => {
    const { code, stderr } = await runCli(['check'], { cwd: '/' });
    assert.equal(code, 3);
    assert.match(stderr, /\/statusd\.toml.*\/etc\/statusd\/statusd\.toml/);
    assert.match(stderr, /statusd init/);
    const json = await runCli(['check', '--json'], { cwd: '/' });
    assert.equal(json.code, 3);
    assert.equal((JSON.parse(json.stdout) as { ok: boolean }).ok, false);
  });
});

describe('hostile targets and names', () => {
  test('no format lets a control or hidden character through', async () => {
    const bytes = Buffer.concat([
      Buffer.from(
        'HTTP/1.1 503 \u009b31mBad\r\nX-Title: \u009d0;owned\u009c ::error::x\r\nConnection: close\r\n\r\n',
        'latin1',
      ),
      Buffer.from(
        '\u001b]0;owned\u0007\u001b[2J\u202e\u200b\u2028::error::owned\n##[stop-commands]x\n]]>\u0000\u009b\n',
      ),
      Buffer.from([0xff, 0xfe, 0x1b, 0x5b, 0x33, 0x31, 0x6d]),
    ]);
    const target = await world.raw(bytes);
    const monitor = (id: string, more: string) => `
[[monitors]]
id = "${id}"
name = "\\u202Eevil\\u200B ${id} ::error::x ##[group] <b>|#"
group = "\\u2066g\\u2069"
target = "http://${target}/"
probe_retries = 0
${more}`;
    const text =
      monitor('status', '') + monitor('keyword', 'expected_status = 503\nkeyword = "\\u202Enever\\u2028"\n');
    const file = world.config('hostile.toml', text);
    for (const format of formats) {
      const { code, stdout, stderr } = await check('--format', format, '--config', file);
      assert.equal(code, format === 'nagios' ? 2 : 1, stdout + stderr);
      assertSafe(stdout + stderr);
      if (format !== 'github') continue;
      const { commands } = parseWorkflowCommands(stdout);
      assert.deepEqual(
        commands.map(({ name }) => name),
        ['error', 'error'],
      );
    }
  });

  test('a hostile word on the command line cannot act on the terminal', async () => {
    const { code, stderr } = await checkAlone('\u001b]0;owned\u0007\u202e');
    assert.equal(code, 5);
    assertSafe(stderr);
  });
});

describe('terminal', () => {
  const run = `"${process.execPath}" "${bin}" check`;
  const withoutEscapes = (text: string) => text.replace(/\u001b\[[\d;]*[A-Za-z]/g, '');

  test('a terminal gets progress that goes away, colour, and lines that fit', async () => {
    const { code, stdout } = await runOnTerminal(`stty cols 60; ${run}`, {
      cwd: world.folder,
      env: world.env,
    });
    assert.equal(code, 1);
    assert.match(stdout, /\r[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] 1\d\/14 .*Public API.* · \d\.\d s/);
    assert.match(stdout, /\u001b\[31m✗ down/);
    const report = stdout.slice(stdout.lastIndexOf('\r\u001b[K') + '\r\u001b[K'.length);
    assert.doesNotMatch(report, /\d+\/14/, 'the progress line is gone when the report comes');
    const lines = withoutEscapes(report).split('\r\n');
    for (const line of lines.filter((one) => /^ {2}\S/.test(one))) assert.ok(stringWidth(line) <= 60, line);
    assert.ok(lines.some((line) => line.endsWith('…')));
  });

  test('--no-color, NO_COLOR and TERM=dumb draw without colour; FORCE_COLOR colours a pipe', async () => {
    const options = { cwd: world.folder, env: world.env };
    const plain = [
      runOnTerminal(`${run} --no-color site`, { ...options, env: { ...world.env, FORCE_COLOR: '1' } }),
      runOnTerminal(`${run} site`, { ...options, env: { ...world.env, NO_COLOR: '1' } }),
      runOnTerminal(`${run} site`, { ...options, env: { ...world.env, TERM: 'dumb' } }),
    ];
    for (const { stdout } of await Promise.all(plain)) assert.doesNotMatch(stdout, /\u001b\[\d+m/);
    const forced = await runCli(['check', 'site'], { cwd: world.folder, env: { FORCE_COLOR: '1' } });
    assert.match(forced.stdout, /\u001b\[32m✓ up/);
  });

  test('progress goes to stderr only, so that a redirected result is clean', async () => {
    const command = `stty cols 80; ${run} --json > result.json`;
    const { stdout } = await runOnTerminal(command, { cwd: world.folder, env: world.env });
    assert.match(stdout, /\/14 /);
    const report = JSON.parse(readFileSync(join(world.folder, 'result.json'), 'utf8')) as JsonReport;
    assert.equal(report.results.length, 15);
  });

  test('without UTF-8 the marks are ASCII', async () => {
    const { stdout } = await runCli(['check', 'site', 'words', 'backup'], {
      cwd: world.folder,
      env: { ...world.env, LANG: 'C' },
    });
    assert.match(stdout, /^[ -~\n]+$/);
    assert.match(stdout, /^ {2}x down/m);
  });
});

describe('ends', () => {
  test('an interrupt aborts the probes, prints what is known and ends with 130', async () => {
    let onHanging: () => void = () => undefined;
    const hanging = new Promise<void>((resolve) => (onHanging = resolve));
    const origin = await world.http((request, response) => {
      if (request.url === '/quick') response.end('ok');
      else onHanging();
    });
    const text = ['quick', 'hangs']
      .map((id) => `[[monitors]]\nid = "${id}"\ntarget = "${origin}/${id}"\n`)
      .join('\n');
    const file = world.config('interrupt.toml', text);
    const args = ['check', '--config', file, '--format', 'json', '--concurrency', '1'];
    const { child, exited } = startCli(args, { cwd: world.folder });
    await hanging;
    const interruptedAt = performance.now();
    child.kill('SIGINT');
    const { code, stdout } = await exited;
    assert.ok(performance.now() - interruptedAt < 2000, 'the probe in flight holds nothing up');
    assert.equal(code, 130);
    const report = JSON.parse(stdout) as JsonReport;
    assert.deepEqual([report.ok, statuses(report.results)], [false, { quick: 'up' }]);
  });

  test('a reader that leaves early ends it quietly', async () => {
    const command = `"${process.execPath}" "${bin}" check --json site port | true`;
    const { code, stderr } = await runShell(command, { cwd: world.folder, env: world.env });
    assert.deepEqual([code, stderr], [0, '']);
  });
});
