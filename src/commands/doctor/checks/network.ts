/** Checks the routes of this host and its name servers. */
import { createSocket } from 'node:dgram';
import { networkInterfaces } from 'node:os';
import { type DoctorCheck, type DoctorFinding, type Examined, fail, ok, warn } from '../finding.ts';
import { ProbeFault } from '../../../engine/net/faults.ts';
import { isIP } from 'node:net';
import type { Monitor } from '../../../engine/config/config.ts';
import { parseHostPort } from '../../../engine/config/types/address.ts';

export const networkCheck: DoctorCheck = { name: 'network', patienceMs: 10_000, run: lookAtRoutes };

type Family = 'IPv4' | 'IPv6';

/** Name servers of the root zone, whose addresses do not change. Nothing is sent to them. */
const farAway = { IPv4: ['udp4', '198.41.0.4'], IPv6: ['udp6', '2001:503:ba3e::2:30'] } as const;

async function lookAtRoutes({ config }: Examined): Promise<readonly DoctorFinding[]> {
  const [hasV4, hasV6] = await Promise.all([hasRoute('IPv4'), hasRoute('IPv6')]);
  if (hasV4 && hasV6) return [ok('there are routes over IPv4 and IPv6')];
  if (!hasV4 && !hasV6) return [withoutRoute(config)];
  const [has, lacks]: [Family, Family] = hasV4 ? ['IPv4', 'IPv6'] : ['IPv6', 'IPv4'];
  const both = config.monitors
    .filter((monitor) => 'dual_stack' in monitor && monitor.dual_stack)
    .map(({ id }) => id);
  if (both.length === 0)
    return [ok(`there is a route over ${has} and none over ${lacks}, which no monitor requires`)];
  return [
    fail(
      `there is no route over ${lacks}, which ${both.slice(0, 5).join(', ')} need (dual_stack)`,
      `Give this host an ${lacks} address and a default route, or remove dual_stack.`,
    ),
  ];
}

function withoutRoute({ monitors, channels }: Examined['config']): DoctorFinding {
  const isAtHome = channels.length === 0 && hostsOf(monitors).every(isLoopback);
  if (isAtHome) return ok('there is no route to other hosts, and no monitor needs one');
  const isAlone = Object.values(networkInterfaces())
    .flat()
    .every((address) => address === undefined || address.internal);
  if (isAlone) return fail('this host has no network except loopback', 'Connect it to a network.');
  return warn('there is no default route: only hosts of its own networks can be reached', 'Add one.');
}

/** Connecting a UDP socket sends nothing: the kernel only looks for a route and an address to send from. */
function hasRoute(family: Family): Promise<boolean> {
  const [type, address] = farAway[family];
  return new Promise((resolve) => {
    const socket = createSocket(type);
    const settle = (isThere: boolean) => {
      socket.close();
      resolve(isThere);
    };
    socket.once('error', () => {
      settle(false);
    });
    socket.once('connect', () => {
      settle(true);
    });
    socket.connect(53, address);
  });
}

/** Looks whether the name servers answer, for hosts of the configuration. */
export const namesCheck: DoctorCheck = { name: 'names', patienceMs: 15_000, run: lookAtNames };

/** How many hosts are looked up. */
const most = 5;
const lookupMs = 8000;

interface LookupAnswer {
  readonly name: string;
  readonly kind: 'found' | 'unknown_name' | 'no_answer';
  /** The addresses, or what is wrong. */
  readonly said: string;
}

async function lookAtNames({ config, ctx }: Examined): Promise<readonly DoctorFinding[]> {
  const names = hostsOf(config.monitors).filter(isName).slice(0, most);
  if (names.length === 0) return [ok('no monitor has a name to look up')];
  const answers = await Promise.all(names.map((name) => lookUp(name, ctx)));
  const found = answers.find(({ kind }) => kind === 'found');
  const unheard = answers.filter(({ kind }) => kind === 'no_answer');
  const strange = answers.filter(({ kind }) => kind === 'unknown_name');
  const cure = 'See /etc/resolv.conf, and whether this host reaches the servers it names.';
  return [
    ...(found === undefined ? [] : [ok(`${found.name} is ${found.said}`)]),
    ...unheard.map(({ said }) => (found === undefined ? fail(said, cure) : warn(said, cure))),
    ...strange.map(({ said }) => warn(said, 'Correct the target, or add the name.')),
  ];
}

async function lookUp(name: string, { resolver, signal, clock }: Examined['ctx']): Promise<LookupAnswer> {
  const endsAt = clock.monotonic() + lookupMs;
  try {
    const addresses = await resolver.resolve(name, {
      signal,
      remainingMs: () => endsAt - clock.monotonic(),
    });
    return { name, kind: 'found', said: addresses.map(({ address }) => address).join(', ') };
  } catch (error) {
    if (!(error instanceof ProbeFault)) throw error;
    const { outcome, message } = error.fault;
    return { name, kind: outcome === 'failed' ? 'unknown_name' : 'no_answer', said: message };
  }
}

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
function hostsOf(monitors: readonly Monitor[]): readonly string[] {
  return [...new Set(monitors.flatMap((monitor) => hostOf(monitor) ?? []))];
}

function isLoopback(host: string): boolean {
  return /^127\./.test(host) || host === '::1' || /(^|\.)localhost\.?$/i.test(host);
}

/** Whether it has to be looked up. */
function isName(host: string): boolean {
  return isIP(host) === 0 && !isLoopback(host);
}

/** The host of a name server that is given by name. */
function namedHost(server: string): string | null {
  const host = parseHostPort(server)?.host ?? null;
  return host === null || isIP(host) !== 0 ? null : host;
}

function bare(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1');
}
