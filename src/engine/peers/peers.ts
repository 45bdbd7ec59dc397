/** The part of the engine that deals with other nodes: heartbeats to them, heartbeats from them, questions. */
import type { Config } from '../config/config.ts';
import type { Redact } from '../config/redact.ts';
import type { Clock } from '../core/clock.ts';
import type { Move } from '../core/clock-shift.ts';
import type { Log } from '../core/log.ts';
import { cleanLine, cutText } from '../core/text.ts';
import type { PeerClients } from './client/clients.ts';
import type { Store } from '../../db/store/store.ts';
import type { TimerQueue } from '../monitoring/timer-queue.ts';
import type { NewPeerHeartbeat } from '../monitoring/engine.ts';
import type { ListeningRecord } from '../monitoring/heartbeats/listening-record.ts';
import type { NoticeSender } from '../monitoring/notice-sender.ts';
import type { NetworkDiagnosis } from '../monitoring/network/diagnosis.ts';
import type { WatchedMonitor } from '../monitoring/watched-monitor.ts';
import { HeartbeatSender } from './heartbeat-sender.ts';
import { PeerQuery } from './query.ts';
import { PeerWatch } from './watch.ts';

export interface PeersOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly timers: TimerQueue;
  readonly notices: NoticeSender;
  readonly diagnosis: NetworkDiagnosis;
  readonly listening: ListeningRecord;
  readonly config: () => Config;
  readonly redact: () => Redact;
  readonly signal: AbortSignal;
  readonly clients: PeerClients | null;
  /** Whether the schedule makes progress. */
  readonly isOnSchedule: () => boolean;
  /** See EngineOptions. */
  readonly isStandIn: () => boolean;
}

const maxMessage = 500;

export class Peers {
  private readonly options: PeersOptions;
  private readonly query: PeerQuery;
  private readonly watch: PeerWatch;
  private readonly heartbeatSender: HeartbeatSender | null;

  constructor(options: PeersOptions) {
    const { clients } = options;
    this.options = options;
    this.query = new PeerQuery(options);
    this.watch = new PeerWatch({ ...options, query: this.query });
    this.heartbeatSender =
      clients === null ? null : new HeartbeatSender({ ...options, clients, ailment: () => this.ailment() });
  }

  /** At the start, and whenever the configuration changed. */
  arrange(): void {
    this.watch.arrange();
    this.heartbeatSender?.arrange();
  }

  /** Resolves when it is durable. */
  receive({ peer, status, message }: NewPeerHeartbeat): Promise<void> {
    const said = message === null ? null : cutText(cleanLine(this.options.redact()(message)), maxMessage);
    return this.watch.receive(peer, { status, message: said });
  }

  /** What was sent until now may be lost. */
  restartDeadlines(): void {
    this.watch.restartDeadlines();
  }

  /** The clock was set. */
  shift(move: Move): void {
    this.watch.shift(move);
  }

  /** Whether a peer sees the target of a monitor down too; null when none can be asked. */
  askAbout({ monitor }: WatchedMonitor): Promise<boolean> | null {
    return this.query.askAbout(monitor);
  }

  /** Resolves when nothing is being written. */
  idle(): Promise<void> {
    return this.watch.idle();
  }

  private ailment(): string | null {
    const { isOnSchedule, store } = this.options;
    if (!isOnSchedule()) return 'the schedule of the checks makes no progress';
    const { isDurable, reason } = store.health();
    return isDurable ? null : `the database cannot be written: ${reason ?? 'the disk does not take it'}`;
  }
}
