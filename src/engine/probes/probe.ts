/** Hands a monitor to the probe of its kind. */
import type { Monitor, PushMonitor } from '../config/config.ts';
import type { ProbeResult } from '../core/probe.ts';
import type { ProbeContext } from './probe-context.ts';

/** A monitor that is probed; a push monitor receives heartbeats. */
export type ProbedMonitor = Exclude<Monitor, PushMonitor>;

/** Each kind is loaded when it is first needed: a tcp probe has no use for an HTTP client. */
const load = {
  http: () => import('./http/probe.ts'),
  tcp: () => import('./tcp.ts'),
  icmp: () => import('./icmp.ts'),
  dns: () => import('./dns.ts'),
  exec: () => import('./exec.ts'),
} as const;

/** Every kind there is a probe for. */
export const probeKinds = Object.keys(load) as readonly ProbedMonitor['kind'][];

/**
 * Loads the probes of `kinds` beforehand, with all that an answer may call for. A process that lives long needs it:
 * what Node once failed to load, for want of a file descriptor, fails to load until the process ends.
 */
export async function loadProbes(kinds: Iterable<ProbedMonitor['kind']>): Promise<void> {
  const wanted = new Set(kinds);
  await prepareProbes(wanted);
  if (wanted.has('http')) await (await import('../net/http/client.ts')).loadHttpClient();
}

/** The same for a process that is over soon: without what only a few answers call for. */
export async function prepareProbes(kinds: Iterable<ProbedMonitor['kind']>): Promise<void> {
  await Promise.all([...new Set(kinds)].map((kind) => load[kind]()));
}

/** What is loaded: asking for a module again takes longer than much of a probe. */
let http: Awaited<ReturnType<typeof load.http>> | null = null;

/** One attempt. */
export async function probeMonitor(monitor: ProbedMonitor, ctx: ProbeContext): Promise<ProbeResult> {
  switch (monitor.kind) {
    case 'http':
      if (http !== null) return http.probeHttp(monitor, ctx);
      return (http = await load.http()).probeHttp(monitor, ctx);
    case 'tcp':
      return (await load.tcp()).probeTcp(monitor, ctx);
    case 'icmp':
      return (await load.icmp()).probeIcmp(monitor, ctx);
    case 'dns':
      return (await load.dns()).probeDns(monitor, ctx);
    case 'exec':
      return (await load.exec()).probeExec(monitor, ctx);
  }
}
