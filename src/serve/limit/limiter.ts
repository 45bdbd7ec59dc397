/** Decides whether a client may make one more request. */
import { type Bucket, createBuckets, type Taken, takeToken } from './buckets.ts';
import type { Config } from '../../engine/config/config.ts';
import { recordOf } from '../http-types.ts';
import { HttpProblem } from '../problem.ts';

/** Whose bucket pays for a request: an anonymous client, or a producer with its token. */
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

/** Producers have buckets that no number of unauthenticated clients can push out: there are no more of them than monitors. */
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

/** What a client is answered about its bucket, on every answer that counts against it: names and values by turns. */
export function standingOf({ burst }: Bucket, { remaining, fullInMs }: Taken): readonly string[] {
  return [
    'x-ratelimit-limit',
    String(burst),
    'x-ratelimit-remaining',
    String(remaining),
    'x-ratelimit-reset',
    String(Math.ceil(fullInMs / 1000)),
  ];
}

/** In how many seconds to try again what was too much. */
function retryAfterOf({ retryInMs }: Taken): string {
  return String(Math.max(1, Math.ceil(retryInMs / 1000)));
}

/** Says what was too much, and when to come back; with a bucket, how the client stands, too. */
export function tooMany(what: string, bucket: Bucket | null, taken: Taken): HttpProblem {
  const retryAfter = retryAfterOf(taken);
  const standing = bucket === null ? {} : recordOf(standingOf(bucket, taken));
  return new HttpProblem(429, `${what} Try again in ${retryAfter} s.`, {
    ...standing,
    'retry-after': retryAfter,
  });
}

/** `api`: the routes that the contract limits. `pages`: the status page, the history, the feed, reports and metrics. */
export type Limit = 'api' | 'pages';

/** A page costs less than a change, and an office full of readers has one address. */
export const pagesPerRequest = 40;

/** How many wrong tokens may be tried. */
export interface GuessLimits {
  /** The limit of one address. */
  readonly guesses: Bucket;
  /** The limit of all addresses together. */
  readonly allGuesses: Bucket;
}

/** Wrong tokens of an address: so many at once, and one more every so many seconds. */
export const wrongTokens = { burst: 10, refillSecs: 6 } as const;

/** Wrong tokens of all addresses together. */
export const allWrongTokens = { perMinute: 600 } as const;

/** Mails with links that a client may ask for: so many at once, and one more every so many seconds. */
export const askedMails = { burst: 5, refillSecs: 720 } as const;

/** The bucket of each limit, by the settings of the server. */
export function limitsOf({
  rate_limit_burst: burst,
  rate_limit_refill_secs: refillSecs,
}: Pick<Config['server'], 'rate_limit_burst' | 'rate_limit_refill_secs'>): Readonly<
  Record<Limit | 'mails', Bucket> & GuessLimits
> {
  const refillMs = refillSecs * 1000;
  return {
    api: { burst, refillMs },
    pages: { burst: burst * pagesPerRequest, refillMs: refillMs / pagesPerRequest },
    mails: { burst: askedMails.burst, refillMs: askedMails.refillSecs * 1000 },
    guesses: { burst: wrongTokens.burst, refillMs: wrongTokens.refillSecs * 1000 },
    allGuesses: { burst: allWrongTokens.perMinute, refillMs: 60_000 / allWrongTokens.perMinute },
  };
}
