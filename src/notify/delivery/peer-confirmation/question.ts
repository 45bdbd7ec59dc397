/** Decides which outages the peers are to be asked about before they are told. */
import type { Monitor, Peer } from '../../../engine/config/config.ts';
import type { PeerQuestion } from '../../../engine/peers/client/clients.ts';
import type { DeliveryContext } from '../context.ts';
import type { Ready } from '../plan.ts';

/** An outage, and what its monitor asks of its target. */
export interface QuestionSubject {
  readonly incident: string;
  readonly monitor: string;
  readonly question: PeerQuestion;
}

/** Those a question can be sent to. */
export function askedPeers({ settings }: DeliveryContext): readonly Peer[] {
  return settings.config.peers.filter(({ ping_url }) => ping_url !== null);
}

/** What the peers have to be asked before these deliveries go out; each outage once, those asked before never again. */
export function subjectsOf(
  deliveries: readonly Ready[],
  context: DeliveryContext,
): readonly QuestionSubject[] {
  if (askedPeers(context).length === 0) return [];
  const subjects = new Map<string, QuestionSubject>();
  for (const { row, event } of deliveries) {
    if (event !== 'down' || row.monitor === null || row.incident === null) continue;
    const monitor = context.settings.monitors.get(row.monitor);
    const target = monitor === undefined ? null : targetOf(monitor);
    if (monitor?.confirm_with_peers !== true || target === null || subjects.has(row.incident)) continue;
    const incident = context.incident(row.incident);
    if (incident === null || incident.vantage !== null) continue;
    const { id, kind } = monitor;
    const from = context.settings.config.health.id;
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
