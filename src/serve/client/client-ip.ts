/** Finds out which address a request comes from, behind any number of proxies that are trusted. */
import type { IncomingHttpHeaders } from 'node:http';
import { BlockList, isIPv4 } from 'node:net';
import { plainAddress, socketAddress } from './address.ts';

export interface ProxyRules {
  /** Addresses and CIDR ranges. */
  readonly trustedProxies: readonly string[];
  /** The header that replaces X-Forwarded-For and X-Real-IP; null: none does. */
  readonly header: string | null;
}

/** More hops than this are nobody's network. */
const maxHops = 32;

/**
 * The right-most address that is no trusted proxy. Each proxy appends who connected to it, so everything to the left
 * of that address is only what that client claims.
 */
export function clientIpOf({ trustedProxies, header }: ProxyRules) {
  const isTrusted = trustIn(trustedProxies);
  return (remoteAddress: string, headers: IncomingHttpHeaders): string => {
    let client = socketAddress(remoteAddress);
    if (!isTrusted(client)) return client;
    for (const hop of hopsOf(headers, header).reverse()) {
      const address = plainAddress(hop);
      if (address === null) return client;
      client = address;
      if (!isTrusted(client)) return client;
    }
    return client;
  };
}

function hopsOf(headers: IncomingHttpHeaders, header: string | null): string[] {
  const value =
    header === null
      ? (headers['x-forwarded-for'] ?? headers['x-real-ip'] ?? '')
      : (headers[header.toLowerCase()] ?? '');
  if (value === '') return [];
  const line = Array.isArray(value) ? value.join(',') : value;
  return line
    .split(',')
    .slice(-maxHops)
    .map((hop) => hop.trim())
    .filter((hop) => hop !== '');
}

/** Of so many addresses the answer is remembered: a look at the list costs more than all else about them. */
const maxRemembered = 4096;

/** Whether an address (as `plainAddress` writes it) lies in one of the ranges. */
export function trustIn(ranges: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    const family = isIPv4(address) ? 'ipv4' : 'ipv6';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  const known = new Map<string, boolean>();
  return (address) => {
    const answer = known.get(address);
    if (answer !== undefined) return answer;
    const isIn = list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
    if (known.size >= maxRemembered) known.clear();
    known.set(address, isIn);
    return isIn;
  };
}
