/** Prints a test report in the requested format. */
import type { Context } from '../../context.ts';
import { toJson } from '../../terminal/json.ts';
import { openTerminalOutput } from '../../terminal/output.ts';
import { hasPassed, type TestReport, type TestResult } from '../report.ts';
import type { TestFormat } from './formats.ts';
import { humanText, textsOf } from './human.ts';
import { atOf, type TestFailure } from '../judge.ts';
import type { Decided, Notified, PlayedEvent } from '../runner/test-run.ts';
import { failureText, timelineOf } from '../timeline.ts';
import { cleanLine } from '../../../engine/core/text.ts';
import { offsetText } from '../format/times.ts';

export interface Printing {
  readonly format: TestFormat;
  readonly isQuiet: boolean;
  readonly isColourRefused: boolean;
}

export async function printReport(
  report: TestReport,
  { format, isQuiet, isColourRefused }: Printing,
  context: Context,
): Promise<void> {
  const { stdout } = context;
  switch (format) {
    case 'human':
      stdout.write(
        humanText(report, { isQuiet }, await openTerminalOutput(context, isColourRefused, textsOf(report))),
      );
      return;
    case 'json':
      stdout.write(`${toJson(reportJson(report))}\n`);
      return;
    case 'junit':
      stdout.write(junitText(report));
      return;
    case 'tap':
      stdout.write(tapText(report));
  }
}

/** Renders a report for programs. Times are seconds from the start of a test. */
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

/** Renders a report as JUnit XML: a suite a file, a case a test. */
export function junitText({ results, failed }: TestReport): string {
  const files = [...new Set(results.map(({ file }) => file))];
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ name: 'statusd test', tests: results.length, failures: failed, errors: 0, time: seconds(results) })}>`,
    ...files.flatMap((file) =>
      suiteLines(
        file,
        results.filter((result) => result.file === file),
      ),
    ),
    '</testsuites>',
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function suiteLines(name: string, results: readonly TestResult[]): readonly string[] {
  const failures = results.filter((result) => !hasPassed(result)).length;
  const totals = { tests: results.length, failures, errors: 0, skipped: 0, time: seconds(results) };
  return [`  <testsuite${attributes({ name, ...totals })}>`, ...results.flatMap(caseLines), '  </testsuite>'];
}

function caseLines(result: TestResult): readonly string[] {
  const { file, test } = result;
  const open = `    <testcase${attributes({ classname: file, name: test.name, time: seconds([result]) })}`;
  if (hasPassed(result)) return [`${open}/>`];
  const lines = failureLines(result);
  const message = lines[0] ?? '';
  return [
    `${open}>`,
    `      <failure${attributes({ message, type: 'expectation' })}>${xml(lines.join('\n'))}</failure>`,
    `      <system-out>${xml(storyLines(result).join('\n'))}</system-out>`,
    '    </testcase>',
  ];
}

function seconds(results: readonly TestResult[]): string {
  return (results.reduce((sum, { tookMs }) => sum + tookMs, 0) / 1000).toFixed(3);
}

function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${xml(String(value)).replaceAll('\n', '&#10;')}"`)
    .join('');
}

/** XML 1.0 knows no way to write these characters, not even as a reference. */
const unwritable = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function xml(text: string): string {
  return text.replace(unwritable, '').replace(/[&<>"]/g, (character) => entities[character] ?? character);
}

/** What went wrong, one line each, with the place. */
function failureLines({ verdict, places, file }: TestResult): readonly string[] {
  return verdict.failures.map((failure) => {
    const place = places.get(failure);
    const where = place === undefined ? '' : ` (${file}:${place.line})`;
    return cleanLine(failureText(failure)) + where;
  });
}

/** What happened, one line each. */
function storyLines(result: TestResult): readonly string[] {
  return timelineOf(result).map(({ atMs, word, text }) => {
    return cleanLine(`${offsetText(atMs)} ${word === '' ? '' : `${word} `}${text}`);
  });
}

/** Renders a report in the Test Anything Protocol, version 14. */
export function tapText({ results }: TestReport): string {
  const lines = ['TAP version 14', `1..${results.length}`, ...results.flatMap(resultLines)];
  return lines.map((line) => `${line}\n`).join('');
}

function resultLines(result: TestResult, index: number): readonly string[] {
  const { file, test, position } = result;
  // In a description `#` starts a directive and `\` an escape.
  const name = cleanLine(`${file}: ${test.name}`).replace(/[\\#]/g, '\\$&');
  if (hasPassed(result)) return [`ok ${index + 1} - ${name}`];
  return [
    `not ok ${index + 1} - ${name}`,
    '  ---',
    ...(position === null ? [] : [`  at: ${JSON.stringify(`${file}:${position.line}`)}`]),
    ...block('failures', failureLines(result)),
    ...block('story', storyLines(result)),
    '  ...',
  ];
}

/** Every text is a double-quoted scalar, which YAML 1.2 and JSON write alike. */
function block(key: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`  ${key}:`, ...lines.map((line) => `    - ${JSON.stringify(line)}`)];
}
