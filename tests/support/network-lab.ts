/** Hosts with networks of their own that can be cut: network namespaces on one bridge. Needs root and iproute2. */
import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';

export interface NetworkLab {
  /** Of this process on the bridge. */
  readonly hub: string;
  /** Of a host. */
  readonly addressOf: (host: string) => string;
  /** One more address of this process, 100 to 199. */
  readonly extra: (last: number) => string;
  /** The command that runs another one on a host. */
  readonly within: (host: string) => readonly string[];
  /** From here on packets of the host to an address are lost without a sign, until it is healed. */
  readonly cut: (host: string, address: string) => void;
  readonly heal: (host: string, address: string) => void;
  /** Pulls the plug of a host, or puts it in again. */
  readonly unplug: (host: string) => void;
  readonly plug: (host: string) => void;
  readonly close: () => void;
}

/** Nobody has it. */
const nowhere = '02:00:00:00:de:ad';

/** Null: this machine does not allow it. */
export function openNetworkLab(hosts: readonly string[]): NetworkLab | null {
  const mark = randomInt(0x1000, 0x10000).toString(16);
  const bridge = `sd${mark}br`;
  let net = '';
  const indexOf = (host: string) => hosts.indexOf(host);
  const spaceOf = (host: string) => `statusd-${mark}-${indexOf(host)}`;
  const plugOf = (host: string) => `sd${mark}v${indexOf(host)}`;
  const addressOf = (host: string) => `${net}.${indexOf(host) + 2}`;
  const close = () => {
    for (const host of hosts) {
      attempt('link', 'del', plugOf(host));
      attempt('netns', 'del', spaceOf(host));
    }
    attempt('link', 'del', bridge);
  };
  try {
    ip('link', 'add', bridge, 'type', 'bridge');
    net = claimNet(bridge);
    ip('link', 'set', bridge, 'up');
    for (const host of hosts) {
      const space = spaceOf(host);
      ip('netns', 'add', space);
      ip('link', 'add', plugOf(host), 'type', 'veth', 'peer', 'name', 'eth0', 'netns', space);
      ip('link', 'set', plugOf(host), 'master', bridge, 'up');
      ip('-n', space, 'addr', 'add', `${addressOf(host)}/24`, 'dev', 'eth0');
      ip('-n', space, 'link', 'set', 'lo', 'up');
      ip('-n', space, 'link', 'set', 'eth0', 'up');
    }
  } catch {
    close();
    return null;
  }
  return {
    hub: `${net}.1`,
    addressOf,
    extra: (last) => {
      const address = `${net}.${last}`;
      ip('addr', 'add', `${address}/24`, 'dev', bridge);
      return address;
    },
    within: (host) => ['ip', 'netns', 'exec', spaceOf(host)],
    cut: (host, address) => {
      const neighbour = ['lladdr', nowhere, 'dev', 'eth0', 'nud', 'permanent'];
      ip('-n', spaceOf(host), 'neigh', 'replace', address, ...neighbour);
    },
    heal: (host, address) => {
      attempt('-n', spaceOf(host), 'neigh', 'del', address, 'dev', 'eth0');
    },
    unplug: (host) => {
      ip('link', 'set', plugOf(host), 'nomaster');
    },
    plug: (host) => {
      ip('link', 'set', plugOf(host), 'master', bridge);
    },
    close,
  };
}

/**
 * Gives the bridge the first address of a network that no other bridge of this machine has, and answers the network.
 * 198.18.0.0/15 is for benchmarks (RFC 2544): no real network has it, but another lab may.
 */
function claimNet(bridge: string): string {
  for (let tries = 0; tries < 50; tries += 1) {
    const net = `198.${18 + randomInt(2)}.${randomInt(256)}`;
    ip('addr', 'add', `${net}.1/24`, 'dev', bridge);
    const holders = ip('-o', '-4', 'addr', 'show', 'to', `${net}.0/24`).trim().split('\n');
    if (holders.length === 1) return net;
    ip('addr', 'del', `${net}.1/24`, 'dev', bridge);
  }
  throw new Error('no network is free');
}

function ip(...args: readonly string[]): string {
  return execFileSync('ip', args, { stdio: 'pipe', encoding: 'utf8' });
}

function attempt(...args: readonly string[]): void {
  try {
    ip(...args);
  } catch {
    // It is not there.
  }
}
