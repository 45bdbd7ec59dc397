/** What the result of a node counts as, and the results of checks that no node could make. */
import { ownFaultKey, readOwnFault } from '../core/own-fault.ts';
import { brokenResult, type ProbeResult, type Reason } from '../core/probe.ts';
import { inWords } from '../core/words.ts';
import { evidenceOf } from '../monitoring/network/evidence.ts';
import type { ProbedMonitor } from '../probes/probe.ts';
import type { Finding } from './next-step.ts';

export function findingOf(result: ProbeResult, monitor: ProbedMonitor): Finding {
  switch (result.outcome) {
    case 'healthy':
    case 'degraded':
      return 'healthy';
    case 'unknown':
      return 'own_fault';
    case 'failed': {
      const isProxied = monitor.kind === 'http' && monitor.proxy !== null;
      return evidenceOf(result, { isProxied }) === 'failed' ? 'silence' : 'bad_answer';
    }
  }
}

/** With the node that saw it behind what is wrong. */
export function signed(result: ProbeResult, nodes: string): ProbeResult {
  const { reason } = result;
  if (reason === null || nodes === '') return result;
  return { ...result, reason: { ...reason, message: `${reason.message}, seen from ${nodes}` } };
}

/** Another node could not ask: the fault is that of its host, not of this one, unless a plugin said so that runs anywhere. */
export function notHere(result: ProbeResult, node: string): ProbeResult {
  const { reason } = result;
  const { ownFault } = reason ?? {};
  if (reason === null || ownFault === undefined) return result;
  if (readOwnFault(ownFault).kind === 'plugin_unknown') return result;
  return { ...result, reason: { ...reason, ownFault: ownFaultKey('node_fault', node) } };
}

/** These nodes met silence everywhere, and others did not. */
export function isolatedResult({ name }: ProbedMonitor, nodes: readonly string[]): ProbeResult {
  const named = inWords(nodes);
  return unknownResult({
    category: 'own_fault',
    message: `${name} is silent for ${named}, and so are all other targets checked there`,
    ownFault: ownFaultKey('node_network', named),
  });
}

/** No node may check it at the moment. */
export function absentResult({ nodes }: ProbedMonitor): ProbeResult {
  const named = inWords(nodes);
  return unknownResult({
    category: 'own_fault',
    message:
      nodes.length === 0 ? 'no node can check it' : `no node of those that may check it is there: ${named}`,
    ownFault: ownFaultKey('node_absent', named === '' ? null : named),
  });
}

function unknownResult(reason: Reason): ProbeResult {
  return { ...brokenResult, reason };
}
