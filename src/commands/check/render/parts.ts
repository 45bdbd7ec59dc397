/** What every format shows alike: lines of an answer, spans of time, the mark of a status. */
import { cleanLines, cutText } from '../../../engine/core/text.ts';
import type { CheckedMonitor, CheckStatus, CheckView } from '../report.ts';
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

/** `14 ms`, `0.4 s`, `12.3 s`, `2 min 5 s`. */
export function inSeconds(ms: number): string {
  if (ms < 100) return inMilliseconds(ms);
  const tenths = Math.round(ms / 100);
  if (tenths < 600) return `${(tenths / 10).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** `142 ms`, `<1 ms`. */
export function inMilliseconds(ms: number): string {
  return ms < 1 ? '<1 ms' : `${Math.round(ms)} ms`;
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

/** `✗ down`, the word padded to `width`. */
export function statusMark(status: CheckStatus, width: number, { glyphs, paint }: CheckView): string {
  return paintStatus(status, paint)(`${glyphs[status]} ${status.padEnd(width)}`);
}
