/** Renders a report for programs. Times are seconds from the start of a test. */
import { atOf, type TestFailure } from '../judge.ts';
import type { Decided, PlayedEvent, Notified } from '../runner/test-run.ts';
import { hasPassed, type TestReport, type TestResult } from '../report.ts';
import { failureText } from '../words.ts';

export function reportJson({ results, failed }: TestReport) {
  return {
    ok: failed === 0,
    counts: { passed: results.length - failed, failed },
    tests: results.map(resultJson),
  };
}

function resultJson(result: TestResult) {
  const { file, test, played, verdict, position } = result;
  const isOk = hasPassed(result);
  return {
    file,
    name: test.name,
    ok: isOk,
    line: position?.line ?? null,
    simulated_secs: secs(played.endMs),
    failures: verdict.failures.map((failure) => failureJson(failure, result)),
    told: played.notified.map(notifiedJson),
    // What explains a failure would only be in the way of what passed.
    happened: isOk ? [] : played.happened.map(happenedJson),
    decisions: isOk ? [] : played.decided.map(decidedJson),
  };
}

function failureJson(failure: TestFailure, { places }: TestResult) {
  const line = places.get(failure)?.line ?? null;
  return { kind: failure.kind, at_secs: secs(atOf(failure)), line, message: failureText(failure) };
}

function notifiedJson({ atMs, channel, event, monitor, impacted, cause, isLate, title }: Notified) {
  return { at_secs: secs(atMs), channel, event, monitor, impacted, cause, late: isLate, title };
}

function happenedJson({ atMs, monitor, text }: PlayedEvent) {
  return { at_secs: secs(atMs), monitor, text };
}

function decidedJson({ atMs, monitor, channel, event, verdict, reason, detail }: Decided) {
  return { at_secs: secs(atMs), monitor, channel, event, verdict, reason, detail };
}

function secs(ms: number): number {
  return ms / 1000;
}
