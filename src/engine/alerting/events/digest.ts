/** A digest of a week or a month is due. Instants are epoch ms. */
import { timestampText } from '../../core/instant.ts';
import type { Envelope, Moment, NoticeRow } from './event.ts';
import { numberIn, textIn, textsIn } from './stored.ts';

interface DigestContentsOf {
  readonly fromAt: number;
  readonly toAt: number;
  /** One line about everything. */
  readonly summary: string;
  /** One line a monitor. */
  readonly lines: readonly string[];
}

/** `slotAt` is the instant of the schedule it is for. */
interface DigestDueEvent extends Moment, DigestContentsOf {
  readonly kind: 'digest_due';
  readonly slotAt: number;
}

export interface DigestMessage extends Envelope, DigestContentsOf {
  readonly event: 'digest';
}

export const digest: NoticeRow<DigestMessage, DigestDueEvent> = {
  event: 'digest',
  severity: 'info',
  subject: 'node',
  isMutable: false,
  givenUp: 'after_a_day',
  withoutChannel: 'dropped',
  withoutMonitor: 'dropped',
  raisedBy: ['digest_due'],
  keyOf: ({ slotAt }) => `node.digest.${slotAt}`,
  read: ({ fields, at }) => ({
    fromAt: numberIn(fields, 'fromAt') ?? at,
    toAt: numberIn(fields, 'toAt') ?? at,
    summary: textIn(fields, 'summary') ?? '',
    lines: textsIn(fields, 'lines'),
  }),
  webhook: ({ fromAt, toAt }) => ({ period: `${timestampText(fromAt)}/${timestampText(toAt)}` }),
};
