/** Finds out where clients reach this server, for links that must be whole. */
import type { Request } from '../http-types.ts';
import { plainAddress } from './address.ts';
import { trustIn } from './client-ip.ts';

export interface OriginRules {
  /** What the configuration says; null: it is derived from the request. */
  readonly baseUrl: string | null;
  /** Addresses and CIDR ranges. */
  readonly trustedProxies: readonly string[];
}

const host = /^(?:[A-Za-z0-9_.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/;

/** Without a slash at its end: `https://status.example.org`. A Host header that is none leads to `localhost`. */
export function originOf({ baseUrl, trustedProxies }: OriginRules) {
  const isTrusted = trustIn(trustedProxies);
  return ({ headers, remoteAddress }: Pick<Request, 'headers' | 'remoteAddress'>): string => {
    if (baseUrl !== null) return baseUrl;
    const name = headers.host ?? '';
    const isProxied = isTrusted(plainAddress(remoteAddress) ?? '0.0.0.0');
    const scheme = isProxied && headers['x-forwarded-proto'] === 'https' ? 'https' : 'http';
    return `${scheme}://${host.test(name) ? name.toLowerCase() : 'localhost'}`;
  };
}

/** What stands before every path of the site: empty, or a path without a slash at its end. */
export function basePathOf(baseUrl: string | null): string {
  return baseUrl === null ? '' : new URL(baseUrl).pathname.replace(/\/+$/, '');
}
