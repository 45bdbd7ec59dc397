/** Runs test files and prints the results. */
import { readSmallFile } from '../../engine/config/read-file.ts';
import { type LoadProblem, sentence, type TextPosition } from '../../engine/config/problem.ts';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodes } from '../exit.ts';
import { type LoadedFile, loadTestFile } from './format/load.ts';
import type { Test, TestFile } from './format/test-file.ts';
import { judge, type TestFailure } from './judge.ts';
import { type MemoryStore, openMemoryStore } from './runner/memory-store.ts';
import { runTest } from './runner/run-test.ts';
import type { TestFormat } from './render/formats.ts';
import { printReport } from './render/print.ts';
import { hasPassed, type TestResult } from './report.ts';
import { relative } from 'node:path';
import { StatusdError } from '../../engine/core/errors.ts';

export interface TestRun {
  /** At least one. */
  readonly files: readonly string[];
  /** The configuration to test instead of those that the files have or name; null: none. */
  readonly configFile: string | null;
  readonly format: TestFormat;
  readonly isQuiet: boolean;
  readonly isColourRefused: boolean;
}

/** Throws StatusdError for files that are not there, and one with all problems of those that cannot be used. */
export async function performTest(run: TestRun, context: Context): Promise<ExitCode> {
  const files = await loadAll(run, context);
  const world = { store: await openMemoryStore(), context };
  const results: TestResult[] = [];
  for (const file of files) {
    for (const test of file.tests) {
      context.interrupt.throwIfAborted();
      results.push(await resultOf(test, file, world));
    }
  }
  const failed = results.filter((result) => !hasPassed(result)).length;
  await printReport({ results, failed }, run, context);
  return failed === 0 ? exitCodes.ok : exitCodes.wrong;
}

async function loadAll({ files, configFile }: TestRun, { env, cwd }: Context): Promise<readonly TestFile[]> {
  const tools = { env, cwd, configFile, readFile: readSmallFile };
  const loaded: LoadedFile[] = [];
  for (const name of files) loaded.push(await loadTestFile(name, tools));
  const problems = loaded.flatMap((file) => ('problems' in file ? file.problems : []));
  if (problems.length > 0) throw problemsError(problems, cwd);
  return loaded.filter((file): file is TestFile => 'tests' in file);
}

async function resultOf(
  test: Test,
  { file, locate }: TestFile,
  { store, context }: { readonly store: MemoryStore; readonly context: Context },
): Promise<TestResult> {
  const { clock } = context;
  const startedMs = clock.monotonic();
  const testRun = await runTest(test, store);
  const verdict = judge(test, testRun);
  const places = new Map<TestFailure, TextPosition>();
  for (const failure of verdict.failures) {
    if (failure.kind !== 'unexpected') places.set(failure, await locate(failure.wanted.path, 'key'));
  }
  const position = verdict.failures.length === 0 ? null : await locate(test.path, 'key');
  return { file, test, played: testRun, verdict, position, places, tookMs: clock.monotonic() - startedMs };
}

/** One error with a line for each problem, the place first. */
function problemsError(problems: readonly LoadProblem[], cwd: string): StatusdError {
  const lines = problems.map((problem) => {
    const file = problem.file.startsWith('/') ? shorter(problem.file, cwd) : problem.file;
    return `${file}:${problem.line}:${problem.column}  ${sentence(problem)}`;
  });
  const [only = ''] = lines;
  if (lines.length === 1) return new StatusdError('config_invalid', only);
  const all = lines.map((line) => `\n  ${line}`).join('');
  return new StatusdError('config_invalid', `there are ${lines.length} problems${all}`);
}

function shorter(file: string, cwd: string): string {
  const path = relative(cwd, file);
  return path.startsWith('..') ? file : path;
}
