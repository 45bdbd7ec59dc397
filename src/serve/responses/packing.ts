/** Packs bytes that lie in many small pieces. */
import { createGzip, type Gzip } from 'node:zlib';
import { lengthOf, type Pieces } from './pieces.ts';

/**
 * What is short is packed as well as it goes; for the rest level 4 is twice as fast as the usual 6, and a few percent longer.
 * The summary of a thousand monitors, 6 MB that are much alike, takes 36 ms with it, and 16 with level 2.
 */
function levelFor(length: number): number {
  if (length <= 262_144) return 9;
  return length <= 1_048_576 ? 4 : 2;
}

/** How much is given to the thread that packs at once: a turn of its own for every piece would cost more than packing it. */
const slabBytes = 131_072;

/** The pieces with gzip, as one. */
export async function packed(pieces: Pieces): Promise<Buffer> {
  const gzip = createGzip({ level: levelFor(lengthOf(pieces)) });
  const chunks: Buffer[] = [];
  gzip.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise<void>((resolve, reject) => {
    gzip.once('end', resolve).once('error', reject);
  });
  await feed(gzip, pieces);
  gzip.end();
  await ended;
  return Buffer.concat(chunks);
}

/** Through one slab, which is free again when what was in it is packed. */
async function feed(gzip: Gzip, pieces: Pieces): Promise<void> {
  const slab = Buffer.allocUnsafeSlow(Math.min(slabBytes, lengthOf(pieces)));
  let used = 0;
  const flush = async () => {
    if (used > 0) await written(gzip, slab.subarray(0, used));
    used = 0;
  };
  for (const piece of pieces) {
    for (let from = 0; from < piece.length; ) {
      const count = piece.copy(slab, used, from);
      from += count;
      used += count;
      if (used === slab.length) await flush();
    }
  }
  await flush();
}

function written(gzip: Gzip, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    gzip.write(bytes, (error) => {
      if (error) reject(error);
      else resolve();
    });
  });
}
