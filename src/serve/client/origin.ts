/** Finds the origin under which a client reaches this server, for absolute links. */
import type { Request } from '../http-types.ts';
import { socketAddress } from './address.ts';
import { trustIn } from './client-ip.ts';

interface OriginRules {
  /** What the configuration says; null: it is derived from the request. */
  readonly baseUrl: string | null;
  /** Addresses and CIDR ranges. */
  readonly trustedProxies: readonly string[];
}

const host = /^(?:[A-Za-z0-9_.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/;

/**
 * Where a request reached this server, without a slash at its end: `https://status.example.org`. The scheme that a trusted
 * proxy names counts; a Host header that is no host leads to `localhost`.
 */
export function originOf({ baseUrl, trustedProxies }: OriginRules) {
  const isTrusted = trustIn(trustedProxies);
  return ({ headers, remoteAddress }: Pick<Request, 'headers' | 'remoteAddress'>): string => {
    if (baseUrl !== null) return baseUrl;
    const name = headers.host ?? '';
    const isProxied = isTrusted(socketAddress(remoteAddress));
    const scheme = isProxied && headers['x-forwarded-proto'] === 'https' ? 'https' : 'http';
    return `${scheme}://${host.test(name) ? name.toLowerCase() : 'localhost'}`;
  };
}
