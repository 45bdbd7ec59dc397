/** The part of the engine that deals with other nodes: heartbeats to them, heartbeats from them, questions. */
import type { Config } from '../../config/config.ts';
import type { Redact } from '../../config/redact.ts';
import type { Clock } from '../../core/clock.ts';
import type { Move } from '../../core/clock-shift.ts';
import type { Log } from '../../core/log.ts';
import { cleanLine, cutText } from '../../core/text.ts';
import type { PeerClients } from '../../probes/peer/clients.ts';
import type { Store } from '../../../db/store.ts';
import type { Agenda } from '../agenda.ts';
import type { NewPeerHeartbeat } from '../engine.ts';
import type { ListeningRecord } from '../listening-record.ts';
import type { Notices } from '../notices.ts';
import type { Sight } from '../sight.ts';
import type { Watched } from '../watched.ts';
import { Beacon } from './beacon.ts';
import { Inquiry } from './inquiry.ts';
import { PeerWatch } from './watch.ts';

export interface PeersOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly agenda: Agenda;
  readonly notices: Notices;
  readonly sight: Sight;
  readonly listening: ListeningRecord;
  readonly config: () => Config;
  readonly redact: () => Redact;
  readonly signal: AbortSignal;
  readonly clients: PeerClients | null;
  /** Whether the schedule makes progress. */
  readonly isOnSchedule: () => boolean;
}

const maxMessage = 500;

export class Peers {
  private readonly options: PeersOptions;
  private readonly inquiry: Inquiry;
  private readonly watch: PeerWatch;
  private readonly beacon: Beacon | null;

  constructor(options: PeersOptions) {
    const { clients } = options;
    this.options = options;
    this.inquiry = new Inquiry(options);
    this.watch = new PeerWatch({ ...options, inquiry: this.inquiry });
    this.beacon =
      clients === null ? null : new Beacon({ ...options, clients, ailment: () => this.ailment() });
  }

  /** At the start, and whenever the configuration changed. */
  arrange(): void {
    this.watch.arrange();
    this.beacon?.arrange();
  }

  /** Resolves when it is durable. */
  hear({ peer, status, message }: NewPeerHeartbeat): Promise<void> {
    const said = message === null ? null : cutText(cleanLine(this.options.redact()(message)), maxMessage);
    return this.watch.hear(peer, { status, message: said });
  }

  /** What was sent until now may be lost. */
  hearAnew(): void {
    this.watch.hearAnew();
  }

  /** The clock was set. */
  shift(move: Move): void {
    this.watch.shift(move);
  }

  /** Whether a peer sees the target of a monitor down too; null when none can be asked. */
  askAbout({ monitor }: Watched): Promise<boolean> | null {
    return this.inquiry.askAbout(monitor);
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
