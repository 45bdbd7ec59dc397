/** What the daemon reaches the outside with: the real network, clock and plugins. */
import { setMaxListeners } from 'node:events';
import type { Redact } from '../../engine/config/redact.ts';
import type { CheckResult } from '../../engine/core/probe.ts';
import { check } from '../../engine/probes/check.ts';
import { createDomainProbe, type DomainExpiry } from '../../engine/probes/domain.ts';
import type { PeerClients } from '../../engine/peers/client/clients.ts';
import { createPeerClients } from '../../engine/peers/client/create-clients.ts';
import { loadProbes, type ProbedMonitor } from '../../engine/probes/probe.ts';
import type { ProbeContext } from '../../engine/probes/probe-context.ts';
import { createDeliver, type Deliver } from '../../notify/channels/deliver.ts';
import type { Context } from '../context.ts';
import { probeTools } from '../outside.ts';

interface How {
  readonly signal: AbortSignal;
  readonly redact: Redact;
}

export interface ProbeEnvironment {
  readonly check: (monitor: ProbedMonitor, how: How) => Promise<CheckResult>;
  readonly lookUpDomain: (domain: string, how: How) => Promise<DomainExpiry>;
  readonly peerClients: PeerClients;
  /** Takes a message to a channel, with the secrets of the configuration of that moment masked. */
  readonly deliver: Deliver;
}

/** Loads every kind of probe first: a later reload may bring one in when no file can be opened any more. */
export async function openProbeEnvironment(
  context: Pick<Context, 'clock' | 'env'>,
  redact: Redact,
): Promise<ProbeEnvironment> {
  await loadProbes(['http', 'tcp', 'icmp', 'dns', 'exec']);
  const tools = probeTools(context);
  const askRegistry = createDomainProbe();
  const contextOf = ({ signal, redact }: How): ProbeContext => {
    // Many probes may listen to one signal; Node takes more than ten listeners for a leak.
    setMaxListeners(0, signal);
    return { ...tools, signal, redact };
  };
  return {
    check: (monitor, how) => check(monitor, contextOf(how)),
    lookUpDomain: (domain, how) => askRegistry(domain, contextOf(how)),
    peerClients: createPeerClients(tools),
    deliver: createDeliver({ ...tools, redact }),
  };
}
