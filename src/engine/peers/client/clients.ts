/** What this node asks of its peers, as types: the questions and every way they can end. */
import type { Peer } from '../../config/config.ts';
import type { Secret } from '../../config/secret.ts';
import type { Status } from '../../core/status.ts';

/** What any answer of a peer shows beside itself. */
interface PeerReach {
  /**
   * The clock of the peer (its Date header, which counts whole seconds) minus this one's, at the middle of the request;
   * null: it sent none.
   */
  readonly skewMs: number | null;
}

/** `error`s are sentences for the operator, without a full stop. They hold no secret. */
export interface Unreachable {
  readonly kind: 'unreachable';
  readonly error: string;
}

/** It was reached, and answered with a status that does not fit. */
interface Refused {
  readonly kind: 'refused';
  readonly status: number;
}

export type HeartbeatAnswer = { readonly kind: 'taken' } | Refused | Unreachable;

/** How a peer sees one of its own peers. */
export interface ReportedPeer {
  /** The word of its /healthz, cleaned, not necessarily one of ours. */
  readonly state: string;
  /** Seconds since its last heartbeat; null: none yet, or it does not say. */
  readonly ageSecs: number | null;
}

export type PeerHealthAnswer =
  | (PeerReach & {
      readonly kind: 'answered';
      /** The peer itself works (200, not 503). */
      readonly isWell: boolean;
      /** Its `[health]` id; null when it has or says none. */
      readonly id: string | null;
      /** By global peer id. Empty for the public: without a token only counts are given. */
      readonly peers: ReadonlyMap<string, ReportedPeer>;
    })
  | Refused
  | Unreachable;

export type VerdictAnswer =
  | (PeerReach & {
      readonly kind: 'answered';
      readonly isUp: boolean;
      readonly status: Status;
      readonly latencyMs: number | null;
      /** What the peer says went wrong: one line, at most 500 characters. */
      readonly error: string | null;
    })
  /** The peer does not watch that target (404). */
  | { readonly kind: 'unknown_target' }
  /** The peer answers as many questions as it wants to (429). */
  | { readonly kind: 'busy' }
  | Refused
  | Unreachable;

/** What a peer is asked about: `from` is this node's `[health]` id. */
export interface PeerQuestion {
  readonly from: string | null;
  readonly id: string;
  readonly kind: string;
  readonly target: string;
}

/** None of these ever throws, each ends by its own deadline; when `signal` is aborted it ends as unreachable. */
export interface PeerClients {
  /** POST ping_url with ping_token as X-Push-Token; 10 s at most. */
  readonly sendHeartbeat: (peer: Peer, signal: AbortSignal) => Promise<HeartbeatAnswer>;
  /** GET; 10 s at most. */
  readonly callDeadMan: (url: Secret, signal: AbortSignal) => Promise<HeartbeatAnswer>;
  /** GET witness_url with ping_token as X-Push-Token; 10 s at most. */
  readonly askHealth: (peer: Peer, signal: AbortSignal) => Promise<PeerHealthAnswer>;
  /** POST /api/peer/probe at the origin of ping_url; 12 s at most. */
  readonly askVerdict: (peer: Peer, about: PeerQuestion, signal: AbortSignal) => Promise<VerdictAnswer>;
}
