/** Reads the answer of a peer, which may be anything. */
import {
  aFlag,
  aText,
  type UnknownFields,
  fieldsOf,
  oneOf,
  parseJson,
  readAs,
  shape,
} from '../../core/decode.ts';
import { type Status, statuses } from '../../core/status.ts';
import { printable } from '../../net/faults.ts';
import type { VerdictAnswer, PeerHealthAnswer, ReportedPeer } from './clients.ts';

/** What was answered, its reach aside; null when it is not what a node answers. */
export type HealthBody = Pick<PeerHealthAnswer & { readonly kind: 'answered' }, 'id' | 'peers'>;
export type VerdictBody = Pick<
  VerdictAnswer & { readonly kind: 'answered' },
  'isUp' | 'status' | 'latencyMs' | 'error'
>;

/** More peers than a node has. */
const mostPeers = 1000;
const idPattern = /^[A-Za-z0-9_-]{1,128}$/;
const anId = shape('an id', (value): value is string => typeof value === 'string' && idPattern.test(value));
const aStatus = oneOf(statuses);
const aFigure = shape(
  'a number',
  (value): value is number => typeof value === 'number' && value >= 0 && value <= 2 ** 31,
);
const maxError = 500;

/** The body of /healthz. */
export function readHealthBody(body: string | null): HealthBody | null {
  const fields = answered(body);
  if (!('scheduler_ok' in fields)) return null;
  const seen = Object.entries(fieldsOf(fields['peers'])).slice(0, mostPeers);
  return {
    id: readAs(fields['id'], anId),
    peers: new Map(
      seen.flatMap(([peer, said]) => {
        const reportedPeer = anId(peer) ? readWitnessed(said) : null;
        return reportedPeer === null ? [] : [[peer, reportedPeer] as const];
      }),
    ),
  };
}

/** The body of /api/peer/probe. */
export function readVerdictBody(body: string | null): VerdictBody | null {
  const fields = answered(body);
  const isUp = readAs(fields['up'], aFlag);
  if (isUp === null) return null;
  const latencyMs = readAs(fields['latency_ms'], aFigure);
  const error = readAs(fields['error'], aText) ?? '';
  return {
    isUp,
    status: readStatus(fields['status'], isUp),
    latencyMs: latencyMs === null ? null : Math.round(latencyMs),
    error: error === '' ? null : printable(error, maxError),
  };
}

function readWitnessed(said: unknown): ReportedPeer | null {
  const { state, age } = fieldsOf(said);
  return aText(state) ? { state: printable(state, 40), ageSecs: readAs(age, aFigure) } : null;
}

/** What contradicts itself says nothing. */
function readStatus(word: unknown, isUp: boolean): Status {
  const status = readAs(word, aStatus) ?? (isUp ? 'up' : 'down');
  const saysUp = status === 'up' || status === 'degraded';
  return saysUp === isUp ? status : 'unknown';
}

function answered(body: string | null): UnknownFields {
  return body === null ? {} : fieldsOf(parseJson(body));
}
