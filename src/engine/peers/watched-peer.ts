/** The state in memory of one configured peer. */
import type { Peer } from '../config/config.ts';
import type { PeerState } from './rules/state.ts';
import type { Timer } from '../monitoring/timer-queue.ts';
import { Mutex } from '../core/mutex.ts';

export interface WatchedPeer {
  /** Its settings of the moment. */
  peer: Peer;
  /** Orders what is written of it. */
  readonly mutex: Mutex;
  state: PeerState;
  alarm: Timer | null;
  /** When it was last decided about. */
  decidedAt: number | null;
  /** Since when a host has to be reached before it is decided about, epoch ms; null: it is not due. */
  askedSinceAt: number | null;
  /** It may only just be reached again, and was given the time for a heartbeat. */
  isGivenTime: boolean;
  /** Nobody answered when its broken link was last looked at. */
  wasUnanswered: boolean;
  isLate: boolean;
  isDeciding: boolean;
  /** It is no longer configured. */
  isGone: boolean;
}

export function watchedPeerOf(peer: Peer, state: PeerState): WatchedPeer {
  return {
    peer,
    mutex: new Mutex(),
    state,
    alarm: null,
    decidedAt: null,
    askedSinceAt: null,
    isGivenTime: false,
    wasUnanswered: false,
    isLate: false,
    isDeciding: false,
    isGone: false,
  };
}

/** Null: it is not watched. */
export function expectEveryMs({ expect_every_secs: secs }: Peer): number | null {
  return secs === null ? null : secs * 1000;
}
