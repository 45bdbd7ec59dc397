/** The hosts file (hosts(5)) as a table from name to addresses. */
import { isIP } from 'node:net';
import type { Addresses } from './address.ts';
import type { ResolvedAddress } from './address.ts';

export function parseHosts(text: string): ReadonlyMap<string, Addresses> {
  const table = new Map<string, ResolvedAddress[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    // Node takes 4 ms to get ready for its first text that is no IPv4 address.
    if (names.length === 0) continue;
    const family = isIP(address);
    if (family !== 4 && family !== 6) continue;
    for (const name of names) {
      const key = name.toLowerCase();
      const known = table.get(key) ?? [];
      if (!known.some((entry) => entry.address === address)) known.push({ address, family });
      table.set(key, known);
    }
  }
  return table;
}
