/** What the live view shows beyond the summary: the last checks of the monitors on the screen, and what was sent. */
import type { Status } from '../core/status.ts';
import type { LiveEvent } from './feed.ts';

/** One hour of a monitor. */
export interface LiveHour {
  /** Rounded; null: nothing was measured. */
  readonly latency_ms: number | null;
  /** `down`: it was down for part of it; `unknown`: there is no data. */
  readonly status: Status;
}

export interface LiveMonitor {
  readonly id: string;
  /** What is asked, without secrets; null: nothing is (a heartbeat, a plugin). */
  readonly target: string | null;
  /** The monitors that depend on it, nearest first. */
  readonly dependents: readonly string[];
  /** The last 30, oldest first. */
  readonly checks: readonly Status[];
  /** The last 24, this one last. */
  readonly hours: readonly LiveHour[];
  /** The last 90, today last. */
  readonly days: readonly Status[];
}

/** Who got the alert of an open incident. */
export interface LiveIncident {
  readonly uid: string;
  readonly sent: readonly { readonly channel: string; readonly at: string }[];
  /** The channels that did not take it. */
  readonly failed: readonly string[];
  /** It is covered by the message about its cause. */
  readonly folded: boolean;
  /** Why no channel is sent it: which filters leave it out, or that none is routed to it; null: it was sent, or waits. */
  readonly withheld: string | null;
}

export interface LiveSilence {
  readonly id: number;
  /** `["*"]`: all. */
  readonly monitors: readonly string[];
  readonly until: string;
  readonly reason: string | null;
}

/** `GET /api/live`. Instants are RFC 3339. */
export interface LiveView {
  /** What happened in the last day, the newest first. */
  readonly feed: readonly LiveEvent[];
  /** Alerts sent in each of the last 24 hours, this one last. */
  readonly alerts_by_hour: readonly number[];
  readonly incidents: readonly LiveIncident[];
  readonly silences: readonly LiveSilence[];
  /** Those that were asked for. */
  readonly monitors: readonly LiveMonitor[];
}

export const liveCounts = { checks: 30, hours: 24, days: 90, events: 40 } as const;
