/** Renders a test report for a terminal. */
import { counted } from '../../../engine/core/words.ts';
import { cleanLine } from '../../../engine/core/text.ts';
import { proseLines } from '../../../engine/views/text/cells.ts';
import type { TerminalOutput } from '../../terminal/output.ts';
import { offsetText } from '../format/times.ts';
import { hasPassed, type TestReport, type TestResult } from '../report.ts';
import { failureText, type TestMoment, timelineOf } from '../timeline.ts';

export interface TestListing {
  /** Only what failed. */
  readonly isQuiet: boolean;
}

/** The longest word is `undelivered`. */
const wordWidth = 11;
/** More lines than this explain nothing. */
const maxMoments = 60;

export function humanText(report: TestReport, { isQuiet }: TestListing, output: TerminalOutput): string {
  const shown = report.results.filter((result) => !isQuiet || !hasPassed(result));
  const files = [...new Set(shown.map(({ file }) => file))];
  const lines = files.flatMap((file) => [
    output.paint.bold(cleanLine(file)),
    ...shown.filter((result) => result.file === file).flatMap((result) => resultLines(result, output)),
  ]);
  const last = isQuiet && report.failed === 0 ? [] : [summaryLine(report, output)];
  return [...lines, ...last].map((line) => `${line}\n`).join('');
}

/** Everything that is laid out in cells. */
export function textsOf({ results }: TestReport): string[] {
  return results
    .filter((result) => !hasPassed(result))
    .flatMap((result) => [
      result.test.name,
      ...result.verdict.failures.map(failureText),
      ...timelineOf(result).map(({ text }) => text),
    ])
    .map(cleanLine);
}

function summaryLine({ results, failed }: TestReport, { paint }: TerminalOutput): string {
  const tests = counted(results.length, 'test');
  if (failed === 0) return paint.green(`${tests} passed`);
  return paint.red(`${failed} of ${tests} failed`);
}

function resultLines(result: TestResult, output: TerminalOutput): readonly string[] {
  const { glyphs, paint } = output;
  const name = cleanLine(result.test.name);
  if (hasPassed(result)) return [`  ${paint.green(glyphs.up)} ${name}`];
  const line = result.position === null ? '' : paint.dim(`  line ${result.position.line}`);
  return [
    `  ${paint.red(glyphs.down)} ${paint.bold(name)}${line}`,
    ...result.verdict.failures.flatMap((failure) => {
      const place = result.places.get(failure);
      const where = place === undefined ? '' : ` (line ${place.line})`;
      const [first = '', ...rest] = proseLines(cleanLine(failureText(failure)) + where, '      ', output);
      return [`    ${paint.red(glyphs.dot)} ${first.trimStart()}`, ...rest];
    }),
    '',
    ...timelineLines(timelineOf(result), output),
    '',
  ];
}

function timelineLines(timeline: readonly TestMoment[], output: TerminalOutput): readonly string[] {
  const kept = timeline.slice(0, maxMoments);
  const width = Math.max(0, ...kept.map(({ atMs }) => offsetText(atMs).length));
  const lines = kept.flatMap((moment) => momentLines(moment, width, output));
  const left = timeline.length - kept.length;
  return left === 0 ? lines : [...lines, output.paint.dim(`      and ${left} more; --json has all of them`)];
}

function momentLines(
  { atMs, isRight, word, text }: TestMoment,
  width: number,
  output: TerminalOutput,
): readonly string[] {
  const { paint, glyphs } = output;
  const mark = isRight === null ? ' ' : isRight ? paint.green(glyphs.up) : paint.red(glyphs.down);
  const time = offsetText(atMs).padStart(width);
  const margin = ' '.repeat(4 + 2 + width + 2 + wordWidth + 1);
  const [first = '', ...rest] = proseLines(cleanLine(text), margin, output);
  const tint = isRight === null ? (word === '' ? asItIs : paint.dim) : isRight ? paint.green : paint.red;
  return [
    `    ${mark} ${paint.dim(time)}  ${tint(word.padEnd(wordWidth))} ${tint(first.trimStart())}`,
    ...rest.map((line) => tint(line)),
  ].map((line) => line.trimEnd());
}

function asItIs(text: string): string {
  return text;
}
