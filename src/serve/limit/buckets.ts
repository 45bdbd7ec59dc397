/** Token buckets for any number of keys in a fixed piece of memory. */

export interface Bucket {
  readonly burst: number;
  readonly refillMs: number;
}

/** What taking one token came to. Spans are milliseconds. */
export interface Taken {
  readonly isAllowed: boolean;
  readonly remaining: number;
  /** Until the bucket is full again. */
  readonly fullInMs: number;
  /** Until there is a token; 0 when there was one. */
  readonly retryInMs: number;
}

/**
 * Takes one token, as arithmetic on the one number a bucket needs: the instant at which it will be full (the generic
 * cell rate algorithm, ITU-T I.371). A bucket that was never used is full since ever.
 */
export function takeToken(
  fullAt: number,
  { burst, refillMs }: Bucket,
  nowMs: number,
): { readonly fullAt: number; readonly taken: Taken } {
  const before = Math.max(fullAt, nowMs);
  const after = before + refillMs;
  const overMs = after - nowMs - burst * refillMs;
  // A millionth of a token of slack: sums of fractions do not add up exactly.
  const isAllowed = overMs <= refillMs * 1e-6;
  const kept = isAllowed ? after : before;
  const remaining = Math.max(0, Math.floor(burst - (kept - nowMs) / refillMs + 1e-6));
  return {
    fullAt: kept,
    taken: { isAllowed, remaining, fullInMs: kept - nowMs, retryInMs: isAllowed ? 0 : overMs },
  };
}

export interface Buckets {
  readonly take: (key: string, nowMs: number) => Taken;
  /** What taking one would come to. */
  readonly look: (key: string, nowMs: number) => Taken;
}

const ways = 8;

/**
 * A table of `slots` buckets (a power of two), 12 bytes each. A key has eight places; when they are taken, the bucket
 * that is closest to full gives way, for it forgets the least. So a client at the limit stays there, however many
 * other keys come. `seed` keeps clients from choosing keys that share a place. Instants are after 0, which stands for an
 * empty place: so the system gives memory only for what was written.
 */
export function createBuckets(
  bucket: Bucket,
  { slots = 131_072, seed }: { readonly slots?: number; readonly seed: number },
): Buckets {
  const fullAts = new Float64Array(slots);
  const tags = new Uint32Array(slots);
  const lastSet = slots / ways - 1;
  const find = (key: string, nowMs: number) => {
    const tag = hash(key, seed);
    const first = (hash(key, ~seed) & lastSet) * ways;
    const slot = placeOf({ fullAts, tags, first }, tag);
    return { slot, tag, ...takeToken(tags[slot] === tag ? (fullAts[slot] ?? 0) : -Infinity, bucket, nowMs) };
  };
  return {
    take: (key, nowMs) => {
      const { slot, tag, fullAt, taken } = find(key, nowMs);
      tags[slot] = tag;
      fullAts[slot] = fullAt;
      return taken;
    },
    look: (key, nowMs) => find(key, nowMs).taken,
  };
}

interface Places {
  readonly fullAts: Float64Array;
  readonly tags: Uint32Array;
  readonly first: number;
}

function placeOf({ fullAts, tags, first }: Places, tag: number): number {
  let fullest = first;
  for (let slot = first; slot < first + ways; slot += 1) {
    if (tags[slot] === tag) return slot;
    if ((fullAts[slot] ?? 0) < (fullAts[fullest] ?? 0)) fullest = slot;
  }
  return fullest;
}

/** MurmurHash3 (x86, 32 bits) over UTF-16 units. */
function hash(text: string, seed: number): number {
  let mixed = seed | 0;
  for (let index = 0; index < text.length; index += 1) {
    let unit = Math.imul(text.charCodeAt(index), 0xcc9e2d51);
    unit = Math.imul((unit << 15) | (unit >>> 17), 0x1b873593);
    mixed ^= unit;
    mixed = Math.imul((mixed << 13) | (mixed >>> 19), 5) + 0xe6546b64;
  }
  mixed ^= text.length;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
