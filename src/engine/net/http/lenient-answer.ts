/**
 * Reads an answer that breaks the rules of HTTP/1.1 in ways that leave no doubt of what is meant: lines that end in LF,
 * folded header lines, a length given twice with one value, a status line without a reason.
 */
import type { Socket } from 'node:net';
import { isWithoutBody } from './body.ts';
import type { Head } from './redirect.ts';
import { type Header, maxHeaderBytes } from './request.ts';

export interface LenientAnswer {
  readonly head: Head;
  readonly body: Buffer;
  /** All of the body has come. */
  readonly isWhole: boolean;
}

interface Received {
  readonly method: string;
  /** Nothing more comes. */
  readonly isEnd: boolean;
}

const statusLine = /^(?:\r?\n)*HTTP\/[12](?:\.\d)?[ \t]+([1-5]\d\d)(?:[ \t]+([^\r\n]*))?[ \t]*\r?\n/i;

/** The answer in `bytes`, all that was received; `more`: its head is not whole yet. Null: it is no answer in HTTP. */
export function readLenientAnswer(bytes: Buffer, { method, isEnd }: Received): LenientAnswer | 'more' | null {
  const text = bytes.toString('latin1', 0, 2 * maxHeaderBytes);
  const [start, status, statusText = ''] = statusLine.exec(text) ?? [];
  if (start === undefined || status === undefined) {
    const mayBegin = !text.trimStart().includes('\n') && text.length < maxHeaderBytes;
    return mayBegin && !isEnd ? 'more' : null;
  }
  // The end of the status line may be the first half of the blank line.
  const from = start.length - 1;
  const [gap = ''] = /\n\r?\n/.exec(text.slice(from)) ?? [];
  const gapAt = gap === '' ? text.length : from + text.slice(from).indexOf(gap);
  if (gap === '' && !isEnd) return text.length < maxHeaderBytes ? 'more' : null;
  const rest = bytes.subarray(gapAt + gap.length);
  const statusCode = Number(status);
  // Interim answers (RFC 9110, section 15.2) come before the one that counts.
  if (statusCode < 200) return statusCode === 101 ? null : readLenientAnswer(rest, { method, isEnd });
  const headers = headersOf(text.slice(start.length, gapAt));
  const head = { statusCode, statusText: statusText.trim(), headers };
  if (method === 'HEAD' || isWithoutBody(statusCode))
    return { head, body: rest.subarray(0, 0), isWhole: true };
  if (valuesOf(headers, 'transfer-encoding').some((value) => /chunked/i.test(value)))
    return { head, ...unchunked(rest) };
  const lengths = valuesOf(headers, 'content-length').flatMap((value) => value.split(/\s*,\s*/));
  const [length = '', ...others] = new Set(lengths);
  // Of two lengths that differ neither says where the body ends.
  if (others.length > 0 || !/^\d{1,15}$/.test(length)) return { head, body: rest, isWhole: isEnd };
  return { head, body: rest.subarray(0, Number(length)), isWhole: rest.length >= Number(length) };
}

/** A line that begins with a space or a tab goes on with the header before it; what has no name is left out. */
function headersOf(text: string): Header[] {
  const lines = text.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/);
  return lines.flatMap((line): Header[] => {
    const [, name, value = ''] = /^([^\s:]+)[ \t]*:(.*)$/.exec(line) ?? [];
    return name === undefined ? [] : [[name, value.trim()]];
  });
}

function valuesOf(headers: readonly Header[], wanted: string): string[] {
  return headers.flatMap(([name, value]) => (name.toLowerCase() === wanted ? value : []));
}

/** The chunks as far as they can be read. */
function unchunked(bytes: Buffer): Pick<LenientAnswer, 'body' | 'isWhole'> {
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const end = bytes.indexOf('\n', at);
    const [, size] =
      /^\s*([0-9a-f]{1,8})\s*(?:;.*)?$/i.exec(bytes.toString('latin1', at, Math.max(at, end))) ?? [];
    if (end === -1 || size === undefined) return { body: Buffer.concat(chunks), isWhole: false };
    const length = parseInt(size, 16);
    if (length === 0) return { body: Buffer.concat(chunks), isWhole: true };
    chunks.push(bytes.subarray(end + 1, end + 1 + length));
    at = end + 1 + length;
    if (bytes[at] === 13) at += 1;
    if (bytes[at] === 10) at += 1;
  }
}

/** Adds to `raw` what comes over a socket that another reader gave up; `onMore` is called at once, with each part and at the end. */
export function readOn(socket: Socket, raw: Buffer[], onMore: (isEnd: boolean) => void): void {
  socket.removeAllListeners('data').removeAllListeners('end');
  socket.on('data', (bytes) => {
    raw.push(bytes);
    onMore(false);
  });
  for (const end of ['end', 'error'] as const)
    socket.on(end, () => {
      onMore(true);
    });
  onMore(socket.readableEnded || socket.destroyed);
  socket.resume();
}
