/** Renders the comparison for programs. */
import { rfc3339 } from '../../engine/core/duration.ts';
import type { Matrix, PeerCell } from './matrix.ts';

export function matrixJson({ node, at, rows, nodes }: Matrix, redact: (text: string) => string) {
  const said = (text: string | null) => (text === null ? null : redact(text));
  return {
    node,
    checked_at: rfc3339(at),
    monitors: rows.map(({ id, name, here, views }) => ({
      id,
      name,
      status: here.status,
      latency_ms: here.latencyMs,
      checked_at: here.at === null ? null : rfc3339(here.at),
      nodes: Object.fromEntries([...views].map(([peer, view]) => [peer, viewJson(view, said)])),
    })),
    peers: nodes.map(({ id, name, heard, isReachable, error, skewMs }) => ({
      id,
      name,
      state: heard?.state ?? null,
      age: heard?.age ?? null,
      reachable: isReachable,
      error: said(error),
      clock_skew_ms: skewMs === null ? null : Math.round(skewMs),
    })),
  };
}

function viewJson(peerCell: PeerCell, said: (text: string | null) => string | null) {
  switch (peerCell.kind) {
    case 'seen': {
      const { status, latencyMs, error, at, source } = peerCell;
      return { status, latency_ms: latencyMs, error: said(error), at: rfc3339(at), source };
    }
    case 'unwatched':
      return nothing('it does not watch this target');
    case 'without_target':
      return nothing('there is no target to ask about');
    case 'unasked':
      return nothing('it has no ping_url to ask');
    case 'unknown':
      return nothing(said(peerCell.error));
  }
}

function nothing(error: string | null) {
  return { status: null, latency_ms: null, error, at: null, source: null };
}
