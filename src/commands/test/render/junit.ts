/** Renders a report as JUnit XML: a suite a file, a case a test. */
import { hasPassed, type TestReport, type TestResult } from '../report.ts';
import { failureLines, storyLines } from './plain.ts';

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
