/** Rendered bytes, and the responses made of them, shared by all clients. */
import { createHash } from 'node:crypto';
import type { HttpReply, Headers } from '../http-types.ts';
import { secured, securityHeaders } from '../layers/security-headers.ts';
import { packed } from './packing.ts';
import { compact, lengthOf, type Pieces } from './pieces.ts';

/** One form of the bytes on the wire. */
export interface Representation {
  /** With quotes. */
  readonly tag: string;
  readonly whole: HttpReply;
  /** What is sent to who has it already; null: nobody may keep it. */
  readonly unchanged: HttpReply | null;
}

/** The headers of answers that are sent again and again, as names and values by turns. */
const prepared = new WeakMap<Headers, readonly string[]>();

/** Names and values by turns, which node:http takes as they are. */
export function linesOf(headers: Headers): string[] {
  return prepared.get(headers)?.slice() ?? writtenOut(headers);
}

/** An answer that is given again and again, with the headers that every answer gets in the end. */
export function fixedAnswer(httpReply: HttpReply & { readonly body: string }): HttpReply {
  const { status, headers, body } = secured(httpReply);
  const whole = { ...headers, 'content-length': String(Buffer.byteLength(httpReply.body)) };
  prepared.set(whole, writtenOut(whole));
  return { status, headers: whole, body };
}

function writtenOut(headers: Headers): string[] {
  const lines: string[] = [];
  for (const name of Object.keys(headers)) lines.push(name, headers[name] ?? '');
  return lines;
}

export interface CachedResponse {
  /** How many bytes it has. */
  readonly length: number;
  readonly plain: Representation;
  /** The same with gzip, made when it is first asked for; null: it would be no shorter. */
  readonly packed: () => Representation | null | Promise<Representation | null>;
  /** Whether it was requested. */
  readonly isPacked: () => boolean;
}

export interface Labels {
  readonly contentType: string;
  /** Of every answer with these bytes, the 304 included. */
  readonly headers: Headers;
  /** Whether a client may keep it, to ask later whether it is still the same. */
  readonly isKept: boolean;
}

/** A packet holds about as much, so there is nothing to win below. */
const worthBytes = 1400;

/** The packed bytes have a tag of their own: a tag is strong here, and stands for the bytes on the wire. */
export function cachedResponseOf(bytes: Buffer | Pieces, labels: Labels): CachedResponse {
  const pieces = compact(Buffer.isBuffer(bytes) ? [bytes] : bytes);
  const length = lengthOf(pieces);
  const hash = labels.isKept ? hashOf(pieces) : '';
  // What is known already is answered at once.
  let packing: Representation | null | Promise<Representation | null> | undefined =
    length < worthBytes ? null : undefined;
  const pack = async () => {
    const body = await packed(pieces);
    const wrapping = { tag: `"${hash}.gz"`, labels, encoding: { 'content-encoding': 'gzip' } };
    packing = body.length >= length ? null : formOf([body], wrapping);
    return packing;
  };
  return {
    length,
    plain: formOf(pieces, { tag: `"${hash}"`, labels, encoding: {} }),
    packed: () => (packing === undefined ? (packing = pack()) : packing),
    isPacked: () => packing !== undefined && packing !== null,
  };
}

function hashOf(pieces: Pieces): string {
  const hash = createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  return hash.digest('base64url').slice(0, 22);
}

interface Wrapping {
  readonly tag: string;
  readonly labels: Labels;
  readonly encoding: Headers;
}

function formOf(pieces: Pieces, { tag, labels, encoding }: Wrapping): Representation {
  const { contentType, isKept } = labels;
  const vary = [labels.headers['vary'], 'Accept-Encoding'].filter((name) => name !== undefined).join(', ');
  const headers = { ...labels.headers, vary, ...(isKept ? { etag: tag } : {}) };
  const [only] = pieces;
  const body = only !== undefined && pieces.length === 1 ? only : pieces;
  const whole = {
    ...securityHeaders,
    ...headers,
    ...encoding,
    'content-type': contentType,
    'content-length': String(lengthOf(pieces)),
  };
  prepared.set(whole, writtenOut(whole));
  return {
    tag,
    whole: { status: 200, headers: whole, body },
    unchanged: isKept ? { status: 304, headers: { ...securityHeaders, ...headers }, body: '' } : null,
  };
}
