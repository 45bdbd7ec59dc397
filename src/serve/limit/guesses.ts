/** Limits how many tokens a client may try, so that no secret is found by trying. */
import type { Config } from '../../engine/config/config.ts';
import { printOf } from '../access/token.ts';
import type { Secret } from '../../engine/config/secret.ts';
import { type Bucket, createBuckets, type Taken } from './buckets.ts';
import type { LimiterOptions } from './limiter.ts';

export interface Guesses {
  /**
   * Counts the tokens of a request that are no secret of `config`, for `by`: an address, and what it asks for where that has
   * a count of its own. Null: they may be compared. Else what trying one more came to, and none of them may be compared, or
   * an answer would say whether it was right.
   */
  readonly refusal: (by: string, tokens: readonly string[], config: Config) => Taken | null;
}

/** How many pairs of who tried and a token are remembered of either kind. */
const maxRemembered = 16_384;

/**
 * A token that was tried from an address before shows it nothing new and costs nothing: neither a bookmark with a
 * token that is no longer valid, nor a right token beside the guesses of another program behind the same address. The right
 * ones are remembered apart, so that no number of guesses pushes them out.
 */
export function createGuesses(bucket: Bucket, { monotonic, seed }: LimiterOptions): Guesses {
  const buckets = createBuckets(bucket, { slots: 16_384, seed });
  const right = createMemory();
  const wrong = createMemory();
  const secretsOf = secretPrints();
  const refusalOf = (by: string, token: string, config: Config): Taken | null => {
    const { name } = printOf(token);
    const pair = `${by} ${name}`;
    if (right.has(pair) || wrong.has(pair)) return null;
    const nowMs = monotonic();
    if (secretsOf(config).has(name)) {
      const seen = buckets.look(by, nowMs);
      if (!seen.isAllowed) return seen;
      right.add(pair);
      return null;
    }
    const taken = buckets.take(by, nowMs);
    if (!taken.isAllowed) return taken;
    wrong.add(pair);
    return null;
  };
  return {
    refusal: (by, tokens, config) => {
      for (const token of tokens) {
        const refused = refusalOf(by, token, config);
        if (refused !== null) return refused;
      }
      return null;
    },
  };
}

interface Memory {
  readonly has: (text: string) => boolean;
  readonly add: (text: string) => void;
}

/** The oldest is forgotten first. */
function createMemory(): Memory {
  const known = new Set<string>();
  return {
    has: (text) => known.has(text),
    add: (text) => {
      known.add(text);
      if (known.size <= maxRemembered) return;
      for (const oldest of known) {
        known.delete(oldest);
        break;
      }
    },
  };
}

/** Made once for each configuration. */
function secretPrints(): (config: Config) => ReadonlySet<string> {
  const made = new WeakMap<Config, ReadonlySet<string>>();
  return (config) => {
    const known = made.get(config);
    if (known !== undefined) return known;
    const prints = new Set(secretsOf(config).map((secret) => printOf(secret.reveal()).name));
    made.set(config, prints);
    return prints;
  };
}

/** Every token that a request may present. */
function secretsOf({ server, node, peers, monitors }: Config): Secret[] {
  const { auth_token, group_tokens } = server;
  return [
    auth_token,
    node.token,
    ...Object.values(group_tokens),
    ...peers.map(({ listen_token }) => listen_token),
    ...monitors.map(({ push_token }) => push_token),
  ].filter((secret) => secret !== null);
}
