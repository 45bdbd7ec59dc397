/**
 * Runs the test files with node:test, many to a process. Arguments are parts of paths: `npm test -- config` runs the
 * files whose path contains "config". Without any it runs all but those of tests/long, which `npm run test:long` runs.
 * Node 20 neither expands globs nor finds .ts files itself. With `--reverse` each process runs its files the other way
 * round, which shows whether one needs another to have run before it. With `--times` it ends with the files that took
 * most: seconds of processors (with the programs they ran), and seconds by the clock.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { availableParallelism, setPriority } from 'node:os';
import { dirname, join } from 'node:path';
import { spec as Spec } from 'node:test/reporters';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { inspect, parseArgs } from 'node:util';
import { batchesOf, mark, optimiseLate, programs } from './batches.js';
import { blankModule, bundle } from './bundle.js';

const { values: flags, positionals: wanted } = parseArgs({
  options: { reverse: { type: 'boolean', default: false }, times: { type: 'boolean', default: false } },
  allowPositionals: true,
});
/** Several nodes and peers, kills, failing disks, random outages. */
const long = join('tests', 'long', '/');
const files = readdirSync('tests', { recursive: true })
  .map((file) => join('tests', String(file)))
  .filter((file) => /\.test\.tsx?$/.test(file))
  .filter((file) =>
    wanted.length === 0 ? !file.startsWith(long) : wanted.some((part) => file.includes(part)),
  )
  .sort();
if (files.length === 0) {
  process.stderr.write(`no test file matches ${wanted.join(' ')}\n`);
  process.exit(1);
}

/**
 * Options of V8 for code that does a little of everything. Functions are optimised when they ran three times as long as by
 * default: otherwise a fifth of the processors' time goes into optimising what is soon over. So are those of SQLite where
 * a process computes; where it waits for programs they never are.
 */
const tuning = optimiseLate;

/**
 * Of what tests make most is of no use a moment later: with more room for it less has to be looked through, and that on one
 * thread, since other processes have the other processors.
 */
const roomy = ['--min-semi-space-size=32', '--max-semi-space-size=64', '--single-threaded-gc'];

const computes = [...tuning, '--wasm-tiering-budget=5000000', ...roomy];

const tuningOf = { computing: computes, watching: computes, waiting: [...tuning, '--liftoff-only'] };

/** While others wait for programs or look at the time, which would take a late answer for a wrong one. */
const niceness = 5;

/** Bytes: what tests have in temporary files at one time takes a fifth of it. */
const leastMemory = 4e9;

/** How many files `--times` names. */
const shownTimes = 40;

const program = fileURLToPath(new URL('batch.js', import.meta.url));
const counts = { tests: 0, suites: 0, pass: 0, fail: 0, cancelled: 0, skipped: 0, todo: 0 };
const startedAt = performance.now();
const times = [];
const report = new Spec();
report.pipe(process.stdout);
process.exitCode = 0;

