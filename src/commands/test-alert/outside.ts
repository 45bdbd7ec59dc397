/** What a short command reaches the outside with: the real clock, name servers and certificates. */
import { createResolver } from '../../engine/probes/resolve.ts';
import type { ProbeContext } from '../../engine/probes/probe-context.ts';
import { createTrust } from '../../engine/probes/tls-trust.ts';
import type { Context } from '../context.ts';
import { version } from '../version.ts';

export function outsideOf(
  { clock, env, interrupt }: Pick<Context, 'clock' | 'env' | 'interrupt'>,
  redact: (text: string) => string,
): ProbeContext {
  return {
    clock,
    signal: interrupt,
    resolver: createResolver({ clock }),
    trust: createTrust(),
    nameServers: null,
    version: version(),
    redact,
    execDir: env['STATUSD_EXEC_DIR'] || null,
    searchPath: env['PATH'] ?? '',
  };
}
