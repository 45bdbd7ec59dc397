/** A producer raises an alert about a monitor. */
import {
  type Envelope,
  type Moment,
  type Named,
  type NoticeRow,
  severities,
  type Severity,
} from './event.ts';
import { fieldsOf, type PayloadJson, textIn } from './stored.ts';

/** `uid`: unique, `[A-Za-z0-9_.:-]`, at most 100 characters. */
interface ProducerAlertEvent extends Moment {
  readonly kind: 'producer_alert';
  readonly uid: string;
  readonly monitor: string;
  readonly severity: Severity;
  readonly title: string;
  readonly message: string | null;
  readonly tags: Readonly<Record<string, string>>;
}

export interface ProducerAlert extends Envelope {
  readonly event: 'alert';
  readonly monitor: Named;
  readonly title: string;
  readonly message: string | null;
  readonly tags: Readonly<Record<string, string>>;
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
  }),
  webhook: (message, line) => {
    const tags = tagsOf(message, line);
    const text = message.message ?? '';
    return { title: message.title, message: tags === '' ? text : `${text}\n${tags}`.trimStart() };
  },
};
