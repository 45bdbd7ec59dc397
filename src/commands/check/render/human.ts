/** Renders a report for the person in front of the terminal. */
import {
  countsInWords,
  isWrong,
  placeOf,
  sentenceOf,
  titleOf,
  type CheckReport,
  type CheckStatus,
} from '../report.ts';
import { inSeconds } from './duration.ts';
import { blockLines } from './human-block.ts';
import { tableLines } from './human-table.ts';
import { paintStatus } from './status-mark.ts';
import type { Renderer, CheckView } from './view.ts';

export const renderer: Renderer = {
  report: (report, checkView) => {
    const wrong = report.results.filter(isWrong);
    const blocks = wrong.flatMap((result) => [...blockLines(result, checkView), '']);
    const notes = noteLines(report, checkView);
    const sections = checkView.isQuiet
      ? [blocks, notes]
      : [tableSection(report, checkView), blocks, notes, [summaryLine(report, checkView)]];
    const text = sections.flat().join('\n').trimEnd();
    return text === '' ? '' : `${text}\n`;
  },
  config: ({ file, problems }, { paint, glyphs, isQuiet }) => {
    if (problems.length === 0) {
      return isQuiet ? '' : `${paint.green(glyphs.up)} ${file ?? 'the configuration'} is valid\n`;
    }
    const lines = problems.flatMap((problem) => {
      const place = paint.bold(placeOf(problem) || 'statusd');
      const line = `${place}: ${paint.red('error')}: ${sentenceOf(problem)}`;
      return problem.hint === null ? [line] : [line, `  ${problem.hint}`];
    });
    return `${lines.join('\n')}\n`;
  },
};

function tableSection({ results }: CheckReport, checkView: CheckView): string[] {
  return results.length === 0 ? [] : [...tableLines(results, checkView), ''];
}

function noteLines({ notes }: CheckReport, { paint, isQuiet }: CheckView): string[] {
  const lines = notes.map((note) => `${paint.yellow('note')} ${titleOf(note)}: ${note.text}`);
  return lines.length === 0 || isQuiet ? lines : [...lines, ''];
}

/** `5 up, 1 down, 1 skipped in 1.2 s`. */
function summaryLine(
  { counts, elapsedMs, isInterrupted, results }: CheckReport,
  { paint }: CheckView,
): string {
  const words = countsInWords(counts)
    .split(', ')
    .map((part) => paintStatus(part.split(' ')[1] as CheckStatus, paint)(part))
    .join(', ');
  const time = paint.dim(`in ${inSeconds(elapsedMs)}`);
  if (isInterrupted)
    return `${paint.yellow('interrupted')} ${results.length === 0 ? '' : `with ${words} `}${time}`;
  return `${words} ${time}`;
}
