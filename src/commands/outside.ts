/** The real clock, name servers, certificates and plugins that probes use. */
import { setMaxListeners } from 'node:events';
import type { Config } from '../engine/config/config.ts';
import type { LoadedConfig } from '../engine/config/load.ts';
import type { ProbeContext } from '../engine/probes/probe-context.ts';
import { createResolver } from '../engine/net/resolve.ts';
import { createTrust } from '../engine/net/tls-trust.ts';
import type { Context } from './context.ts';
import { version } from './version.ts';

/** What all probes of a process share; the rest belongs to each one, since a reload may change it. */
export type ProbeTools = Omit<ProbeContext, 'signal' | 'redact' | 'execDir'>;

export function probeTools({ clock, env }: Pick<Context, 'clock' | 'env'>): ProbeTools {
  return {
    clock,
    resolver: createResolver({ clock }),
    trust: createTrust({ env }),
    nameServers: null,
    version: version(),
    searchPath: env['PATH'] ?? '',
  };
}

/** What the probes of a short command are given: an interrupt calls them off. */
export function environmentOf(
  context: Pick<Context, 'clock' | 'env' | 'interrupt'>,
  { redact, config }: Pick<LoadedConfig, 'redact'> & { readonly config: Pick<Config, 'probes'> },
): ProbeContext {
  const { interrupt: signal } = context;
  // Every probe in flight listens to the interrupt; Node takes more than ten listeners for a leak.
  setMaxListeners(0, signal);
  return { ...probeTools(context), signal, redact, execDir: config.probes.exec_dir };
}
