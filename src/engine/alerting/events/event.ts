/** The shape of an event in the catalogue: everything that the rest of the program has to know of it, but its wording. */
import { severities, type Severity } from '../../core/alert-names.ts';
import type { ReasonWord } from '../reasons.ts';
import type { EventFields, PayloadJson } from './stored.ts';

export { severities, type Severity };

/** What an event is about: the config id and the display name of a monitor or of a watched peer. */
export interface Named {
  readonly id: string;
  readonly name: string;
}

/** What every message has. The message of an event adds `event` and fields of its own. */
export interface Envelope {
  /** Stable over every attempt and restart: `[A-Za-z0-9_.:-]`, 1 to 200 characters. */
  readonly deliveryId: string;
  /** When the event happened (not when it is sent), in epoch ms. */
  readonly at: number;
  readonly severity: Severity;
  /** It only looks like the event: the channels are tried out. */
  readonly isTest: boolean;
  /** How many copies some recipients have or may have, so that this one may be a repeat; none without it. */
  readonly repeat?: number;
  /** The page to look at, as a whole URL. */
  readonly link: string | null;
  /** The page on which its incident can be acknowledged, as a whole URL; it is for who gets the message alone. */
  readonly ack?: string;
}

interface AnyMessage extends Envelope {
  readonly event: string;
}

export interface EventRow<Message extends AnyMessage> {
  /** Its name: in the outbox, the decision log, the webhook's document and test files. */
  readonly event: Message['event'];
  /** `node`: this one. */
  readonly subject: 'monitor' | 'peer' | 'node';
  /** How urgent it is, where it matters by what is stored of it. */
  readonly severity: Severity | ((fields: EventFields) => Severity);
  /**
   * How urgent the trouble is that the event says has begun, lasts or is over, so that an alert and its end have the same
   * place in the queue of a channel: before everything that is no trouble. Absent: the event is about none that ends.
   */
  readonly trouble?: Severity | ((fields: EventFields) => Severity);
  /** Whether a silence or a maintenance window holds it back. */
  readonly isMutable: boolean;
  /** Never dropped unseen by quiet hours: it may still be so when they end and is said once, or follows what was sent. */
  readonly outlastsQuietHours?: true;
  /** Outages of any monitor may hide behind it: it is as grave as the gravest of them, and passes quiet hours. */
  readonly hidesOutages?: true;
  /** How long a channel that fails is tried. */
  readonly givenUp: 'never' | 'after_a_day' | 'after_a_day_unless_critical';
  /** What becomes of it while its channel is not configured. */
  readonly withoutChannel: 'kept_while_it_lasts' | 'kept_for_30_days' | 'dropped';
  /** What becomes of it when what it is about is not configured any more. */
  readonly withoutMonitor: 'dropped' | 'dropped_when_over' | 'sent';
  /** Whether the name it is filed under is no incident; default: it is, where there is one. */
  readonly isWithoutIncident?: (payload: PayloadJson) => boolean;
  /** Why a delivery need not be sent any more; null: it has to be. Default: it has to be. */
  readonly suppressedBy?: (fields: EventFields, state: NoticeState) => ReasonWord | null;
  /** Its own fields of the webhook's document. `line` makes text from outside printable, on one line of that length. */
  readonly webhook: (message: Message, line: (text: string, maxLength: number) => string) => EventFields;
}

/** What is true when a notice is about to be sent. */
interface NoticeState {
  /** Whether the monitor it is about is down. */
  readonly isDown: () => boolean;
  /** Whether the error budget of the monitor still burns at a pace, as far as was notified. */
  readonly isBurning: (pace: string) => boolean;
  /** A silence or a maintenance window held it back until now. */
  readonly wasMuted: boolean;
  /** Since when a channel fails, epoch ms; null: it works. */
  readonly failingSinceOf: (channel: string) => number | null;
  /** Since when the certificate of the monitor cannot be read, epoch ms; null: it can. */
  readonly unreadableSince: () => number | null;
  /** When the certificate ends that the monitor presented last, epoch ms; null: it is not known. */
  readonly certExpiresAt: () => number | null;
  /** When the registration of its domain ends, as looked up last, epoch ms; null: it is not known. */
  readonly domainExpiresAt: () => number | null;
}

/** What is raised where an event is seen. `at`: the clock, not the time of a sample that took a while to answer. */
export interface Moment {
  readonly at: number;
}

interface Raised extends Moment {
  readonly kind: string;
}

/** An event that is sent as it is, without an end to wait for: its facts are its payload. */
export interface NoticeRow<Message extends AnyMessage, Fact extends Raised = never>
  extends EventRow<Message> {
  /** The kinds of its facts. */
  readonly raisedBy: readonly Fact['kind'][];
  /** What names a delivery, the channel aside. */
  readonly keyOf: (fact: Fact) => string;
  /** What its deliveries are filed under, where something that ends it has to find them. */
  readonly episodeOf?: (fact: Fact) => string;
  /** What is stored; default: the facts as they are. */
  readonly stored?: (fact: Fact) => EventFields;
  /** The fields of its message that are its own; null: a field it cannot do without is missing. */
  readonly read: (source: NoticeSource) => OwnFields<Message> | null;
}

type OwnFields<Message> = Omit<Message, 'event' | keyof Envelope>;

/** A delivery as its message is made of it. Instants are epoch ms. */
export interface NoticeSource {
  readonly fields: EventFields;
  /** When it happened. */
  readonly at: number;
  readonly nowAt: number;
  /** The monitor or peer it is about; for this node, one without a name. */
  readonly about: Named;
  readonly named: (id: string) => Named;
  /** `health.id`. */
  readonly node: string | null;
}
