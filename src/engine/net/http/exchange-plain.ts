/** Plain HTTP/1.1: which requests are plain, how they are written, and how a plain answer is read. */
import { type BodyCollector, isWithoutBody } from './body.ts';
import type { Head } from './redirect.ts';
import type { Header, HttpRequest, Link } from './request.ts';

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/;
const requestTarget = /^[\x21-\xff]+$/;

/** Headers that say how a message is sent: undici has rules for them. */
const ofTheMessage = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** The bytes of a request as Latin-1, for a connection that ends with it; null: it is not plain. */
export function plainRequest({ method, url, headers, body }: HttpRequest, link: Link): string | null {
  if (body !== null || (method !== 'GET' && method !== 'HEAD') || !requestTarget.test(link.path)) return null;
  let text = `${method} ${link.path} HTTP/1.1\r\nhost: ${url.host}\r\nconnection: close\r\n`;
  for (const list of [headers, link.headers]) {
    for (const [name, value] of list) {
      if (!token.test(name) || !fieldValue.test(value) || ofTheMessage.has(name.toLowerCase())) return null;
      text += `${name}: ${value}\r\n`;
    }
  }
  return `${text}\r\n`;
}

/** Where the body ends (RFC 9112, section 6.3). */
type Framing =
  | { readonly kind: 'length'; readonly bytes: number }
  | { readonly kind: 'chunked' }
  /** With the connection. */
  | { readonly kind: 'close' };

export interface PlainAnswer {
  readonly head: Head;
  readonly framing: Framing;
  /** The server ends the connection, too: one that it ends early has an end of its own. */
  readonly isLast: boolean;
  /** Where the body begins in what came first. */
  readonly bodyAt: number;
}

const statusLine = /^HTTP\/1\.([01]) ([2-5]\d\d)(?: ((?:[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?)?))?$/;

/** A head that is longer, or comes in pieces, is not plain. */
const mostHeadBytes = 16 * 1024;

const endOfHead = Buffer.from('\r\n\r\n');

/** The head of an answer whose first bytes are `bytes`; null: it is not plain. */
export function readPlainHead(bytes: Buffer, method: string): PlainAnswer | null {
  const end = bytes.indexOf(endOfHead);
  if (end === -1 || end > mostHeadBytes) return null;
  const lines = bytes.toString('latin1', 0, end).split('\r\n');
  const [, minor, status, statusText = ''] = statusLine.exec(lines[0] ?? '') ?? [];
  if (status === undefined) return null;
  const headers: Header[] = [];
  const facts = {
    length: null as string | null,
    coding: null as string | null,
    connection: null as string | null,
  };
  for (let index = 1; index < lines.length; index += 1) {
    const header = headerOf(lines[index] ?? '');
    if (header === null || !note(facts, header)) return null;
    headers.push(header);
  }
  const framing = framingOf(Number(status), method, facts);
  if (framing === null || !(facts.connection ?? 'close').match(/^(?:close|keep-alive)$/)) return null;
  const isLast = framing.kind === 'close' || (facts.connection ?? (minor === '0' ? 'close' : '')) === 'close';
  return { head: { statusCode: Number(status), statusText, headers }, framing, isLast, bodyAt: end + 4 };
}

function headerOf(line: string): Header | null {
  const colon = line.indexOf(':');
  const name = line.slice(0, Math.max(0, colon));
  const value = line.slice(colon + 1).replace(/^[\t ]+/, '');
  return token.test(name) && fieldValue.test(value) && !/[\t ]$/.test(value) ? [name, value] : null;
}

/** What the headers say of the message itself; null: nothing. */
interface Facts {
  length: string | null;
  coding: string | null;
  connection: string | null;
}

/** False where a header is one that a plain answer does not have, or not twice. */
function note(facts: Facts, [name, value]: Header): boolean {
  switch (name.toLowerCase()) {
    case 'content-length':
      if (facts.length !== null) return false;
      facts.length = value;
      return true;
    case 'transfer-encoding':
      if (facts.coding !== null) return false;
      facts.coding = value;
      return true;
    case 'connection':
      if (facts.connection !== null) return false;
      facts.connection = value.toLowerCase();
      return true;
    case 'upgrade':
    case 'trailer':
      return false;
    default:
      return true;
  }
}

function framingOf(status: number, method: string, { length, coding }: Facts): Framing | null {
  if (coding !== null && (length !== null || coding !== 'chunked')) return null;
  if (length !== null && !/^\d{1,15}$/.test(length)) return null;
  if (method === 'HEAD' || isWithoutBody(status)) return { kind: 'length', bytes: 0 };
  if (coding !== null) return { kind: 'chunked' };
  return length === null ? { kind: 'close' } : { kind: 'length', bytes: Number(length) };
}

const chunkSize = /^[0-9a-fA-F]{1,8}$/;
const endOfLine = Buffer.from('\r\n');

/** Takes the chunks apart, as long as they are plain: no extensions, no trailers. */
export class PlainChunks {
  /** What came of a line, and is not whole. */
  private rest: Buffer = Buffer.alloc(0);
  /** Bytes of the chunk that are to come, the end of its line included; 0: a size comes next. */
  private missing = 0;
  private isLast = false;

  /** Adds their parts to `body`. `cut`: there is more than it takes; `odd`: what they say is not plain. */
  read(bytes: Buffer, body: BodyCollector): 'more' | 'complete' | 'cut' | 'odd' {
    let left = this.rest.length === 0 ? bytes : Buffer.concat([this.rest, bytes]);
    this.rest = left.subarray(0, 0);
    for (;;) {
      if (this.missing > 2) {
        const part = left.subarray(0, this.missing - 2);
        if (!body.add(part)) return 'cut';
        this.missing -= part.length;
        left = left.subarray(part.length);
      }
      if (left.length === 0) return 'more';
      if (this.missing > 0) {
        if (left.length < 2) break;
        if (left[0] !== 13 || left[1] !== 10) return 'odd';
        if (this.isLast) return 'complete';
        this.missing = 0;
        left = left.subarray(2);
        continue;
      }
      const end = left.indexOf(endOfLine);
      if (end === -1 && left.length < 10) break;
      const size = left.toString('latin1', 0, Math.max(0, end));
      if (!chunkSize.test(size)) return 'odd';
      this.missing = parseInt(size, 16) + 2;
      this.isLast = this.missing === 2;
      left = left.subarray(end + 2);
    }
    // A copy: it would keep all of what it is a part of.
    this.rest = Buffer.from(left);
    return 'more';
  }
}
