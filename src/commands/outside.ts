/** The real clock, name servers, certificates and plugins that probes use. */
import { setMaxListeners } from 'node:events';
import type { ProbeContext } from '../engine/probes/probe-context.ts';
import { createResolver } from '../engine/net/resolve.ts';
import { createTrust } from '../engine/net/tls-trust.ts';
import type { Context } from './context.ts';
import { version } from './version.ts';

/** What all probes of a process share; `signal` and `redact` belong to each one. */
export type ProbeTools = Omit<ProbeContext, 'signal' | 'redact'>;

export function probeTools({ clock, env }: Pick<Context, 'clock' | 'env'>): ProbeTools {
  return {
    clock,
    resolver: createResolver({ clock }),
    trust: createTrust({ env }),
    nameServers: null,
    version: version(),
    execDir: env['STATUSD_EXEC_DIR'] || null,
    searchPath: env['PATH'] ?? '',
  };
}

/** What the probes of a short command are given: an interrupt calls them off. */
export function environmentOf(
  context: Pick<Context, 'clock' | 'env' | 'interrupt'>,
  redact: ProbeContext['redact'],
): ProbeContext {
  const { interrupt: signal } = context;
  // Every probe in flight listens to the interrupt; Node takes more than ten listeners for a leak.
  setMaxListeners(0, signal);
  return { ...probeTools(context), signal, redact };
}
