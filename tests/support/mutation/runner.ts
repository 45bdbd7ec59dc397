/**
 * A test runner of Stryker that runs the tests of an area in one process, change after change: the test files are loaded
 * anew each time, what they import is not. The quickest files come first, and the first failure ends the run.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { Worker } from 'node:worker_threads';
import type { CoverageData, MutantCoverage, StrykerOptions } from '@stryker-mutator/api/core';
import { commonTokens, declareClassPlugin, PluginKind, tokens } from '@stryker-mutator/api/plugin';
import {
  determineHitLimitReached,
  type DryRunResult,
  DryRunStatus,
  type MutantRunOptions,
  type MutantRunResult,
  MutantRunStatus,
  type TestResult as StrykerResult,
  type TestRunner,
  TestStatus,
  toMutantRunResult,
} from '@stryker-mutator/api/test-runner';
import { DeclaredFile, type TestResult } from './declared.ts';

/** What the changed code reads. */
interface Namespace {
  activeMutant?: string | undefined;
  currentTestId?: string | undefined;
  mutantCoverage?: MutantCoverage;
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
}

const space = ((globalThis as Record<string, unknown>)['__stryker__'] ??= {}) as Namespace;

/** How long each test took, by its id. */
const timesFile = 'test-times.json';

/** A test that takes five times as long as without a change, and this much more, has noticed it. */
const patienceMs = 5000;

/** Which changes kept the process busy without an end. */
const busyFile = (mutant: string) => `busy-${mutant}`;

/** Taken before a test puts another clock in its place. */
const { setTimeout, clearTimeout } = globalThis;

export class OneProcessRunner implements TestRunner {
  static readonly inject = tokens(commonTokens.options);
  private readonly folder: string;
  private readonly files: readonly string[];
  /** How long each test may take in a run with a change; empty: as long as it likes. */
  private limitsMs: ReadonlyMap<string, number> = new Map();
  private watchdog: Watchdog | null = null;
  /** What a change kept from its end may still go on, and fail the tests of the next one. */
  private isSpoilt = false;
  private runs = 0;
  /** Takes an error that nobody caught. */
  private fail: (error: unknown) => void = () => undefined;

  constructor(options: StrykerOptions) {
    const { folder, files } = options['oneProcess'] as { folder: string; files: readonly string[] };
    this.folder = folder;
    this.files = files;
    const fail = (error: unknown) => {
      this.fail(error);
    };
    process.on('unhandledRejection', fail);
    process.on('uncaughtException', fail);
  }

  capabilities() {
    return { reloadEnvironment: false };
  }

  async dryRun(): Promise<DryRunResult> {
    // What is reached by loading what the files import is not reached again; what they reach themselves is.
    for (const file of this.files) await this.load(file);
    const results = await this.run(this.files, () => true, false);
    writeFileSync(timesFile, JSON.stringify(Object.fromEntries(results.map(({ id, ms }) => [id, ms]))));
    const coverage = space.mutantCoverage ?? { static: {}, perTest: {} };
    return {
      status: DryRunStatus.Complete,
      tests: results.map(strykerResult),
      mutantCoverage: {
        static: withoutFiles(coverage, this.files),
        perTest: withHooks(coverage.perTest, results),
      },
    };
  }

  async mutantRun({ activeMutant, testFilter, hitLimit }: MutantRunOptions): Promise<MutantRunResult> {
    // Stryker tries again in a new process.
    if (this.isSpoilt) throw new Error('a test of the change before did not come to its end');
    // It was seen by the process before this one, which Stryker replaced.
    if (existsSync(busyFile(activeMutant.id))) return { status: MutantRunStatus.Timeout };
    space.activeMutant = activeMutant.id;
    this.watchdog ??= new Watchdog();
    this.watchdog.mutant = activeMutant.id;
    // Stryker allows a hundred times what all tests reach: an endless loop takes minutes to get there.
    const limit = hitLimit === undefined ? undefined : Math.max(20_000, hitLimit / 20);
    space.hitCount = limit === undefined ? undefined : 0;
    space.hitLimit = limit;
    const wanted = testFilter === undefined ? null : new Set(testFilter);
    this.limitsMs = new Map(timesOf().map(([id, ms]) => [id, patienceMs + 5 * ms]));
    const results = await this.run(this.quickestFirst(wanted), (id) => wanted?.has(id) ?? true, true);
    this.watchdog.rest();
    const endless = determineHitLimitReached(space.hitCount, limit);
    this.isSpoilt ||= endless !== undefined;
    return toMutantRunResult(
      endless ?? {
        status: DryRunStatus.Complete,
        tests: results.map(strykerResult),
      },
    );
  }

  /** The files with tests that are wanted. */
  private quickestFirst(wanted: ReadonlySet<string> | null): readonly string[] {
    const times = timesOf();
    if (times.length === 0) return this.files;
    const sums = this.files.map((file) => {
      const own = times.filter(([id]) => id.startsWith(`${file} > `) && (wanted?.has(id) ?? true));
      return { file, count: own.length, ms: own.reduce((sum, [, ms]) => sum + ms, 0) };
    });
    const some = sums.filter(({ count }) => count > 0);
    return some.sort((a, b) => a.ms - b.ms).map(({ file }) => file);
  }

