/** Names the host whose reachability the answer of a monitor proves. */
import type { MonitorKind } from './probe.ts';

/**
 * The host that a target is on, in lower case; null when the target is none of the network (exec, push) or cannot be
 * read. `a:1` and `a:2` are one host: what is between here and there is the same.
 */
export function hostOf(kind: MonitorKind, target: string): string | null {
  switch (kind) {
    case 'http':
      return hostOfUrl(target);
    case 'tcp':
      return bare(target.replace(/:\d+$/, ''));
    case 'icmp':
    case 'dns':
      return bare(target);
    case 'push':
    case 'exec':
      return null;
  }
}

/** Whether a host is this machine, which answers with or without a network. */
export function isLoopback(host: string): boolean {
  return (
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    host === '::1' ||
    /^127(?:\.\d{1,3}){3}$/.test(host) ||
    host.startsWith('::ffff:127.')
  );
}

/** Whether a host has a say in whether there is a network: this machine has not, unless nothing else is watched. */
export function isReferenceHost(host: string, isAnyRemote: boolean): boolean {
  return !isAnyRemote || !isLoopback(host);
}

/** By pattern and not with URL, which is not there without Node. The last @ ends what may hold a password. */
function hostOfUrl(target: string): string | null {
  const authority = /^[a-z][a-z0-9+.-]*:\/\/([^/?#\\]*)/i.exec(target)?.[1];
  if (authority === undefined) return null;
  return bare(authority.slice(authority.lastIndexOf('@') + 1).replace(/:\d*$/, ''));
}

function bare(host: string): string | null {
  const name = host
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();
  return name === '' ? null : name;
}
