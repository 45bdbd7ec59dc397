/** Asks the name servers for the addresses of one name, both families at once. */
import { promises } from 'node:dns';
import type { Clock } from '../core/clock.ts';
import type { Lookup } from './address.ts';
import type { Addresses } from './address.ts';
import type { ResolvedAddress } from './address.ts';
import type { AddressFamily } from './address.ts';

/** What the name servers said of a name; `no_answer` means that they said nothing of use. */
export type NameAnswer =
  | { readonly kind: 'found'; readonly addresses: Addresses }
  | { readonly kind: 'no_such_name' | 'no_address' | 'bad_name' }
  | { readonly kind: 'broken' | 'no_answer'; readonly code: string };

/**
 * How long IPv6 is waited for once IPv4 has answered: some name servers drop AAAA queries, and their names
 * would be as slow as a timeout (RFC 8305, section 3). IPv4 is waited for to the end, since a host without
 * an IPv6 route depends on it.
 */
const ipv6DelayMs = 250;

const tries = 2;
const unlimitedMs = 10_000;

/** One resolver (a c-ares channel) for each name, so that cancelling it cancels no other. */
export function nameServers(clock: Clock, servers?: readonly string[]) {
  return async (
    name: string,
    lookup: Lookup & { families: readonly AddressFamily[] },
  ): Promise<NameAnswer> => {
    const { signal, families } = lookup;
    signal.throwIfAborted();
    const serverCount = servers?.length ?? new promises.Resolver().getServers().length;
    const patienceMs = (lookup.remainingMs?.() ?? unlimitedMs) * 0.9;
    const timeout = tryMs(patienceMs, serverCount);
    const resolver = new promises.Resolver({ timeout, tries });
    if (servers !== undefined) resolver.setServers(servers);
    const settled = new AbortController();
    const cancel = () => {
      resolver.cancel();
    };
    signal.addEventListener('abort', cancel, { once: true });
    // A silent server must be distinguished from a slow target, so it is given up on before the deadline is.
    clock.sleep(patienceMs, settled.signal).then(cancel, () => undefined);
    try {
      const queries = families.map((family) => ask(resolver, name, family));
      const ipv4 = families.length > 1 ? queries[families.indexOf(4)] : undefined;
      const enough = ipv4?.then(async (answer) => {
        if (answer.kind === 'found') await clock.sleep(ipv6DelayMs, settled.signal).catch(() => undefined);
        else await Promise.all(queries);
        return answer;
      });
      const all = Promise.all(queries);
      const answers =
        enough === undefined ? await all : await Promise.race([all, enough.then((only) => [only])]);
      signal.throwIfAborted();
      return combine(answers);
    } finally {
      settled.abort();
      signal.removeEventListener('abort', cancel);
      cancel();
    }
  };
}

/**
 * c-ares doubles the wait from one round over the servers to the next: all rounds are to fit. Where there is one server, the
 * second wait ends with the patience: a slow one is asked again no sooner than at half of it, when its question may be lost.
 */
function tryMs(patienceMs: number, serverCount: number): number {
  const waits = serverCount <= 1 ? tries : (2 ** tries - 1) * serverCount;
  return Math.round(Math.min(2000, Math.max(50, patienceMs / waits)));
}

async function ask(resolver: promises.Resolver, name: string, family: AddressFamily): Promise<NameAnswer> {
  try {
    const found = family === 4 ? await resolver.resolve4(name) : await resolver.resolve6(name);
    // An alias alone is no address (c-ares gives an empty list for it): the other family may have one.
    if (found.length === 0) return { kind: 'no_address' };
    return { kind: 'found', addresses: found.map((address): ResolvedAddress => ({ address, family })) };
  } catch (error) {
    return answerOf((error as NodeJS.ErrnoException).code ?? 'EUNKNOWN');
  }
}

function answerOf(code: string): NameAnswer {
  switch (code) {
    case 'ENOTFOUND':
      return { kind: 'no_such_name' };
    case 'ENODATA':
      return { kind: 'no_address' };
    case 'EBADNAME':
      return { kind: 'bad_name' };
    case 'ESERVFAIL':
      return { kind: 'broken', code: 'SERVFAIL' };
    case 'ECANCELLED':
      return { kind: 'no_answer', code: 'ETIMEOUT' };
    default:
      // Silence, a refusal or nonsense from the server itself: it says nothing of the name.
      return { kind: 'no_answer', code };
  }
}

/** Of two families, the answer that says most: an address, then what cannot be known, then the firmest no. */
function combine(answers: readonly NameAnswer[]): NameAnswer {
  const addresses = answers.flatMap((answer) => (answer.kind === 'found' ? answer.addresses : []));
  if (addresses.length > 0) return { kind: 'found', addresses };
  for (const kind of ['bad_name', 'no_such_name', 'no_answer', 'broken'] as const) {
    const said = answers.find((answer) => answer.kind === kind);
    if (said !== undefined) return said;
  }
  return { kind: 'no_address' };
}
