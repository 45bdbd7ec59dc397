/** The result of a run of tests, from which every format is rendered. */
import type { TextPosition } from '../../engine/config/problem.ts';
import type { Test } from './format/test-file.ts';
import type { TestFailure, TestVerdict } from './judge.ts';
import type { PlayedTest } from './runner/test-run.ts';

export interface TestResult {
  /** As it was named. */
  readonly file: string;
  readonly test: Test;
  readonly played: PlayedTest;
  readonly verdict: TestVerdict;
  /** Where the test stands; null when it passed. */
  readonly position: TextPosition | null;
  /** Where the expectations stand that were not met. */
  readonly places: ReadonlyMap<TestFailure, TextPosition>;
  /** How long it took, in ms of real time. */
  readonly tookMs: number;
}

export interface TestReport {
  readonly results: readonly TestResult[];
  readonly failed: number;
}

export function hasPassed({ verdict }: Pick<TestResult, 'verdict'>): boolean {
  return verdict.failures.length === 0;
}
