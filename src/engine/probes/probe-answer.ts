/** Bounds the text that a target answered with, so that it can be kept and shown. */
import { cleanLine, cutText } from '../core/text.ts';

const lineCharacters = 160;
const bodyBytes = 2048;

/**
 * `lines` as a body of at most 2 KiB, printable, 160 characters a line; says how many lines it leaves out.
 * Secrets are masked before anything is cut, since half a secret would be known to nobody.
 */
export function answerBody(lines: readonly string[], redact: (text: string) => string): string {
  const fit: string[] = [];
  let room = bodyBytes;
  for (const [index, text] of lines.entries()) {
    const line = cutText(cleanLine(redact(text)), lineCharacters);
    const rest = `… and ${lines.length - index} more`;
    const isLast = index === lines.length - 1;
    const size = Buffer.byteLength(line) + 1;
    if (size + (isLast ? 0 : Buffer.byteLength(rest)) > room) return [...fit, rest].join('\n');
    fit.push(line);
    room -= size;
  }
  return fit.join('\n');
}
