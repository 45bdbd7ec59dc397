/** Shows on a terminal how far the import has come. */
import type { Writable } from 'node:stream';
import { cleanLine, cutText } from '../../engine/core/text.ts';

export interface Progress {
  readonly done: number;
  readonly total: number;
  readonly name: string;
}

/** One line that is written over; nothing where nobody looks. */
export function progressLine(stream: Writable, { done, total, name }: Progress): void {
  if (isTerminal(stream)) stream.write(`\r${done}/${total} ${cutText(cleanLine(name), 60, '...')}\u001b[K`);
}

export function clearLine(stream: Writable): void {
  if (isTerminal(stream)) stream.write('\r\u001b[K');
}

function isTerminal(stream: Writable): boolean {
  return 'isTTY' in stream && stream.isTTY === true;
}
