/** The facts that an explanation is made from. */
import type { Muting } from '../core/mute.ts';
import type { Status } from '../core/status.ts';
import type { UnstableEpisode } from '../monitoring/confirm/unstable.ts';
import type { MonitorState } from '../monitoring/confirm/state.ts';
import type { PeerState } from '../peers/rules/state.ts';
import type {
  DecisionFacts,
  DeliveryFacts,
  EventFacts,
  IncidentFacts,
  IncidentUpdateFacts,
} from '../core/record.ts';

/** What confirming asks of the monitor; null when the configuration no longer has it. */
interface ExplainPolicy {
  readonly failThreshold: number;
  readonly isDegradedNotified: boolean;
}

/** A step of an escalation that is not due yet. */
interface NextStep {
  readonly number: number;
  readonly of: string;
  /** Epoch ms. */
  readonly at: number;
  /** Whom it notifies by then, as far as is known: channels. */
  readonly channels: readonly string[];
}

export interface ExplainFacts {
  readonly nowAt: number;
  /** The instant asked about; null: the present. */
  readonly askedAt: number | null;
  readonly monitor: { readonly id: string; readonly name: string };
  readonly policy: ExplainPolicy | null;
  /** What is known of it when it is another node; null: it is a monitor. */
  readonly peer: PeerState | null;
  /** The one to explain, open or over; null: there is none. */
  readonly incident: IncidentFacts | null;
  /** What was said about it, and what was changed before and while it lasted; oldest first. */
  readonly updates?: readonly IncidentUpdateFacts[];
  readonly events?: readonly EventFacts[];
  readonly decisions: readonly DecisionFacts[];
  readonly deliveries: readonly DeliveryFacts[];
  /** Of all that is due as of now, what each channel is to send first. */
  readonly ahead?: ReadonlyMap<string, DeliveryFacts>;
  /** The step of its escalation that follows, as of now; null: none. */
  readonly step?: NextStep | null;
  /** What confirming remembers, as of now. */
  readonly state: MonitorState | null;
  /** The time in which it goes down and comes back again and again, as of now; null: it does not. */
  readonly unstable?: UnstableEpisode | null;
  /** Whether messages are held back, as of now. */
  readonly muting: Muting;
  /** Its incidents of the last 24 hours beside the one to explain, as of now; the newest first. */
  readonly others?: readonly Pick<IncidentFacts, 'id' | 'startedAt' | 'endedAt'>[];
  /** The samples around the instant asked about, or of the last 24 hours; oldest first. */
  readonly samples: readonly { readonly at: number; readonly status: Status }[];
}
