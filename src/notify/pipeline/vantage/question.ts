/** Decides which outages the peers are to be asked about before they are told. */
import type { Monitor, Peer } from '../../../engine/config/config.ts';
import type { Question } from '../../../engine/probes/peer/clients.ts';
import type { Facts } from '../facts.ts';
import type { Ready } from '../plan.ts';

/** An outage, and what its monitor asks of its target. */
export interface Subject {
  readonly incident: string;
  readonly monitor: string;
  readonly question: Question;
}

/** Those a question can be sent to. */
export function askedPeers({ setting }: Facts): readonly Peer[] {
  return setting.config.peers.filter(({ ping_url }) => ping_url !== null);
}

/** What the peers have to be asked before these deliveries go out; each outage once, those asked before never again. */
export function subjectsOf(deliveries: readonly Ready[], facts: Facts): readonly Subject[] {
  if (askedPeers(facts).length === 0) return [];
  const subjects = new Map<string, Subject>();
  for (const { row, event } of deliveries) {
    if (event !== 'down' || row.monitor === null || row.incident === null) continue;
    const monitor = facts.setting.monitors.get(row.monitor);
    const target = monitor === undefined ? null : targetOf(monitor);
    if (monitor?.confirm_with_peers !== true || target === null || subjects.has(row.incident)) continue;
    const incident = facts.incident(row.incident);
    if (incident === null || incident.vantage !== null) continue;
    const { id, kind } = monitor;
    const from = facts.setting.config.health.id;
    subjects.set(row.incident, {
      incident: row.incident,
      monitor: id,
      question: { from, id, kind, target },
    });
  }
  return [...subjects.values()];
}

function targetOf(monitor: Monitor): string | null {
  return monitor.kind === 'push' || monitor.kind === 'exec' ? null : monitor.target;
}
