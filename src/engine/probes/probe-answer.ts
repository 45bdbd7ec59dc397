/** Bounds the text that a target answered with, so that it can be kept and shown. */
import { cleanLine } from '../core/text.ts';

const bodyBytes = 2048;

/** A line is not cut to less than this. */
const leastBytes = 32;

interface Bounding {
  readonly redact: (text: string) => string;
  /** How many lines there are after `lines`. */
  readonly beyond?: number;
}

/**
 * `lines` as a printable body of at most 2 KiB; the line that does not fit is cut, and how many follow it is said.
 * Secrets are masked before anything is cut, since half a secret cannot be masked.
 */
export function answerBody(lines: readonly string[], { redact, beyond = 0 }: Bounding): string {
  const kept: string[] = [];
  let room = bodyBytes;
  for (const [index, text] of lines.entries()) {
    const line = cleanLine(redact(text));
    const after = lines.length - 1 - index + beyond;
    const own = room - (after === 0 ? 0 : Buffer.byteLength(`\n${andMore(after)}`));
    if (Buffer.byteLength(line) > own) {
      const start = own < leastBytes ? [andMore(after + 1)] : [cutBytes(line, own), ...rest(after)];
      return [...kept, ...start].join('\n');
    }
    kept.push(line);
    room -= Buffer.byteLength(line) + 1;
  }
  return kept.join('\n');
}

const andMore = (count: number) => `… and ${count} more`;
const rest = (count: number) => (count === 0 ? [] : [andMore(count)]);

/** The start of a text in at most `maxBytes` of UTF-8, cut between characters as a reader sees them. */
function cutBytes(text: string, maxBytes: number): string {
  const ending = '…';
  let room = maxBytes - Buffer.byteLength(ending);
  let end = 0;
  for (const { segment } of new Intl.Segmenter().segment(text.slice(0, maxBytes))) {
    room -= Buffer.byteLength(segment);
    if (room < 0) break;
    end += segment.length;
  }
  return text.slice(0, end) + ending;
}
