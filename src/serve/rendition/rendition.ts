/** Bytes that are ready to be sent: the answers with them, made once for all who ask. */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Answer, Headers } from '../exchange.ts';

/** One form of the bytes on the wire. */
interface Form {
  /** With quotes. */
  readonly tag: string;
  readonly whole: Answer;
  /** What is sent to who has it already; null: nobody may keep it. */
  readonly unchanged: Answer | null;
}

export interface Rendition {
  readonly bytes: Buffer;
  readonly plain: Form;
  /** The same with gzip, made when it is first asked for; null: it would be no shorter. */
  readonly packed: () => Promise<Form | null>;
}

export interface Labels {
  readonly contentType: string;
  /** Of every answer with these bytes, the 304 included. */
  readonly headers: Headers;
  /** Whether somebody may keep it, to ask later whether it is still the same. */
  readonly isKept: boolean;
}

/** A packet holds about as much, so there is nothing to win below. */
const worthBytes = 1400;

/** Level 4 is twice as fast as the usual 6, and a few percent longer. */
const level = 4;

/** The packed bytes have a tag of their own: a tag is strong here, and stands for the bytes on the wire. */
export function renditionOf(bytes: Buffer, labels: Labels): Rendition {
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
  let packing: Promise<Form | null> | null = null;
  const pack = async () => {
    if (bytes.length < worthBytes) return null;
    const packed = await promisify(gzip)(bytes, { level });
    if (packed.length >= bytes.length) return null;
    return formOf(packed, { tag: `"${hash}.gz"`, labels, encoding: { 'content-encoding': 'gzip' } });
  };
  return {
    bytes,
    plain: formOf(bytes, { tag: `"${hash}"`, labels, encoding: {} }),
    packed: () => (packing ??= pack()),
  };
}

interface Wrapping {
  readonly tag: string;
  readonly labels: Labels;
  readonly encoding: Headers;
}

function formOf(body: Buffer, { tag, labels, encoding }: Wrapping): Form {
  const { contentType, isKept } = labels;
  const vary = [labels.headers['vary'], 'Accept-Encoding'].filter((name) => name !== undefined).join(', ');
  const headers = { ...labels.headers, vary, ...(isKept ? { etag: tag } : {}) };
  return {
    tag,
    whole: { status: 200, headers: { ...headers, ...encoding, 'content-type': contentType }, body },
    unchanged: isKept ? { status: 304, headers, body: '' } : null,
  };
}