  private async run(
    files: readonly string[],
    isWanted: (id: string) => boolean,
    endsAtFailure: boolean,
  ): Promise<TestResult[]> {
    const results: TestResult[] = [];
    for (const file of files) {
      let declared: DeclaredFile | null = null;
      const broken = await this.guarded(file, async () => (declared = await this.load(file)));
      if (broken !== null) results.push({ id: file, error: broken, ms: 0 });
      else
        await (declared as DeclaredFile | null)?.run({
          isWanted,
          guard: (id, work) => this.guarded(id, work),
          ended: (result) => {
            results.push(result);
            return result.error === null || !endsAtFailure;
          },
        });
      if (endsAtFailure && results.some(({ error }) => error !== null)) break;
    }
    return results;
  }

  /** Loads a file anew. */
  private async load(file: string): Promise<DeclaredFile> {
    const declared = new DeclaredFile(file);
    (globalThis as Record<string, unknown>)['declare'] = declared.declare;
    this.runs += 1;
    await import(`${pathToFileURL(resolve(join(this.folder, `${file}.js`))).href}?run=${this.runs}`);
    return declared;
  }

  /** Runs `work` under the name of a test; answers its error, also one that nobody caught. */
  private async guarded(id: string, work: () => unknown): Promise<unknown> {
    space.currentTestId = id;
    const limitMs = this.limitsMs.get(id);
    let timer: NodeJS.Timeout | undefined;
    try {
      await new Promise((end, fail) => {
        this.fail = fail;
        if (limitMs !== undefined) {
          this.watchdog?.expect(2 * limitMs);
          timer = setTimeout(() => {
            this.isSpoilt = true;
            fail(new Error(`it did not end in ${Math.round(limitMs)} ms`));
          }, limitMs);
        }
        void Promise.resolve().then(work).then(end, fail);
      });
      // What the test left behind says so now.
      await new Promise((end) => setImmediate(end));
      return null;
    } catch (error) {
      return error ?? new Error('nothing was thrown');
    } finally {
      clearTimeout(timer);
      this.fail = () => undefined;
      space.currentTestId = undefined;
    }
  }
}

/**
 * A thread that ends this process when a test keeps it busy: no timer runs then. Stryker would wait for longer than all tests
 * together take.
 */
class Watchdog {
  mutant = '';
  private readonly thread = new Worker(
    `const { parentPort } = require('node:worker_threads');
    const { writeFileSync } = require('node:fs');
    let timer;
    parentPort.on('message', ({ ms, file }) => {
      clearTimeout(timer);
      if (ms !== null) timer = setTimeout(() => {
        writeFileSync(file, '');
        process.kill(process.pid, 'SIGKILL');
      }, ms);
    });`,
    { eval: true },
  );

  constructor() {
    this.thread.unref();
  }

  /** This test, or what follows it, says something within `ms`. */
  expect(ms: number): void {
    this.thread.postMessage({ ms, file: busyFile(this.mutant) });
  }

  /** Nothing is run. */
  rest(): void {
    this.thread.postMessage({ ms: null });
  }
}

export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, 'one-process', OneProcessRunner)];
export const strykerValidationSchema = { type: 'object', properties: { oneProcess: { type: 'object' } } };

/** How long each test took without a change, by its id; nothing before the first run. */
function timesOf(): readonly (readonly [string, number])[] {
  if (!existsSync(timesFile)) return [];
  return Object.entries(JSON.parse(readFileSync(timesFile, 'utf8')) as Record<string, number>);
}

/** What is reached while what the files import is loaded. */
function withoutFiles(coverage: MutantCoverage, files: readonly string[]): CoverageData {
  const left = Object.entries(coverage.static).filter(
    ([mutant, count]) =>
      count > files.reduce((sum, file) => sum + (coverage.perTest[file]?.[mutant] ?? 0), 0),
  );
  return Object.fromEntries(left);
}

/** What the hooks of a suite, and the file itself, reach is reached by each of their tests. */
function withHooks(perTest: MutantCoverage['perTest'], results: readonly TestResult[]) {
  const covered: Record<string, CoverageData> = {};
  for (const { id } of results) {
    const around = Object.keys(perTest).filter((each) => each === id || id.startsWith(`${each} > `));
    const sum: Record<string, number> = {};
    for (const each of around)
      for (const [mutant, count] of Object.entries(perTest[each] ?? {}))
        sum[mutant] = (sum[mutant] ?? 0) + count;
    covered[id] = sum;
  }
  return covered;
}

function strykerResult({ id, error, ms }: TestResult): StrykerResult {
  const test = { id, name: id, timeSpentMs: Math.round(ms) };
  if (error === null) return { ...test, status: TestStatus.Success };
  const failureMessage = inspect(error);
  return { ...test, status: TestStatus.Failed, failureMessage };
}
