/** Every event there is, in the order in which people read of them, and what follows from the rows. */
import { budgetBurn } from './budget-burn.ts';
import { channelFailing } from './channel-failing.ts';
import { digest } from './digest.ts';
import type { Envelope, EventRow, NoticeSource, Severity } from './event.ts';
import { expiries } from './expiry.ts';
import { nodeEvents } from './node.ts';
import { incidentSaid } from './operator-incident.ts';
import { type BegunEvent, type EndedEvent, outages } from './outage.ts';
import { peerEvents } from './peer.ts';
import { producerAlert } from './producer-alert.ts';
import { reminder } from './reminder.ts';
import { recovered } from './recovered.ts';
import { type EventFields, fieldsOf, type PayloadJson } from './stored.ts';
import { test } from './test.ts';

const rows = [
  ...outages,
  recovered,
  reminder,
  producerAlert,
  incidentSaid,
  channelFailing,
  ...expiries,
  budgetBurn,
  ...peerEvents,
  ...nodeEvents,
  digest,
  test,
] as const;

type Row = (typeof rows)[number];
type MessagesOf<Each> = Each extends EventRow<infer Of> ? Of : never;
type FactsOf<Each> = Each extends { readonly keyOf: (fact: infer Fact) => string } ? Fact : never;

/** One event for one channel as plain facts, before it is put into words. */
export type Message = MessagesOf<Row>;
export type EventName = Message['event'];
/** The message of one event. */
export type MessageOf<Event extends EventName> = Extract<Message, { readonly event: Event }>;

/** What is sent as it is, without an end to wait for. */
export type ImmediateEvent = FactsOf<Row>;
/** What is raised where it is seen. */
export type AlertEvent = BegunEvent | EndedEvent | ImmediateEvent;

/** What the webhook channel calls them too. */
export const eventNames: readonly EventName[] = rows.map(({ event }) => event);

/** What counts as no alert of its own: it follows one, or is a message of the calendar or the operator. */
export const followUps: readonly EventName[] = ['recovered', 'reminder', 'peer_recovered', 'digest', 'test'];

/** A row whose own message and facts are not known. */
interface AnyRow extends Omit<EventRow<Message>, 'webhook'> {
  readonly webhook: (message: never, line: LineOf) => EventFields;
}
interface AnyNotice extends AnyRow {
  readonly raisedBy: readonly string[];
  readonly keyOf: (fact: never) => string;
  readonly episodeOf?: (fact: never) => string;
  readonly stored?: (fact: never) => EventFields;
  readonly read: (source: NoticeSource) => object | null;
}
type LineOf = (text: string, maxLength: number) => string;

const byName: ReadonlyMap<string, AnyRow> = new Map(rows.map((row) => [row.event, row]));

const notices: readonly AnyNotice[] = rows.flatMap((row): AnyNotice[] => ('read' in row ? [row] : []));

/** The row of an event; null: another version wrote its name. */
export function eventRow(event: EventName): AnyRow;
export function eventRow(event: string): AnyRow | null;
export function eventRow(event: string): AnyRow | null {
  return byName.get(event) ?? null;
}

/** How urgent an event is, by what is stored of it. */
export function severityOf(event: EventName, payload: PayloadJson): Severity {
  const { severity } = eventRow(event);
  return typeof severity === 'function' ? severity(fieldsOf(payload)) : severity;
}

/** How urgent the trouble is that an event is about, by what is stored of it; null: it is about none that ends. */
export function troubleOf(event: EventName, payload: PayloadJson): Severity | null {
  const { trouble = null } = eventRow(event);
  return typeof trouble === 'function' ? trouble(fieldsOf(payload)) : trouble;
}

/** Its own fields of the webhook's document. */
export function webhookFieldsOf(message: Message, line: LineOf): EventFields {
  const { webhook } = eventRow(message.event);
  return (webhook as (message: Message, line: LineOf) => EventFields)(message, line);
}

/** What an immediate event is queued as, the channel aside. */
export interface QueuedNotice {
  readonly event: EventName;
  readonly key: string;
  readonly episode: string | null;
  readonly payload: EventFields;
}

export function queuedNoticeOf(fact: ImmediateEvent): QueuedNotice {
  const row = notices.find(({ raisedBy }) => raisedBy.includes(fact.kind));
  if (row === undefined) throw new Error(`no event of the catalogue is raised by ${fact.kind}`);
  const { event, keyOf, episodeOf, stored } = row as NoticeOf;
  return {
    event,
    key: keyOf(fact),
    episode: episodeOf?.(fact) ?? null,
    payload: { ...(stored?.(fact) ?? fact), hold: null },
  };
}

interface NoticeOf extends AnyNotice {
  readonly keyOf: (fact: ImmediateEvent) => string;
  readonly episodeOf?: (fact: ImmediateEvent) => string;
  readonly stored?: (fact: ImmediateEvent) => EventFields;
}

/** The message of a stored notice; null: its payload lacks what it cannot do without, or it is none. */
export function noticeMessageOf(
  event: EventName,
  envelope: Omit<Envelope, 'severity'>,
  source: NoticeSource,
): Message | null {
  const own = notices.find((row) => row.event === event)?.read(source) ?? null;
  return own && ({ ...envelope, event, severity: severityOf(event, source.fields), ...own } as Message);
}
