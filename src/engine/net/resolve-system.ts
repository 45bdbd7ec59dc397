/** The last look for a name: the system's own `getaddrinfo`, which knows mDNS, WINS or a cloud's NSS module. */
import { lookup as getAddressInfo } from 'node:dns/promises';
import type { Clock } from '../core/clock.ts';
import type { Lookup } from './address.ts';
import type { Addresses } from './address.ts';
import type { ResolvedAddress } from './address.ts';

/**
 * `getaddrinfo` cannot be cancelled and holds one of the four threads that the file system needs too, so at
 * most two are under way; a name whose answer does not come in time is taken as not known.
 */
const mostAtOnce = 2;
const patienceMs = 1500;

/** Never rejects: no address when the system does not know the name, or does not say so in time. */
export function systemLookup(clock: Clock): (name: string, lookup: Lookup) => Promise<Addresses> {
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
