/** Renders a report in the Test Anything Protocol, version 14. */
import { cleanLine } from '../../../engine/core/text.ts';
import { hasPassed, type TestReport, type TestResult } from '../report.ts';
import { failureLines, storyLines } from './plain.ts';

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
