/** Turns a host into addresses the way this host would, without a thread of the file system's pool. */
import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import type { Clock } from '../core/clock.ts';
import { readRegularFile } from '../config/read-file.ts';
import { ownFaultKey } from '../core/own-fault.ts';
import { DeadlinePassed } from './deadline.ts';
import { printable, ProbeFault, unableFault } from './faults.ts';
import { parseHosts } from './resolve-hosts.ts';
import { type NameAnswer, nameServers } from './resolve-names.ts';
import { candidates, parseSearch } from './resolve-search.ts';
import type { Addresses, AddressFamily, Lookup, ResolvedAddress } from './address.ts';
import { stat } from 'node:fs/promises';
import { lookup as getAddressInfo } from 'node:dns/promises';

export interface Resolver {
  /**
   * The addresses of `host`: an IP literal (`[::1]` too), a name of the hosts file, a name of the DNS (with
   * resolv.conf's search list), or, when the DNS does not know it, a name of another NSS module such as mDNS.
   *
   * Rejects with a ProbeFault, or with the signal's reason when the caller calls it off: `failed` (dns) when
   * the name does not exist, has no address or its zone is broken; `unknown` (own_fault) when the name
   * servers of this host do not answer.
   */
  readonly resolve: (host: string, lookup: Lookup) => Promise<Addresses>;
}

export interface ResolverOptions {
  readonly clock: Clock;
  /** Name servers as `ip` or `ip:port` in place of resolv.conf's. */
  readonly servers?: readonly string[];
  readonly hostsFile?: string;
  /** Read for `search`, `domain` and `ndots`; its name servers are those c-ares finds by itself. */
  readonly resolvConf?: string;
}

const bothFamilies: readonly AddressFamily[] = [4, 6];

/** Takes what is left once: the files are read again when they change. */
export function createResolver(options: ResolverOptions): Resolver {
  const hosts = watchedText(options.hostsFile ?? '/etc/hosts', parseHosts);
  const search = watchedText(options.resolvConf ?? '/etc/resolv.conf', parseSearch);
  const askServers = nameServers(options.clock, options.servers);
  const askSystem = systemLookup(options.clock);

  const resolveName = async (name: string, lookup: Lookup & { families: readonly AddressFamily[] }) => {
    const wanted = ({ family }: ResolvedAddress) => lookup.families.includes(family);
    const known = ((await hosts()).get(name) ?? (isLocalhost(name) ? loopback : [])).filter(wanted);
    if (known.length > 0) return known;

    let answer: NameAnswer = { kind: 'no_such_name' };
    for (const candidate of candidates(name, await search())) {
      const next = await askServers(candidate, lookup);
      if (next.kind === 'found') return next.addresses;
      if (next.kind === 'no_answer') throw noAnswer(name, next.code);
      if (next.kind !== 'no_such_name') answer = next;
    }
    if (answer.kind === 'no_such_name') {
      const elsewhere = (await askSystem(name, lookup)).filter(wanted);
      if (elsewhere.length > 0) return elsewhere;
    }
    throw notFound(name, answer, lookup.families);
  };

  return {
    resolve: async (host, lookup) => {
      const families = lookup.families ?? bothFamilies;
      const bare = host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
      if (isIP(bare) !== 0) return literal(bare, families);
      const name = domainToASCII(bare).toLowerCase();
      if (name === '') throw failed(`"${printable(host)}" is not a host name`);
      lookup.signal.throwIfAborted();
      try {
        const { signal, remainingMs } = lookup;
        return await resolveName(name, { signal, remainingMs, families });
      } catch (error) {
        if (!isDeadline(error)) throw error;
        throw noAnswer(name, 'ETIMEOUT');
      }
    },
  };
}

const loopback: Addresses = [
  { address: '::1', family: 6 },
  { address: '127.0.0.1', family: 4 },
];

/** RFC 6761, section 6.3: these names never leave the host. */
const isLocalhost = (name: string) => /(^|\.)localhost\.?$/.test(name);

function literal(address: string, families: readonly AddressFamily[]): Addresses {
  const family = isIP(address) === 6 ? 6 : 4;
  if (!families.includes(family)) throw failed(`${address} is not an IPv${family === 6 ? 4 : 6} address`);
  return [{ address, family }];
}

const isDeadline = (error: unknown) =>
  error instanceof DeadlinePassed || (error instanceof DOMException && error.name === 'TimeoutError');

const failed = (message: string) => new ProbeFault({ outcome: 'failed', category: 'dns', message });

function noAnswer(name: string, code: string): ProbeFault {
  const message = `no name server answered for ${name} (${code})`;
  // c-ares has this one code for a server that refuses and for a host without a route to it.
  const isSilence = code === 'ETIMEOUT' || code === 'ECONNREFUSED';
  return new ProbeFault({
    ...unableFault(ownFaultKey('resolver'), message),
    ...(isSilence && { isSilence }),
  });
}

function notFound(name: string, answer: NameAnswer, families: readonly AddressFamily[]): ProbeFault {
  if (answer.kind === 'broken') return failed(`the name servers of ${name} are failing (${answer.code})`);
  if (answer.kind === 'bad_name') return failed(`"${printable(name)}" is not a host name`);
  if (answer.kind === 'no_address') {
    const [only] = families;
    return failed(`${name} has no ${families.length === 1 ? `IPv${String(only)} ` : ''}address`);
  }
  return failed(`${name} does not exist`);
}

/** A list of blocked names as `/etc/hosts` can have some megabytes. */
const maxTextBytes = 64 * 1024 * 1024;

/** Reads as the empty text when the file is not there. A passing failure to read keeps what was read last. */
function watchedText<T>(file: string, parse: (text: string) => T): () => Promise<T> {
  let stamp = '';
  let value = parse('');
  return async () => {
    try {
      const { mtimeMs, size, ino } = await stat(file);
      const seen = `${mtimeMs}:${size}:${ino}`;
      if (seen !== stamp) {
        value = parse((await readRegularFile(file, maxTextBytes)).toString('utf8'));
        stamp = seen;
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
        value = parse('');
        stamp = '';
      }
    }
    return value;
  };
}

/**
 * `getaddrinfo` cannot be cancelled and holds one of the four threads that the file system needs too, so at
 * most two are under way; a name whose answer does not come in time is taken as not known.
 */
const mostAtOnce = 2;
const patienceMs = 1500;

/** Never rejects: no address when the system does not know the name, or does not say so in time. */
function systemLookup(clock: Clock): (name: string, lookup: Lookup) => Promise<Addresses> {
  let running = 0;
  const waiting: (() => void)[] = [];

  const run = async (name: string): Promise<Addresses> => {
    running += 1;
    try {
      const found = await getAddressInfo(name, { all: true });
      return found.map(({ address, family }): ResolvedAddress => ({ address, family: family === 6 ? 6 : 4 }));
    } catch {
      return [];
    } finally {
      running -= 1;
      waiting.shift()?.();
    }
  };

  return (name, { signal }) =>
    new Promise((resolve) => {
      const settled = new AbortController();
      const settle = (found: Addresses) => {
        settled.abort();
        signal.removeEventListener('abort', giveUp);
        const place = waiting.indexOf(start);
        if (place !== -1) waiting.splice(place, 1);
        resolve(found);
      };
      const giveUp = () => {
        settle([]);
      };
      const start = () => {
        void run(name).then(settle);
      };
      signal.addEventListener('abort', giveUp, { once: true });
      clock.sleep(patienceMs, settled.signal).then(giveUp, () => undefined);
      if (running < mostAtOnce) start();
      else waiting.push(start);
    });
}
