/** Knows which addresses are those of this machine. */
import { getServers } from 'node:dns';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { parseHostPort } from '../config/types/address.ts';
import type { Clock } from '../core/clock.ts';
import { isLoopback } from '../core/hosts.ts';

/** Addresses come and go with interfaces, but not between two checks of a storm. */
const freshMs = 10_000;

let known: { readonly addresses: ReadonlySet<string>; readonly atMs: number } | null = null;

/** Whether an IP address reaches this machine itself, without any network. Null, nothing was reached: no. */
export function isOwnAddress(address: string | null, clock: Pick<Clock, 'monotonic'>): boolean {
  if (address === null) return false;
  if (isLoopback(address)) return true;
  const nowMs = clock.monotonic();
  if (known === null || Math.abs(nowMs - known.atMs) > freshMs) known = { addresses: list(), atMs: nowMs };
  return known.addresses.has(address);
}

/** Whether all of these name servers (`ip` or `ip:port`; null: those of this host) are this machine itself. */
export function isOwnServer(servers: readonly string[] | null, clock: Pick<Clock, 'monotonic'>): boolean {
  return (servers ?? getServers()).every((server) => {
    const address = isIP(server) === 0 ? (parseHostPort(server)?.host ?? null) : server;
    return isOwnAddress(address, clock);
  });
}

function list(): Set<string> {
  try {
    return new Set(
      Object.values(networkInterfaces())
        .flatMap((each) => each ?? [])
        .map((each) => each.address),
    );
  } catch {
    // Without a descriptor left the system does not say.
    return new Set();
  }
}
