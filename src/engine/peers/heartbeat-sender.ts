/** Sends this node's heartbeats to its peers while it is healthy. */
import type { Config, Peer } from '../config/config.ts';
import type { Secret } from '../config/secret.ts';
import type { Clock } from '../core/clock.ts';
import { fractionOf } from '../core/fraction.ts';
import type { Log } from '../core/log.ts';
import type { HeartbeatAnswer, PeerClients } from './client/clients.ts';
import type { TimerQueue, Timer } from '../monitoring/timer-queue.ts';
import { isSame } from '../monitoring/same.ts';
import { heldBackLine, sentAgainLine, takenAgainLine, untakenLine } from './log-lines.ts';

export interface HeartbeatSenderOptions {
  readonly clients: PeerClients;
  readonly clock: Clock;
  readonly timers: TimerQueue;
  readonly log: Log;
  readonly config: () => Config;
  readonly signal: AbortSignal;
  /** Why this node is not healthy; null when it is. */
  readonly ailment: () => string | null;
}

/** Where heartbeats go. `peer` null: `heartbeat_url`, which only wants to be called. */
type Target = { readonly peer: Peer } | { readonly peer: null; readonly url: Secret };

interface SenderState {
  readonly target: Target;
  readonly everyMs: number;
  alarm: Timer | null;
  /** What went wrong the last time; null when it was taken. */
  fault: string | null;
  isSending: boolean;
}

/** After a start heartbeats are sent soon: the peers may be waiting. */
const firstWithinMs = 5000;

/** A heartbeat that was not taken is sent again earlier, so that one lost request makes none late. */
const retryShare = 1 / 3;
const longestRetryMs = 20_000;

export class HeartbeatSender {
  private readonly options: HeartbeatSenderOptions;
  private lines = new Map<string, SenderState>();
  private isHeldBack = false;

  constructor(options: HeartbeatSenderOptions) {
    this.options = options;
  }

  /** Follows the configuration of the moment: what stayed the same goes on in its rhythm. */
  arrange(): void {
    const { timers, config } = this.options;
    const { health } = config();
    const everyMs = health.interval_secs * 1000;
    const before = this.lines;
    this.lines = new Map();
    for (const [key, target] of targetsOf(config())) {
      const known = before.get(key);
      if (known?.everyMs === everyMs && isSame(known.target, target)) {
        this.lines.set(key, known);
        before.delete(key);
        continue;
      }
      const line: SenderState = {
        target,
        everyMs,
        alarm: null,
        fault: known?.fault ?? null,
        isSending: false,
      };
      this.lines.set(key, line);
      this.later(line, fractionOf(key) * Math.min(everyMs, firstWithinMs));
    }
    for (const { alarm } of before.values()) {
      if (alarm !== null) timers.cancel(alarm);
    }
  }

  private later(line: SenderState, ms: number): void {
    line.alarm = this.options.timers.after(ms, () => {
      this.later(line, line.everyMs);
      return this.send(line);
    });
  }

  private async send(line: SenderState): Promise<void> {
    if (line.isSending || !this.isWell()) return;
    const { signal } = this.options;
    line.isSending = true;
    const answer = await this.call(line.target).finally(() => {
      line.isSending = false;
    });
    if (signal.aborted || ![...this.lines.values()].includes(line)) return;
    this.note(line, answer);
    if (answer.kind === 'taken') return;
    const retryMs = Math.min(line.everyMs * retryShare, longestRetryMs);
    const { timers, clock } = this.options;
    if (line.alarm !== null && line.alarm.dueMs > clock.monotonic() + retryMs) {
      timers.cancel(line.alarm);
      this.later(line, retryMs);
    }
  }

  private call(target: Target): Promise<HeartbeatAnswer> {
    const { clients, signal } = this.options;
    return target.peer === null
      ? clients.callDeadMan(target.url, signal)
      : clients.sendHeartbeat(target.peer, signal);
  }

  /** Said once, until it is something else. */
  private note(line: SenderState, answer: HeartbeatAnswer): void {
    const { log } = this.options;
    const receiver = line.target.peer?.id ?? null;
    if (answer.kind === 'taken') {
      if (line.fault !== null) log(takenAgainLine(receiver));
      line.fault = null;
      return;
    }
    const fault = answer.kind === 'refused' ? String(answer.status) : answer.kind;
    if (line.fault !== fault) log(untakenLine(receiver, answer));
    line.fault = fault;
  }

  private isWell(): boolean {
    const { ailment, log } = this.options;
    const why = ailment();
    if (why !== null && !this.isHeldBack) log(heldBackLine(why));
    if (why === null && this.isHeldBack) log(sentAgainLine());
    this.isHeldBack = why !== null;
    return why === null;
  }
}

function targetsOf({ health, peers }: Config): [key: string, Target][] {
  const notified = peers.filter(({ ping_url: url }) => url !== null);
  const { heartbeat_url: url } = health;
  return [
    ...notified.map((peer): [string, Target] => [peer.id, { peer }]),
    // No peer is called that: an id is never empty.
    ...(url === null ? [] : [['', { peer: null, url }] satisfies [string, Target]]),
  ];
}
