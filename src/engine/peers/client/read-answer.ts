/** Reads what a peer answered, which may be anything. */
import { type Status, statuses } from '../../core/status.ts';
import { printable } from '../../net/faults.ts';
import type { VerdictAnswer, PeerHealthAnswer, ReportedPeer } from './clients.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What was told, its reach aside; null when it is not what a node answers. */
export type HealthBody = Pick<PeerHealthAnswer & { readonly kind: 'answered' }, 'id' | 'peers'>;
export type VerdictBody = Pick<
  VerdictAnswer & { readonly kind: 'answered' },
  'isUp' | 'status' | 'latencyMs' | 'error'
>;

/** More peers than anybody has. */
const mostPeers = 1000;
const idPattern = /^[A-Za-z0-9_-]{1,128}$/;
const maxError = 500;

/** The body of /healthz. */
export function readHealthBody(body: string | null): HealthBody | null {
  const fields = fieldsOf(parse(body));
  if (fields === null || !('scheduler_ok' in fields)) return null;
  const seen = Object.entries(fieldsOf(fields['peers']) ?? {}).slice(0, mostPeers);
  const { id } = fields;
  return {
    id: typeof id === 'string' && idPattern.test(id) ? id : null,
    peers: new Map(
      seen.flatMap(([peer, said]) => {
        const reportedPeer = idPattern.test(peer) ? readWitnessed(said) : null;
        return reportedPeer === null ? [] : [[peer, reportedPeer] as const];
      }),
    ),
  };
}

/** The body of /api/peer/probe. */
export function readVerdictBody(body: string | null): VerdictBody | null {
  const fields = fieldsOf(parse(body));
  if (fields === null || typeof fields['up'] !== 'boolean') return null;
  const { up: isUp, latency_ms: latencyMs, error } = fields;
  return {
    isUp,
    status: readStatus(fields['status'], isUp),
    latencyMs: isCount(latencyMs) ? Math.round(latencyMs) : null,
    error: typeof error === 'string' && error !== '' ? printable(error, maxError) : null,
  };
}

function readWitnessed(said: unknown): ReportedPeer | null {
  const fields = fieldsOf(said);
  if (fields === null || typeof fields['state'] !== 'string') return null;
  const { state, age } = fields;
  return { state: printable(state, 40), ageSecs: isCount(age) ? age : null };
}

/** What contradicts itself says nothing. */
function readStatus(word: unknown, isUp: boolean): Status {
  const status = statuses.find((each) => each === word) ?? (isUp ? 'up' : 'down');
  const saysUp = status === 'up' || status === 'degraded';
  return saysUp === isUp ? status : 'unknown';
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= 2 ** 31;
}

function parse(body: string | null): unknown {
  if (body === null) return null;
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return null;
  }
}

function fieldsOf(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;
}
