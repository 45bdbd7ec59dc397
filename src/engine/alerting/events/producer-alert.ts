/** A producer raises an alert about a monitor. */
import {
  type Envelope,
  type Moment,
  type Named,
  type NoticeRow,
  severities,
  type Severity,
} from './event.ts';
import { timestampText } from '../../core/instant.ts';
import { type EventFields, fieldsOf, type PayloadJson, textIn } from './stored.ts';

/** `uid`: unique, `[A-Za-z0-9_.:-]`, at most 100 characters. */
interface ProducerAlertEvent extends Moment {
  readonly kind: 'producer_alert';
  readonly uid: string;
  readonly monitor: string;
  readonly severity: Severity;
  readonly title: string;
  readonly message: string | null;
  readonly tags: Readonly<Record<string, string>>;
  /** The key by which its producer recognises repeats; null: there is none. */
  readonly dedupKey?: string | null;
}

export interface ProducerAlert extends Envelope {
  readonly event: 'alert';
  readonly monitor: Named;
  readonly title: string;
  readonly message: string | null;
  readonly tags: Readonly<Record<string, string>>;
  readonly dedupKey?: string | null;
  /** Every alert of a message about several, in their order; the fields of the message are those of the first. */
  readonly together?: readonly ProducerAlert[];
}

/** How many alerts one message has at most: so many are composed without holding up anything else. */
export const mostAlertsInOne = 1000;

/** How many alerts a message about several names in its title. */
const mostInTitle = 5;
const longestInTitle = 60;

/** The title of a message: of several alerts, those of the first five and how many there are beside them. */
export function alertTitleOf(
  { title, together = [] }: ProducerAlert,
  line: (text: string, maxLength: number) => string,
): string {
  if (together.length === 0) return title;
  const named = together.slice(0, mostInTitle).map((alert) => line(alert.title, longestInTitle));
  return `${named.join(', ')} and ${together.length - named.length} more`;
}

/** How many alerts a message about several has a line of its own for. */
const mostLines = 20;

/** The lines of a message about several alerts, one an alert, as far as there is room. */
export function alertLinesOf(
  { together = [] }: ProducerAlert,
  line: (text: string, maxLength: number) => string,
): readonly string[] {
  const lines = together
    .slice(0, mostLines)
    .map(({ monitor, severity, title }) => `${line(monitor.name, 100)}: ${line(title, 200)} (${severity})`);
  const left = together.length - lines.length;
  return left > 0 ? [...lines, `and ${left} more`] : lines;
}

/** One message about several alerts, as severe as the most severe of them. */
export function joinAlerts(first: ProducerAlert, others: readonly ProducerAlert[]): ProducerAlert {
  if (others.length === 0) return first;
  const together = [first, ...others];
  const highest = Math.max(...together.map(({ severity }) => severities.indexOf(severity)));
  return { ...first, severity: severities[highest] ?? first.severity, together };
}

/** The severity that a producer gave its alert; null for the payload of anything else. */
export function alertSeverityOf(payload: PayloadJson): Severity | null {
  const severity = textIn(fieldsOf(payload), 'severity');
  return severities.find((each) => each === severity) ?? null;
}

/** `env=prod, host=a1`; `line` makes text from outside printable. */
export function tagsOf({ tags }: ProducerAlert, line: (text: string, maxLength: number) => string): string {
  return Object.entries(tags)
    .slice(0, 20)
    .map(([name, value]) => `${line(name, 100)}=${line(value, 100)}`)
    .join(', ');
}

export const producerAlert: NoticeRow<ProducerAlert, ProducerAlertEvent> = {
  event: 'alert',
  severity: (fields) => alertSeverityOf(fields) ?? 'info',
  subject: 'monitor',
  isMutable: false,
  givenUp: 'after_a_day_unless_critical',
  withoutChannel: 'dropped',
  withoutMonitor: 'sent',
  raisedBy: ['producer_alert'],
  keyOf: ({ uid }) => `alert.${uid}`,
  read: ({ fields, about }) => ({
    monitor: about,
    title: textIn(fields, 'title') ?? '',
    message: textIn(fields, 'message'),
    tags: Object.fromEntries(
      Object.entries(fieldsOf(fields['tags'])).flatMap(([key, value]) =>
        typeof value === 'string' ? [[key, value] as const] : [],
      ),
    ),
    dedupKey: textIn(fields, 'dedupKey'),
  }),
  webhook: (message, line) => {
    const { together = [] } = message;
    const title = alertTitleOf(message, line);
    if (together.length > 0)
      return {
        title,
        message: alertLinesOf(message, line).join('\n'),
        alerts: together.map((alert) => partJson(alert, line)),
      };
    const tags = tagsOf(message, line);
    const text = message.message ?? '';
    return { title, message: tags === '' ? text : `${text}\n${tags}`.trimStart() };
  },
};

/** One of several alerts, under the delivery id that a message of its own would have. */
function partJson(
  { deliveryId, monitor, at, severity, title, message, dedupKey = null }: ProducerAlert,
  line: (text: string, maxLength: number) => string,
): EventFields {
  return {
    delivery_id: deliveryId,
    monitor: monitor.name,
    monitor_id: monitor.id,
    at: timestampText(at),
    severity,
    title,
    ...(message !== null && { message: line(message, 500) }),
    ...(dedupKey !== null && { dedup_key: dedupKey }),
  };
}
