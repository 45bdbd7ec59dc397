/** Makes the clients with which this node calls its peers. */
import type { Peer } from '../../config/config.ts';
import { callPeer, type PeerCallResult, type CallTools } from './call.ts';
import type {
  HeartbeatAnswer,
  PeerClients,
  Unreachable,
  VerdictAnswer,
  PeerHealthAnswer,
} from './clients.ts';
import { readVerdictBody, readHealthBody } from './read-answer.ts';

const timeoutMs = 10_000;

/** A peer has 10 s for its own check, and 2 to be reached. */
const verdictTimeoutMs = 12_000;

export function createPeerClients(tools: CallTools): PeerClients {
  return {
    sendHeartbeat: async ({ ping_url: url, ping_token: token }, signal) => {
      if (url === null) return unreachable('it has no ping_url');
      const call = { method: 'POST', url: url.reveal(), token: token?.reveal() ?? null, json: null } as const;
      return taken(await callPeer({ ...call, timeoutMs }, { ...tools, signal }));
    },

    callDeadMan: async (url, signal) => {
      const call = { method: 'GET', url: url.reveal(), token: null, json: null, timeoutMs } as const;
      return taken(await callPeer(call, { ...tools, signal }));
    },

    askHealth: async ({ witness_url: url, ping_token: token }, signal) => {
      if (url === null) return unreachable('it has neither witness_url nor ping_url');
      const call = { method: 'GET', url, token: token?.reveal() ?? null, json: null, timeoutMs } as const;
      return witnessOf(await callPeer(call, { ...tools, signal }));
    },

    askVerdict: async (peer, { from, id, kind, target }, signal) => {
      const url = probeUrlOf(peer);
      if (url === null) return unreachable('it has no ping_url');
      const json = { from, id, kind, target };
      const token = peer.ping_token?.reveal() ?? null;
      const call = { method: 'POST', url, token, json, timeoutMs: verdictTimeoutMs } as const;
      return verdictOf(await callPeer(call, { ...tools, signal }));
    },
  };
}

function probeUrlOf({ ping_url: url }: Peer): string | null {
  return url === null ? null : new URL('/api/peer/probe', url.reveal()).href;
}

function taken(peerCallResult: PeerCallResult | Unreachable): HeartbeatAnswer {
  if (peerCallResult.kind === 'unreachable') return peerCallResult;
  return peerCallResult.status >= 200 && peerCallResult.status < 300
    ? { kind: 'taken' }
    : { kind: 'refused', status: peerCallResult.status };
}

/** A node that does not work says so with 503, and says the rest all the same. */
function witnessOf(peerCallResult: PeerCallResult | Unreachable): PeerHealthAnswer {
  if (peerCallResult.kind === 'unreachable') return peerCallResult;
  const { status, body, skewMs } = peerCallResult;
  if (status !== 200 && status !== 503) return { kind: 'refused', status };
  const notified = readHealthBody(body);
  if (notified !== null) return { kind: 'answered', isWell: status === 200, skewMs, ...notified };
  return status === 503 ? { kind: 'refused', status } : unreachable(notANode);
}

function verdictOf(peerCallResult: PeerCallResult | Unreachable): VerdictAnswer {
  if (peerCallResult.kind === 'unreachable') return peerCallResult;
  const { status, body, skewMs } = peerCallResult;
  if (status === 404) return { kind: 'unknown_target' };
  if (status === 429) return { kind: 'busy' };
  if (status !== 200) return { kind: 'refused', status };
  const notified = readVerdictBody(body);
  return notified === null ? unreachable(notANode) : { kind: 'answered', skewMs, ...notified };
}

const notANode = 'what answered there is no statusd of a version this one understands';

function unreachable(error: string): Unreachable {
  return { kind: 'unreachable', error };
}
