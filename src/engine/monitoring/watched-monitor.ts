/** The state in memory of one configured monitor. */
import type { Monitor } from '../config/config.ts';
import type { CheckPolicy } from '../core/sample.ts';
import type { MonitorState } from './confirm/state.ts';
import type { Stability } from './confirm/unstable.ts';
import type { Evidence } from './network/evidence.ts';
import { hostOf, isLoopback } from '../core/hosts.ts';
import type { BurnRule } from '../core/slo.ts';
import { Mutex } from '../core/mutex.ts';
import type { MonitorMemory } from './monitor-memory.ts';
import { policyOf } from './check-policy.ts';

/**
 * Says whether it was aborted without its signal: V8 gives each signal of Node 20 a shape of its own, so that whatever is
 * asked of many of them is looked up anew each time.
 */
class Stopping extends AbortController {
  isAborted = false;

  override abort(reason?: unknown): void {
    this.isAborted = true;
    super.abort(reason);
  }
}

export interface WatchedMonitor {
  readonly id: string;
  readonly monitor: Monitor;
  readonly policy: CheckPolicy;
  /** Null when it asks no host. */
  readonly host: string | null;
  /** Orders what is confirmed and written. It outlives a change of the settings. */
  readonly mutex: Mutex;
  /** Aborted when the settings change or the loop stops: what is under way is dropped. */
  readonly stopping: Stopping;
  firstSeenAt: number;
  state: MonitorState;
  /** The uid of its open incident. */
  uid: string | null;
  /** Push: the last heartbeat, epoch ms. */
  heardAt: number | null;
  /** Push: since when heartbeats are expected as the settings say, epoch ms; null: since it was first seen. */
  expectedAt: number | null;
  /** Push: until when another heartbeat repeats the one that the disk refused, on the monotonic clock; null: none was. */
  refusedUntilMs: number | null;
  /** The paces at which its budget burns, as far as was notified. */
  burning: readonly BurnRule['pace'][];
  stability: Stability;
  /** Other settings for the same host change nothing about it. */
  readonly reach: HostReach;
  /** Its last check hung, or took long: see Semaphore. */
  isSlow: boolean;
  /** The check under way or waiting for a place. */
  check: Check | null;
}

/** What its checks showed of the host it asks. All instants are of the monotonic clock. */
export interface HostReach {
  /** What the last check said, and when. */
  evidence: { readonly said: Evidence; readonly atMs: number } | null;
  /** It was this machine that answered last, by whatever name. */
  isHere: boolean;
  /** Since when the host has not answered at all. */
  silentSinceMs: number | null;
  /** When another host answered for the first time since then: until that, this node may have been cut off. */
  provenMs: number | null;
}

export interface Check {
  /** Settles when the target has answered, before that is judged. */
  readonly answered: Promise<void>;
  /** Settles when the sample is kept. */
  readonly kept: Promise<void>;
}

/** A monitor to be watched from now on, going on with what is remembered of it; `before`: as it was, under other settings. */
export function watchedMonitorOf(
  monitor: Monitor,
  memory: MonitorMemory,
  before: WatchedMonitor | null = null,
): WatchedMonitor {
  const host = askedHost(monitor);
  return {
    id: monitor.id,
    monitor,
    policy: policyOf(monitor),
    host,
    mutex: before?.mutex ?? new Mutex(),
    stopping: new Stopping(),
    firstSeenAt: memory.firstSeenAt,
    state: memory.state,
    uid: memory.uid,
    heardAt: memory.heardAt,
    expectedAt: memory.expectedAt,
    refusedUntilMs: before?.refusedUntilMs ?? null,
    burning: memory.burning,
    stability: memory.stability,
    reach: before?.host === host ? before.reach : unknownReach(),
    isSlow: false,
    check: null,
  };
}

function unknownReach(): HostReach {
  return { evidence: null, isHere: false, silentSinceMs: null, provenMs: null };
}

/** Whether a host elsewhere answers for it, and not this machine by whatever name. */
export function isElsewhere({ host, reach }: WatchedMonitor): boolean {
  return host !== null && !reach.isHere && !isLoopback(host);
}

/** What is checked more often than this comes up soon enough by itself. */
const rareSecs = 60;

/** Whether it fails, and nobody will know soon whether it still does. */
export function isRareAndFailing({ host, monitor, state }: WatchedMonitor): boolean {
  return (
    host !== null && monitor.interval_secs > rareSecs && state.failures !== null && state.incident === null
  );
}

/** Whether it is down and has answered since, so that it may soon be up. */
export function isRecovering({ state: { incident, recoveries } }: WatchedMonitor): boolean {
  return incident !== null && recoveries > 0;
}

/** A dns monitor with a name server of its own asks that one, whatever the name. */
export function askedHost(monitor: Monitor): string | null {
  if (monitor.kind === 'dns' && monitor.dns_resolver !== null) return hostOf('tcp', monitor.dns_resolver);
  return 'target' in monitor ? hostOf(monitor.kind, monitor.target) : null;
}

/** A silence that is trusted or not: of a target, or (null) of a heartbeat. On the monotonic clock. */
export interface Silence {
  readonly watched: WatchedMonitor | null;
  /** What was heard of the hosts from here on counts. */
  readonly sinceMs: number;
  /** When it was first seen to fail. */
  readonly brokenMs: number;
}
