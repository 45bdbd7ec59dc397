/** The 64 bytes after the last page of a snapshot, which detect damage. */
import { crc32 } from 'node:zlib';

/**
 * SQLite reads as many pages as the first one says there are and ignores what follows.
 * Big-endian: `STATUSDB`, length of the pages (8), their CRC-32 (4), format (4), database id (16),
 * number of the first log that is not in the pages (8), zero (12), CRC-32 of the 60 bytes before (4).
 */
export const trailerBytes = 64;

const magic = 'STATUSDB';
const trailerFormat = 1;

export interface Trailer {
  readonly length: number;
  readonly checksum: number;
  readonly databaseId: string;
  readonly log: number;
}

export function encodeTrailer(trailer: Trailer): Buffer {
  const bytes = Buffer.alloc(trailerBytes);
  bytes.write(magic, 0, 'latin1');
  bytes.writeBigUInt64BE(BigInt(trailer.length), 8);
  bytes.writeUInt32BE(trailer.checksum, 16);
  bytes.writeUInt32BE(trailerFormat, 20);
  bytes.write(trailer.databaseId.replaceAll('-', ''), 24, 16, 'hex');
  bytes.writeBigUInt64BE(BigInt(trailer.log), 40);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, 60)), 60);
  return bytes;
}

/** What the last 64 bytes of a file say; null when they are no trailer, or a damaged one. */
export function decodeTrailer(bytes: Buffer): Trailer | null {
  if (bytes.length !== trailerBytes || bytes.toString('latin1', 0, 8) !== magic) return null;
  if (crc32(bytes.subarray(0, 60)) !== bytes.readUInt32BE(60)) return null;
  const id = bytes.toString('hex', 24, 40);
  return {
    length: Number(bytes.readBigUInt64BE(8)),
    checksum: bytes.readUInt32BE(16),
    databaseId: [id.slice(0, 8), id.slice(8, 12), id.slice(12, 16), id.slice(16, 20), id.slice(20)].join('-'),
    log: Number(bytes.readBigUInt64BE(40)),
  };
}
