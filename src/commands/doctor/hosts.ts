/** Lists the hosts that monitors talk to. */
import { isIP } from 'node:net';
import type { Monitor } from '../../engine/config/config.ts';
import { parseHostPort } from '../../engine/config/types/address.ts';

/** The host of a monitor, without brackets; null for one that talks to nobody by itself. */
function hostOf(monitor: Monitor): string | null {
  switch (monitor.kind) {
    case 'http':
      return bare(new URL(monitor.target).hostname);
    case 'tcp':
      return parseHostPort(monitor.target)?.host ?? null;
    case 'icmp':
      return bare(monitor.target);
    case 'dns':
      if (monitor.dns_resolver === null) return monitor.target;
      return namedHost(monitor.dns_resolver);
    case 'push':
    case 'exec':
      return null;
  }
}

/** Every host once, in the order of the monitors. */
export function hostsOf(monitors: readonly Monitor[]): readonly string[] {
  return [...new Set(monitors.flatMap((monitor) => hostOf(monitor) ?? []))];
}

export function isLoopback(host: string): boolean {
  return /^127\./.test(host) || host === '::1' || /(^|\.)localhost\.?$/i.test(host);
}

/** Whether it has to be looked up. */
export function isName(host: string): boolean {
  return isIP(host) === 0 && !isLoopback(host);
}

/** The host of a name server that goes by a name. */
function namedHost(server: string): string | null {
  const host = parseHostPort(server)?.host ?? null;
  return host === null || isIP(host) !== 0 ? null : host;
}

function bare(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1');
}
