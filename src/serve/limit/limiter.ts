/** Decides whether a client may make one more request. */
import type { Headers } from '../http-types.ts';
import { type Bucket, createBuckets, takeToken, type Taken } from './buckets.ts';

/** Whose bucket pays for a request: a client that could be anybody, or a producer that proved to be one. */
export type RateLimitKey =
  | { readonly kind: 'client'; readonly address: string }
  | { readonly kind: 'producer'; readonly key: string };

export interface Limiter {
  readonly take: (rateLimitKey: RateLimitKey) => Taken;
}

export interface LimiterOptions {
  readonly monotonic: () => number;
  readonly seed: number;
}

/** Producers have buckets that no number of strangers can push out: there are no more of them than monitors. */
export function createLimiter(bucket: Bucket, { monotonic, seed }: LimiterOptions): Limiter {
  const clients = createBuckets(bucket, { seed });
  const producers = new Map<string, number>();
  const takeOfProducer = (key: string): Taken => {
    const { fullAt, taken } = takeToken(producers.get(key) ?? -Infinity, bucket, monotonic());
    producers.set(key, fullAt);
    return taken;
  };
  return {
    take: (rateLimitKey) =>
      rateLimitKey.kind === 'client'
        ? clients.take(rateLimitKey.address, monotonic())
        : takeOfProducer(rateLimitKey.key),
  };
}

/** What a client is told of its bucket, on every answer that counts against it. */
export function headersOf({ burst }: Bucket, { isAllowed, remaining, fullInMs, retryInMs }: Taken): Headers {
  return {
    'x-ratelimit-limit': String(burst),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(Math.ceil(fullInMs / 1000)),
    ...(isAllowed ? {} : { 'retry-after': String(Math.max(1, Math.ceil(retryInMs / 1000))) }),
  };
}
