/** Turns the bytes of a body into text. */
import { secondsText } from '../../core/duration.ts';
import type { Transform } from 'node:stream';
import zlib from 'node:zlib';
import { type Deadline } from '../deadline.ts';
import { printable } from '../faults.ts';
import { BodyCollector } from './body.ts';
import type { HttpResponse } from './exchange-terms.ts';
import { valueOf } from './redirect.ts';

export type BodyText =
  /** `isCut`: there is more of it, over the limit. */
  | { readonly kind: 'text'; readonly text: string; readonly isCut: boolean }
  /** `why` continues "the body ". */
  | { readonly kind: 'unreadable'; readonly why: string };

/** RFC 9110, section 8.4: codings are listed in the order in which they were applied. Nobody applies more. */
const mostCodings = 2;

/**
 * Undoes the content-encoding, which a server may apply although it was asked not to. At most `maxBytes` come
 * out of each coding, whatever size is announced: a decompression bomb is cut, not unpacked.
 */
export async function bodyText(
  response: HttpResponse,
  maxBytes: number,
  deadline: Deadline,
): Promise<BodyText> {
  const codings = response.headers
    .filter(([name]) => name.toLowerCase() === 'content-encoding')
    .flatMap(([, value]) => value.toLowerCase().split(','))
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity')
    .reverse();
  let bytes: Buffer = response.body;
  let isCut = response.end.kind !== 'complete';
  if (bytes.length > 0) {
    if (codings.length > mostCodings) return { kind: 'unreadable', why: 'is encoded more than twice' };
    for (const coding of codings) {
      const decoder = decoderOf(coding, { isCut, firstByte: bytes[0] ?? 0 });
      if (decoder === null) return { kind: 'unreadable', why: `is encoded as ${printable(coding, 40)}` };
      const late = () => deadline.missed(`no end of the decoding within ${secondsText(deadline.timeoutMs)}`);
      const decoded = await deadline
        .bound(run(decoder, bytes, maxBytes), late)
        .finally(() => decoder.destroy());
      if (decoded === null) return { kind: 'unreadable', why: `is not the ${coding} that it says it is` };
      bytes = decoded.bytes;
      isCut ||= decoded.isCut;
    }
  }
  return { kind: 'text', text: textOf(bytes, { charset: charsetOf(response), isCut }), isCut };
}

/** Each chunk is a trip to a thread and back. */
const chunkSize = 64 * 1024;

/** A body that was cut ends in the middle of a compressed block: what is there is taken. */
function decoderOf(
  coding: string,
  { isCut, firstByte }: { readonly isCut: boolean; readonly firstByte: number },
) {
  const { constants } = zlib;
  const options = { chunkSize, ...(isCut && { finishFlush: constants.Z_SYNC_FLUSH }) };
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      return zlib.createGunzip(options);
    case 'deflate':
      // RFC 9110, section 8.4.1.2: some send it without the zlib wrapper, whose first byte names method 8.
      return (firstByte & 0x0f) === 8 ? zlib.createInflate(options) : zlib.createInflateRaw(options);
    case 'br':
      return zlib.createBrotliDecompress({
        chunkSize,
        ...(isCut && { finishFlush: constants.BROTLI_OPERATION_FLUSH }),
      });
    default:
      return null;
  }
}

interface Decoded {
  readonly bytes: Buffer;
  readonly isCut: boolean;
}

/** Null when the bytes are not in that coding. */
function run(decoder: Transform, bytes: Buffer, maxBytes: number): Promise<Decoded | null> {
  return new Promise((resolve) => {
    const out = new BodyCollector(maxBytes);
    decoder.on('data', (chunk: Buffer) => {
      if (out.add(chunk)) return;
      decoder.destroy();
      resolve({ bytes: out.bytes(), isCut: true });
    });
    decoder.once('end', () => {
      resolve({ bytes: out.bytes(), isCut: false });
    });
    decoder.on('error', () => {
      resolve(null);
    });
    decoder.end(bytes);
  });
}

function charsetOf(response: HttpResponse): string {
  const type = valueOf(response, 'content-type') ?? '';
  return /;\s*charset\s*=\s*"?([^\s;"]{1,40})/i.exec(type)?.[1] ?? 'utf-8';
}

function textOf(
  bytes: Buffer,
  { charset, isCut }: { readonly charset: string; readonly isCut: boolean },
): string {
  // As a stream it leaves out a character that the cut went through.
  return decoderFor(charset).decode(bytes, { stream: isCut });
}

function decoderFor(charset: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}
