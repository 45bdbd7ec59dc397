/** What all formats share: lines of an answer, the colour of a status. */
import { cleanLines, cutText } from '../../../engine/core/text.ts';
import type { CheckedMonitor, CheckStatus } from '../report.ts';
import type { Paint } from '../../terminal/colour.ts';

const maxBodyLines = 8;
const maxLineCharacters = 400;

/** The status line a target answered with, then the first lines of the body that say something. */
export function answerLines({ answer }: Pick<CheckedMonitor, 'answer'>): string[] {
  if (answer === null) return [];
  return [answer.statusLine, ...bodyLines(answer.body)].filter((line) => line !== '');
}

/** The first lines of a body, blank ones left out; an ellipsis as the last line says that there was more. */
export function bodyLines(body: string, ellipsis = '…'): string[] {
  const lines = cleanLines(body).filter((line) => line.trim() !== '');
  const shown = lines.slice(0, maxBodyLines).map((line) => cutText(line, maxLineCharacters, ellipsis));
  return lines.length > maxBodyLines ? [...shown, ellipsis] : shown;
}

/** The expectations that were not met, one a line: `keyword: expected "ok", got "starting"`. */
export function unmetLines({ unmet }: Pick<CheckedMonitor, 'unmet'>): string[] {
  return unmet.map(({ key, expected, actual }) => `${key}: expected ${expected}, got ${actual}`);
}

/** Gives a status its shape, word and colour, so that none of the three is needed alone. */
export function paintStatus(status: CheckStatus, paint: Paint): (text: string) => string {
  switch (status) {
    case 'up':
      return paint.green;
    case 'degraded':
      return paint.yellow;
    case 'down':
      return paint.red;
    case 'unknown':
      return paint.cyan;
    case 'skipped':
      return paint.dim;
    default:
      return paint.dim;
  }
}
