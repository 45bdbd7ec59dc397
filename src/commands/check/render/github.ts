/** Renders a report as GitHub workflow commands, which a runner turns into annotations of the config file. */

import { unmetLines, answerLines } from './parts.ts';
import {
  countsInWords,
  sentenceOf,
  type Renderer,
  titleOf,
  isWrong,
  type ConfigProblem,
  type CheckedMonitor,
  type CheckReport,
} from '../report.ts';
import { elapsedText } from '../../../engine/core/duration.ts';

export const renderer: Renderer = {
  report: (report) => {
    const { file, results, notes, counts, elapsedMs, isInterrupted } = report;
    return lines([
      ...results.flatMap((result) => annotationOf(result, report)),
      ...notes.map((note) => command('notice', { file, ...note.position, title: titleOf(note) }, note.text)),
      ...results
        .filter(isWrong)
        .map((result) => plain(`${result.status}: ${titleOf(result)}: ${result.error ?? ''}`)),
      `statusd: ${countsInWords(counts)} in ${elapsedText(elapsedMs)}${isInterrupted ? ' (interrupted)' : ''}`,
    ]);
  },
  config: ({ file, problems }) => {
    if (problems.length === 0) return `statusd: ${plain(file ?? 'the configuration')} is valid\n`;
    return lines(problems.map((problem) => problemCommand('error', problem)));
  },
  warnings: (warnings) => lines(warnings.map((warning) => problemCommand('warning', warning))),
};

function lines(texts: readonly string[]): string {
  return texts.map((text) => `${text}\n`).join('');
}

function problemCommand(level: 'error' | 'warning', problem: ConfigProblem): string {
  const { file, line, column, hint } = problem;
  const text = hint === null ? sentenceOf(problem) : `${sentenceOf(problem)}\n${hint}`;
  return command(level, { file, line, column }, text);
}

interface Properties {
  readonly file: string | null;
  readonly line?: number | null;
  readonly column?: number | null;
  readonly title?: string;
}

function annotationOf(result: CheckedMonitor, { file, failing }: CheckReport): string[] {
  const { status, error, position } = result;
  if (!isWrong(result)) return [];
  const level = status === 'down' || failing.includes(status) ? 'error' : 'warning';
  const text = [error ?? status, ...unmetLines(result), ...answerLines(result), result.curl];
  const title = `${titleOf(result)} is ${status}`;
  return [command(level, { file, ...position, title }, text.filter((line) => line !== null).join('\n'))];
}

/** `::error file=…,line=…,col=…,title=…::message`, escaped as @actions/core does it. */
function command(name: 'error' | 'warning' | 'notice', properties: Properties, message: string): string {
  const { file, line, column, title } = properties;
  const given = Object.entries({ file, line, col: column, title }).flatMap(([key, value]) =>
    value === null || value === undefined ? [] : [`${key}=${escapedProperty(String(value))}`],
  );
  return `::${name}${given.length === 0 ? '' : ` ${given.join(',')}`}::${escapedData(message)}`;
}

function escapedData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapedProperty(text: string): string {
  return escapedData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

/** The runner also obeys the older `##[command]`, anywhere in a line. */
function plain(text: string): string {
  return text.replaceAll('##[', '# #[');
}
