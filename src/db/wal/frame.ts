/** The framing of a log: the layout of a record in the file, by which a torn or damaged one is recognised. */
import { crc32 } from 'node:zlib';

/**
 * A frame, big-endian:
 *
 * | bytes | |
 * |---|---|
 * | 0–3 | `F5 53 44 4C`: no UTF-8 text, so no payload, contains the first byte |
 * | 4–7 | CRC-32 of everything after it, seeded with the log it belongs to |
 * | 8–11 | length of the payload |
 * | 12 | kind |
 * | 13–15 | 0 |
 * | 16–23 | writer: a random number, a new one for every store that is opened |
 * | 24–29 | counter of that writer |
 * | 30–31 | 0 |
 * | 32… | payload, UTF-8 |
 */
const magic = Buffer.from([0xf5, 0x53, 0x44, 0x4c]);
const headBytes = 32;

/** A frame that claims more is damage: a write this long is refused before it is made. */
export const maxPayloadBytes = 64 * 1024 * 1024;

const kindNumbers = { header: 1, transaction: 2, samples: 3, seal: 4 } as const;
type FrameKind = keyof typeof kindNumbers;
const kinds = new Map(
  Object.entries(kindNumbers).map(([kind, number]) => [number as number, kind as FrameKind]),
);

export interface WalFrame {
  readonly kind: FrameKind;
  /** 16 hexadecimal digits. */
  readonly writer: string;
  readonly counter: number;
  readonly payload: string;
}

/** Mixed into every checksum of a log, so that a stale block of another log never passes for a record of this one. */
export function logSeed(databaseId: string, number: number): number {
  return crc32(`${databaseId} ${number}`);
}

/** The seed of the header, which is read before anything is known of the log. */
export const headerSeed = 0;

export function encodeFrame(frame: WalFrame, seed: number): Buffer {
  const payload = Buffer.from(frame.payload, 'utf8');
  const bytes = Buffer.alloc(headBytes + payload.length);
  magic.copy(bytes, 0);
  bytes.writeUInt32BE(payload.length, 8);
  bytes.writeUInt8(kindNumbers[frame.kind], 12);
  bytes.write(frame.writer, 16, 8, 'hex');
  bytes.writeUIntBE(frame.counter, 24, 6);
  payload.copy(bytes, headBytes);
  bytes.writeUInt32BE(crc32(bytes.subarray(8), seed), 4);
  return bytes;
}

/**
 * What is at an offset of a log: a whole frame; or something else that a whole frame follows, which proves that
 * it will never be completed; or bytes that may still become a frame.
 */
export type FoundFrame =
  | { readonly is: 'frame'; readonly frame: WalFrame; readonly end: number }
  | { readonly is: 'gap'; readonly end: number }
  | { readonly is: 'incomplete' };

/** Looks at `bytes` from `at` on. Appends never overlap, so a whole frame after a broken one ends the broken one. */
export function findFrame(bytes: Buffer, at: number, seed: number): FoundFrame {
  const here = frameAt(bytes, at, seed);
  if (here !== null) return here;
  for (let next = bytes.indexOf(magic, at + 1); next !== -1; next = bytes.indexOf(magic, next + 1)) {
    if (frameAt(bytes, next, seed) !== null) return { is: 'gap', end: next };
  }
  return { is: 'incomplete' };
}

/**
 * True when `bytes`, which are no whole frame, are nothing but beginnings of frames: writes that were cut off. False
 * when a frame in them was whole once, also when it is its length that was changed.
 */
export function looksCutOff(bytes: Buffer, seed: number): boolean {
  for (let at = 0; at < bytes.length; ) {
    const next = bytes.indexOf(magic, at + 1);
    const end = next === -1 ? bytes.length : next;
    if (!isBeginning(bytes.subarray(at, end), seed)) return false;
    at = end;
  }
  return true;
}

function isBeginning(bytes: Buffer, seed: number): boolean {
  const start = bytes.subarray(0, magic.length);
  if (!start.equals(magic.subarray(0, start.length))) return false;
  if (bytes.length < headBytes) return true;
  const length = bytes.readUInt32BE(8);
  const kind = kinds.get(bytes.readUInt8(12));
  if (kind === undefined || length > maxPayloadBytes) return false;
  if (headBytes + length <= bytes.length) return false;
  const lengthHere = Buffer.alloc(4);
  lengthHere.writeUInt32BE(bytes.length - headBytes);
  const ownSeed = kind === 'header' ? headerSeed : seed;
  return crc32(bytes.subarray(12), crc32(lengthHere, ownSeed)) !== bytes.readUInt32BE(4);
}

function frameAt(bytes: Buffer, at: number, seed: number): Extract<FoundFrame, { is: 'frame' }> | null {
  if (bytes.length - at < headBytes || bytes.compare(magic, 0, magic.length, at, at + magic.length) !== 0) {
    return null;
  }
  const length = bytes.readUInt32BE(at + 8);
  const end = at + headBytes + length;
  const kind = kinds.get(bytes.readUInt8(at + 12));
  if (kind === undefined || length > maxPayloadBytes || end > bytes.length) return null;
  if (crc32(bytes.subarray(at + 8, end), seed) !== bytes.readUInt32BE(at + 4)) return null;
  const writer = bytes.toString('hex', at + 16, at + 24);
  const counter = bytes.readUIntBE(at + 24, 6);
  const payload = bytes.toString('utf8', at + headBytes, end);
  return { is: 'frame', frame: { kind, writer, counter, payload }, end };
}
