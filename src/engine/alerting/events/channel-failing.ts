/** A channel fails; the other channels are notified. */
import type { Envelope, Moment, NoticeRow } from './event.ts';
import { deliveryIdOf } from '../ids.ts';
import { numberIn, textIn } from './stored.ts';
import { wholeSecs } from '../../core/duration.ts';

export interface ChannelFailingEvent extends Moment {
  readonly kind: 'channel_failing';
  readonly channel: string;
  readonly consecutiveFailures: number;
  readonly failingSinceAt: number;
  readonly error: string | null;
  /** It takes messages for some of its recipients. */
  readonly isPartial: boolean;
}

export interface ChannelFailing extends Envelope {
  readonly event: 'channel_failing';
  readonly channel: string;
  readonly consecutiveFailures: number;
  readonly failingSinceAt: number;
  readonly error: string | null;
  readonly isPartial: boolean;
}

export const channelFailing: NoticeRow<ChannelFailing, ChannelFailingEvent> = {
  event: 'channel_failing',
  outlastsQuietHours: true,
  severity: 'warning',
  subject: 'node',
  isMutable: false,
  givenUp: 'after_a_day',
  withoutChannel: 'dropped',
  withoutMonitor: 'dropped',
  raisedBy: ['channel_failing'],
  keyOf: ({ channel, failingSinceAt, isPartial }) =>
    `${deliveryIdOf('channel', channel)}.${isPartial ? 'unreached' : 'failing'}.${failingSinceAt}`,
  stored: ({ channel, consecutiveFailures, failingSinceAt, error, isPartial, at }) => ({
    channel,
    consecutiveFailures,
    failingSinceAt,
    error,
    isPartial,
    at,
  }),
  /** Its streak of failures is over. */
  suppressedBy: (fields, { failingSinceOf }) => {
    const channel = textIn(fields, 'channel');
    if (channel === null) return null;
    return failingSinceOf(channel) === numberIn(fields, 'failingSinceAt') ? null : 'over';
  },
  read: ({ fields, at }) => ({
    channel: textIn(fields, 'channel') ?? '',
    consecutiveFailures: numberIn(fields, 'consecutiveFailures') ?? 0,
    failingSinceAt: numberIn(fields, 'failingSinceAt') ?? at,
    error: textIn(fields, 'error'),
    isPartial: fields['isPartial'] === true,
  }),
  webhook: ({ channel, consecutiveFailures, at, failingSinceAt }) => ({
    channel,
    consecutive_failures: consecutiveFailures,
    failing_for_secs: wholeSecs(at - failingSinceAt),
  }),
};