/** The module that starts the PostgreSQL which all files share. */
const postgresModule = 'tests/support/postgres.ts';
const schemaModule = 'src/db/tables/schema/schema.ts';
const beside = [...programs, postgresModule, blankModule, schemaModule].filter((path) => existsSync(path));
const bundled = await bundle([...files, ...beside]);
// React as it is shipped; and where the programs are that tests run (support/program.ts).
const env = { NODE_ENV: 'production', ...process.env, STATUSD_BUNDLE: bundled.folder };
// No test trusts a certificate of this machine, and each process would take 45 ms to read them all.
delete env.NODE_EXTRA_CA_CERTS;
const temporary = makeTemporary();
if (temporary !== null) env.TMPDIR = temporary;
process.once('exit', () => {
  bundled.remove();
  if (temporary !== null) rmSync(temporary, { recursive: true, force: true, maxRetries: 5 });
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(130));
const [postgres] = await Promise.all([
  bundled.imports(files, postgresModule) ? startPostgres() : null,
  bundled.imports(files, schemaModule) ? makeBlank().catch(() => undefined) : null,
]);
const { waiting, watching, computing } = batchesOf(files);
const busy = [...watching, ...computing];
/** How many batches are not over that others are not to hold up, and the processes that make way for them. */
let delicate = waiting.length + watching.length;
const nice = new Set();
// Those that wait leave the processors to those that compute.
const cores = availableParallelism();
await Promise.all([
  ...Array.from({ length: cores }, () => runAll(busy, waiting)),
  ...Array.from({ length: 5 * cores }, () => runAll(waiting, busy)),
]);
await postgres?.stop();
for (const [name, count] of Object.entries({ ...counts, duration_ms: performance.now() - startedAt }))
  report.write({ type: 'test:diagnostic', data: { nesting: 0, message: `${name} ${count}` } });
if (flags.times) report.write({ type: 'test:diagnostic', data: { nesting: 0, message: slowest() } });
report.end();

/**
 * A folder for the temporary files of all tests, in memory: they make and remove thousands, and a disk takes its time to
 * sync each. Null where they stay: memory has no room for them or runs no programs, or TMPDIR says where they are.
 */
function makeTemporary() {
  const memory = '/dev/shm';
  if (env.TMPDIR !== undefined || !existsSync(memory)) return null;
  const { bavail, bsize } = statfsSync(memory);
  if (bavail * bsize < leastMemory) return null;
  const folder = mkdtempSync(join(memory, 'statusd-tests-'));
  chmodSync(folder, 0o755);
  const script = join(folder, 'runs');
  writeFileSync(script, '#!/bin/sh\n', { mode: 0o755 });
  if (spawnSync(script).status === 0) return folder;
  rmSync(folder, { recursive: true });
  return null;
}

/** A module of the bundle, in this process. */
function load(module) {
  return import(pathToFileURL(join(bundled.folder, `${module}.js`)).href);
}

/** An empty database for all tests, as the package has one. Without it each store that is opened runs the migrations. */
async function makeBlank() {
  const [blank, { schema }] = [await load(blankModule), await load(schemaModule)];
  writeFileSync(join(bundled.folder, dirname(blankModule), 'blank.db'), await blank.makeBlank(schema));
}

/** Tells the tests where it is. Null: it cannot be started, so that each test that needs one fails or is skipped. */
async function startPostgres() {
  const module = await load(postgresModule);
  try {
    const started = await module.startPostgres();
    env.STATUSD_POSTGRES = started.folder;
    return started;
  } catch {
    return null;
  }
}

/** One batch after the other; those of the other kind once there are no more of the first. */
async function runAll(first, second) {
  for (;;) {
    const batch = first.shift() ?? second.shift();
    if (batch === undefined) return;
    await runBatch(batch);
  }
}

/** Runs files in one process. Shows what is reported of a file once all of it is there. */
async function runBatch({ kind, files: forward }) {
  const batch = flags.reverse ? forward.toReversed() : forward;
  const options = ['--enable-source-maps', ...tuningOf[kind], `--test-reporter=${program}`];
  const child = spawn(process.execPath, [...options, program, bundled.folder, ...batch], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env,
  });
  if (kind === 'computing' && delicate > 0) makeWay(child.pid);
  const missing = [...batch];
  let events = [];
  let hasFailed = false;
  const take = (line) => {
    const [message, json] = line.split(mark);
    if (message !== '') events.push({ type: 'test:stdout', data: { message: `${message}\n` } });
    if (json === undefined) return;
    const event = JSON.parse(json);
    if (event.type === 'times') {
      times.push(event.data);
      return;
    }
    events.push(event);
    hasFailed ||= isFailure(event);
    const { nesting, name } = event.data;
    if (nesting > 0 || event.type === 'test:start' || event.type === 'test:diagnostic') return;
    if (name !== missing[0]) {
      events.push(failed(name, 'it was declared when its file was loaded already: a suite is not async'));
      return;
    }
    missing.shift();
    show(events);
    events = [];
  };
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop();
    lines.forEach(take);
  });
  child.stderr.setEncoding('utf8').on('data', (message) => {
    events.push({ type: 'test:stderr', data: { message } });
  });
  const closed = once(child, 'close');
  const [code, signal] = await once(child, 'exit');
  nice.delete(child.pid);
  if (kind !== 'computing') delicate -= 1;
  if (delicate === 0) hurry();
  // What a test has left running may have the pipes still.
  await Promise.race([closed, pause(1000)]);
  take(rest);
  const end = `${signal ?? `exit ${code}`} of the process that ran ${batch.join(', ')}`;
  const [broken, ...unseen] = missing;
  if (broken !== undefined) events.push(failed(broken, `it did not come to its end: ${end}`));
  for (const file of unseen) events.push(failed(file, `it was not run: ${broken} came before it`));
  if (broken === undefined && code !== 0 && !hasFailed) events.push(failed(batch.join(', '), end));
  show(events);
}

function makeWay(pid) {
  setPriority(pid, niceness);
  nice.add(pid);
}

/** On a machine that does other things, too, the last batches would take several times as long. Root alone may do so. */
function hurry() {
  for (const pid of nice) {
    try {
      setPriority(pid, 0);
    } catch {
      // It stays as it is.
    }
  }
  nice.clear();
}

function isFailure({ type, data }) {
  return type === 'test:fail' && data.todo === undefined;
}

function failed(name, text) {
  const data = { name, nesting: 0, file: name, line: 1, column: 1, details: { duration_ms: 0 } };
  return { type: 'test:fail', data, failure: { failureType: 'testCodeFailure', text } };
}

/** Counts what has ended, as node:test does, and hands it all to the one who writes it. */
function show(events) {
  for (const event of events) {
    const { type, data, failure } = event;
    if (isFailure(event)) process.exitCode = 1;
    if (type === 'test:pass' || type === 'test:fail') count(event);
    if (failure) {
      const cause = { [inspect.custom]: () => failure.text };
      data.details.error = { code: 'ERR_TEST_FAILURE', failureType: failure.failureType, cause };
    }
    report.write({ type, data });
  }
}

function count({ type, data, failure }) {
  if (data.details.type === 'suite') {
    // A file is shown as a suite, and is none.
    if (data.nesting > 0) counts.suites += 1;
    return;
  }
  counts.tests += 1;
  if (data.skip !== undefined) counts.skipped += 1;
  else if (data.todo !== undefined) counts.todo += 1;
  else if (type === 'test:pass') counts.pass += 1;
  else if (/^(?:cancelledByParent|testAborted|testTimeoutFailure)$/.test(failure?.failureType))
    counts.cancelled += 1;
  else counts.fail += 1;
}

/** A table of the files that took most, the sum of all above them. */
function slowest() {
  const sum = (key) => times.reduce((total, each) => total + each[key], 0);
  const row = ({ computedMs, lastedMs, file }) =>
    `${[computedMs, lastedMs].map((ms) => (ms / 1000).toFixed(2).padStart(9)).join('')}  ${file}`;
  const all = { computedMs: sum('computedMs'), lastedMs: sum('lastedMs'), file: `${times.length} files` };
  const sorted = times.toSorted((a, b) => b.computedMs + b.lastedMs - a.computedMs - a.lastedMs);
  const shown = sorted.slice(0, shownTimes).map(row);
  return ['processors    clock', row(all), ...shown].join('\n');
}
