/** Monitors and the context to probe them in. */
import type { Monitor } from '../../src/engine/config/config.ts';
import { monitorRows } from '../../src/engine/config/rows/monitors.ts';
import type { Rows } from '../../src/engine/config/row.ts';
import type { ProbeContext } from '../../src/engine/probes/probe-context.ts';
import { createResolver } from '../../src/engine/net/resolve.ts';
import { createTrust } from '../../src/engine/net/tls-trust.ts';
import { realClock } from './real-clock.ts';

/** One for all of a process: it takes 40 ms to read the authorities of Node.js. */
const trust = createTrust({ env: {}, bundles: [] });

/** A context on the real clock that masks nothing and has no plugins. */
export function probeContext(parts: Partial<ProbeContext> = {}): ProbeContext {
  const clock = parts.clock ?? realClock;
  return {
    clock,
    signal: new AbortController().signal,
    resolver: createResolver({ clock }),
    trust,
    nameServers: null,
    redact: (text) => text,
    execDir: null,
    searchPath: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    version: '0.0.0',
    ...parts,
  };
}

type MonitorOf<Kind extends Monitor['kind']> = Extract<Monitor, { readonly kind: Kind }>;

const inherited: Readonly<Record<string, unknown>> = {
  fail_threshold: 3,
  recover_threshold: 1,
  retention_days: 90,
  confirm_with_peers: false,
};

/** A monitor as the configuration gives it, with the defaults of its rows. Tests may use fractions of seconds. */
export function aMonitor<Kind extends Monitor['kind']>(
  kind: Kind,
  given: Partial<MonitorOf<Kind>>,
): MonitorOf<Kind> {
  const own: Record<string, unknown> = { id: 'tested', ...given };
  for (const [key, { fallback }] of Object.entries(monitorRows[kind] as Rows)) {
    if (key in own) continue;
    if (fallback.kind === 'required') throw new Error(`a ${kind} monitor needs ${key}`);
    if (fallback.kind === 'value') own[key] = fallback.value;
    if (fallback.kind === 'inherited') own[key] = inherited[key];
    if (fallback.kind === 'computed') own[key] = fallback.compute(own);
  }
  return own as unknown as MonitorOf<Kind>;
}
