/** Records of the DNS in the words of a zone file, written one way only so that they can be compared. */
import type { promises } from 'node:dns';
import { isIPv6 } from 'node:net';
import type { DnsMonitor } from '../config/config.ts';

export type RecordType = DnsMonitor['dns_record'];

/**
 * Asks for the records of `name`, each as one line: `192.0.2.1`, `10 mail.example.com`,
 * `0 5 5060 sip.example.com`, `0 issue ca.example`, a TXT record with its strings joined (RFC 7208,
 * section 3.3). Rejects with the resolver's error; an answer without any, as an alias whose name has none, is ENODATA.
 */
export async function askRecords(
  resolver: promises.Resolver,
  name: string,
  type: RecordType,
): Promise<readonly string[]> {
  const records = await recordsOf(resolver, name, type);
  if (records.length > 0) return records;
  throw Object.assign(new Error(`no ${type} records`), { code: 'ENODATA' });
}

async function recordsOf(
  resolver: promises.Resolver,
  name: string,
  type: RecordType,
): Promise<readonly string[]> {
  switch (type) {
    case 'A':
      return resolver.resolve4(name);
    case 'AAAA':
      return resolver.resolve6(name);
    case 'CNAME':
      return resolver.resolveCname(name);
    case 'NS':
      return resolver.resolveNs(name);
    case 'PTR':
      return resolver.resolvePtr(name);
    case 'MX':
      return (await resolver.resolveMx(name)).map(
        ({ priority, exchange }) => `${priority} ${exchange || '.'}`,
      );
    case 'SRV':
      return (await resolver.resolveSrv(name)).map(
        ({ priority, weight, port, name: host }) => `${priority} ${weight} ${port} ${host || '.'}`,
      );
    case 'TXT':
      return (await resolver.resolveTxt(name)).map((strings) => asText(strings.join('')));
    case 'CAA':
      return (await resolver.resolveCaa(name)).flatMap(({ critical, ...properties }) =>
        Object.entries(properties)
          // Since Node 24 they say of what type they are.
          .filter(([tag, value]) => tag !== 'type' || value !== 'CAA')
          .map(([tag, value]) => `${critical} ${tag} ${value}`),
      );
    case 'SOA': {
      const soa = await resolver.resolveSoa(name).catch((error: unknown) => orAlias(error, resolver, name));
      if (soa === null) return [];
      const { nsname, hostmaster, serial, refresh, retry, expire, minttl } = soa;
      return [`${nsname} ${hostmaster} ${serial} ${refresh} ${retry} ${expire} ${minttl}`];
    }
  }
}

/** Node takes an alias without a SOA record for nonsense: null when `name` is one. */
async function orAlias(error: unknown, resolver: promises.Resolver, name: string): Promise<null> {
  if ((error as NodeJS.ErrnoException).code !== 'EBADRESP') throw error;
  await resolver.resolveCname(name).catch(() => {
    throw error;
  });
  return null;
}

/** `written` so that two ways to write one record are equal: names regardless of case and final dot. */
function canonical(type: RecordType, written: string): string {
  const words = written.trim().split(/\s+/);
  switch (type) {
    case 'A':
      return written.trim();
    case 'AAAA':
      return isIPv6(written.trim()) ? new URL(`http://[${written.trim()}]`).hostname : written.trim();
    case 'TXT':
      return unquoted(written);
    case 'CAA': {
      const [flags = '', tag = '', ...value] = words;
      return [flags, tag.toLowerCase(), unquoted(value.join(' '))].join(' ');
    }
    case 'CNAME':
    case 'MX':
    case 'NS':
    case 'PTR':
    case 'SOA':
    case 'SRV':
      return words.map(plainWord).join(' ');
  }
}

/** Whether two sets of records are equal, in any order and however often one is listed. */
export function areSame(type: RecordType, one: readonly string[], other: readonly string[]): boolean {
  const sets = [one, other].map((records) =>
    [...new Set(records.map((record) => canonical(type, record)))].sort(),
  );
  return JSON.stringify(sets[0]) === JSON.stringify(sets[1]);
}

/** The name under which the DNS keeps the name of an IPv4 address (RFC 1035, section 3.5). */
export function reverseName(address: string): string {
  return `${address.split('.').reverse().join('.')}.in-addr.arpa`;
}

const plainWord = (word: string) => {
  const name = word.toLowerCase().replace(/(?<=.)\.$/, '');
  return /^\d+$/.test(name) ? String(BigInt(name)) : name;
};

/** Zone files and `dig` put texts in quotes. */
const unquoted = (text: string) => /^"(.*)"$/s.exec(text)?.[1] ?? text;

/** Node gives the bytes of a TXT record as characters; what is UTF-8 is meant as such. */
function asText(bytes: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(bytes, 'latin1'));
  } catch {
    return bytes;
  }
}
