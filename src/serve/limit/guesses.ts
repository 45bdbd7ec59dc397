/** Limits how many tokens a client may try, so that no secret is found by trying. */
import type { Config } from '../../engine/config/config.ts';
import { type Access, monitorOf } from '../access/admit.ts';
import { isAnyToken, printOf } from '../access/token.ts';
import type { Secret } from '../../engine/config/secret.ts';
import { createBuckets, type Taken } from './buckets.ts';
import type { GuessLimits, LimiterOptions } from './limiter.ts';

/**
 * The secrets that a token is compared with. Each purpose has counts of its own: wrong tokens where another secret is
 * compared find out nothing about this one, and need not hold up the client that presents it.
 */
export type Purpose =
  | { readonly kind: 'any' }
  /** The push token of a monitor, or the `listen_token` of the peer, with this id; there may be none. */
  | { readonly kind: 'own'; readonly id: string }
  /** The `listen_token` of any peer. */
  | { readonly kind: 'peer' }
  /** The token of the nodes. */
  | { readonly kind: 'node' };

export const anyPurpose: Purpose = { kind: 'any' };

/** The secrets that the tokens of a request are compared with; `id` is that in its path. */
export function purposeOf(access: Exclude<Access, 'anyone' | 'alert'>, id: string | null): Purpose {
  switch (access) {
    case 'heartbeat':
      return ownPurpose(id);
    case 'peer':
    case 'node':
      return { kind: access };
    case 'reader':
    case 'group':
    case 'operator':
      return anyPurpose;
  }
}

/** Characters of the id of a monitor or a peer at most: longer ones are nobody's, and too long to be remembered. */
const longestId = 128;

export function ownPurpose(id: string | null): Purpose {
  return id !== null && id.length <= longestId ? { kind: 'own', id } : anyPurpose;
}

/** The client that presents tokens. Addresses are as `clientKey` writes them. */
export interface Guesser {
  /** The address that the connection comes from: of a proxy, where there is one. */
  readonly socket: string;
  /** The address that a trusted proxy names, else that of the connection. */
  readonly client: string;
}

export type GuessVerdict =
  /** No token was presented that is wrong; the ones presented may be compared. */
  | { readonly kind: 'clear' }
  /** One at least is no secret of that purpose. The tokens may be compared. */
  | { readonly kind: 'wrong' }
  /** No token may be compared, or the answer would say whether it was right. */
  | { readonly kind: 'refused'; readonly taken: Taken };

export interface Guesses {
  readonly judge: (
    guesser: Guesser,
    purpose: Purpose,
    given: { readonly tokens: readonly string[]; readonly config: Config },
  ) => GuessVerdict;
}

/** How many triples of address, purpose and token are remembered of either kind. */
const maxRemembered = 16_384;

const clear: GuessVerdict = { kind: 'clear' };
const wrongToken: GuessVerdict = { kind: 'wrong' };

/**
 * Counts wrong tokens by the address of the socket, by that of the client and over all, in a fixed piece of memory. When
 * a count is spent, wrong tokens are refused. A right token is refused by the count of its client and by that over all,
 * but not by that of a proxy: all clients of a reverse proxy share its socket, and one that guesses would lock out all
 * others. So a client that makes up addresses, as a trusted proxy may, has the tries that all together have. Clients of a
 * proxy do not count for the programs on its machine, which connect from the same address.
 *
 * A token that was tried from an address before costs nothing: neither a bookmark with a token that is no longer valid,
 * nor a right token beside the guesses of another program behind the same address. Right tokens are remembered apart, so
 * that no number of guesses pushes them out.
 */
export function createGuesses(
  { guesses, allGuesses }: GuessLimits,
  { monotonic, seed }: LimiterOptions,
): Guesses {
  const ofAddress = createBuckets(guesses, { slots: 16_384, seed });
  const ofAll = createBuckets(allGuesses, { slots: 4096, seed });
  const right = createMemory();
  const wrong = createMemory();
  const isRight = comparison();
  const refusalOfRight = (client: string, all: string): Taken | null => {
    const nowMs = monotonic();
    return [ofAddress.look(client, nowMs), ofAll.look(all, nowMs)].find((one) => !one.isAllowed) ?? null;
  };
  /** Guesses of a client over its limit count for nobody else: it could spend what others have with them. */
  const refusalOfWrong = (client: string, proxy: string | null, all: string): Taken | null => {
    const nowMs = monotonic();
    const own = ofAddress.take(client, nowMs);
    if (!own.isAllowed) return own;
    const shared = [ofAll.take(all, nowMs), ...(proxy === null ? [] : [ofAddress.take(proxy, nowMs)])];
    return shared.find((one) => !one.isAllowed) ?? null;
  };
  return {
    judge: ({ socket, client }, purpose, { tokens, config }) => {
      const all = purpose.kind === 'own' ? `own ${purpose.id}` : purpose.kind;
      const from = socket === client ? client : `${socket} for ${client}`;
      let verdict = clear;
      for (const token of tokens) {
        const { name } = printOf(token);
        const tried = `${from} ${all} ${name}`;
        if (right.has(tried)) continue;
        if (wrong.has(tried)) {
          verdict = wrongToken;
          continue;
        }
        const isSecret = isRight(token, purpose, config);
        const taken = isSecret
          ? refusalOfRight(`${client} ${all}`, all)
          : refusalOfWrong(`${client} ${all}`, socket === client ? null : `proxy ${socket} ${all}`, all);
        if (taken !== null) return { kind: 'refused', taken };
        (isSecret ? right : wrong).add(tried);
        if (!isSecret) verdict = wrongToken;
      }
      return verdict;
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

/** Whether a token is a secret that requests of a purpose may present. */
function comparison(): (token: string, purpose: Purpose, config: Config) => boolean {
  const printsOf = secretPrints();
  return (token, purpose, config) => {
    switch (purpose.kind) {
      case 'any':
        return printsOf(config).has(printOf(token).name);
      case 'own':
        return isAnyToken(ownSecret(config, purpose.id), [token]);
      case 'peer':
        return config.peers.some(({ listen_token }) => isAnyToken(listen_token, [token]));
      case 'node':
        return isAnyToken(config.node.token, [token]);
    }
  };
}

function ownSecret(config: Config, id: string): Secret | null {
  const peer = config.peers.find(({ listen_id }) => listen_id === id);
  return peer === undefined ? (monitorOf(config, id)?.push_token ?? null) : peer.listen_token;
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
