/** Draws what is known about a monitor that is not up: why, what it answered, how to ask again. */
import { cutCells } from '../../terminal/cells.ts';
import { titleOf, type CheckedMonitor } from '../report.ts';
import { bodyLines, unmetLines } from './answer.ts';
import { paintStatus } from './status-mark.ts';
import type { CheckView } from './view.ts';

const indent = '    ';

export function blockLines(result: CheckedMonitor, checkView: CheckView): string[] {
  const { status, answer, curl, error } = result;
  const { paint, glyphs } = checkView;
  const name = paintStatus(status, paint)(`${glyphs[status]} ${titleOf(result)} is ${status}`);
  const heading = name + (result.attempts > 1 ? paint.dim(` after ${result.attempts} attempts`) : '');
  const details = [
    ...assertionLines(result).map((line) => indent + line),
    ...(answer === null ? [] : answerBlock(answer, checkView)),
    ...(curl === null ? [] : [`${indent}${paint.dim('$')} ${paint.cyan(curl)}`]),
  ];
  if (error === null) return [heading, ...details];
  return details.length === 0 ? [`${heading}: ${error}`] : [heading, indent + error, ...details];
}

/** An assertion that the reason has already told in full is not told twice. */
function assertionLines(result: CheckedMonitor): string[] {
  const [only, ...others] = result.unmet;
  if (only !== undefined && others.length === 0 && (result.error ?? '').includes(only.actual)) return [];
  return unmetLines(result);
}

function answerBlock(
  answer: { statusLine: string; body: string },
  { paint, glyphs, cells, columns }: CheckView,
): string[] {
  const bar = `${indent}${glyphs.bar} `;
  const lines = [answer.statusLine, ...bodyLines(answer.body, glyphs.ellipsis)].filter((line) => line !== '');
  return lines.map((line) => {
    const text = columns === null ? line : cutCells(line, Math.max(1, columns - bar.length), cells);
    return paint.dim(bar + text);
  });
}
