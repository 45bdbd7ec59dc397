/** How much a client may ask for: every limit there is. */
import type { Config } from '../../engine/config/config.ts';
import type { Bucket } from './buckets.ts';

/** `api`: the routes that the contract limits. `pages`: the status page, the history, the feed, reports and metrics. */
export type Limit = 'api' | 'pages';

/** A page costs less than a change, and an office full of readers has one address. */
export const pagesPerRequest = 40;

/** Wrong tokens: so many at once, and one more every so many seconds. */
export const wrongTokens = { burst: 10, refillSecs: 6 } as const;

/** The bucket of each limit, by the settings of the server. */
export function limitsOf({
  rate_limit_burst: burst,
  rate_limit_refill_secs: refillSecs,
}: Pick<Config['server'], 'rate_limit_burst' | 'rate_limit_refill_secs'>): Readonly<
  Record<Limit | 'guesses', Bucket>
> {
  const refillMs = refillSecs * 1000;
  return {
    api: { burst, refillMs },
    pages: { burst: burst * pagesPerRequest, refillMs: refillMs / pagesPerRequest },
    guesses: { burst: wrongTokens.burst, refillMs: wrongTokens.refillSecs * 1000 },
  };
}
