/** Decides what a failed delivery changes, whole or for some recipients, and which channels are notified of it. */
import type { Operation } from '../../db/store/operation.ts';
import { type ChannelHealthRow, channels as channelHealth } from '../../db/tables/channels.ts';
import { takes } from '../../engine/core/channel-filter.ts';
import type { Intent } from '../../engine/alerting/intent.ts';
import { queueNotice } from '../../engine/alerting/queue-notice.ts';
import { because } from '../../engine/alerting/reasons.ts';
import { operationsOf } from '../../engine/monitoring/alert-operations.ts';
import type { DeliveryContext } from './context.ts';
import { numberText } from '../../engine/core/words.ts';

/**
 * The other channels are notified once of a streak of failures, when it is long enough, and not while a further copy of
 * what may have been received follows (`isCopied`).
 */
export function failingOperations(
  channel: string,
  { error, isCopied }: { readonly error: string; readonly isCopied: boolean },
  context: DeliveryContext,
): Operation[] {
  const { nowAt, settings, healthOf } = context;
  const health = healthOf(channel);
  const failed = channelHealth.failed({ channel, at: nowAt, error });
  const streak = streakAfter(health, nowAt);
  const isNotified = (health?.notifiedAt ?? null) !== null;
  if (isCopied || isNotified || streak.consecutiveFailures < settings.config.alerts.channel_fail_threshold)
    return [failed];
  const notice = { ...streak, error, isPartial: false };
  return [failed, ...noticeOf(channel, notice, context), channelHealth.notified({ channel, at: nowAt })];
}

/**
 * It was taken for the others, so a streak begins that is not one of failures: who was refused for good is not tried
 * again, so the other channels are notified at once, and once more of failures that follow.
 */
export function unreachedOperations(channel: string, error: string, context: DeliveryContext): Operation[] {
  const { nowAt, healthOf } = context;
  const health = healthOf(channel);
  const failed = channelHealth.failed({ channel, at: nowAt, error });
  if (health !== null && isUnreachedKnown(health)) return [failed];
  const notice = { ...streakAfter(null, nowAt), error, isPartial: true };
  return [channelHealth.succeeded({ channel, at: nowAt }), failed, ...noticeOf(channel, notice, context)];
}

/** Whether its streak began with a message that was taken for some, and was none of failures since. */
function isUnreachedKnown({ failingSinceAt, lastOkAt, notifiedAt }: ChannelHealthRow): boolean {
  return failingSinceAt !== null && failingSinceAt === lastOkAt && notifiedAt === null;
}

interface Streak {
  readonly consecutiveFailures: number;
  readonly failingSinceAt: number;
}

function streakAfter(health: ChannelHealthRow | null, nowAt: number): Streak {
  return {
    consecutiveFailures: (health?.consecutiveFailures ?? 0) + 1,
    failingSinceAt: health?.failingSinceAt ?? nowAt,
  };
}

interface ChannelNotice extends Streak {
  readonly error: string;
  readonly isPartial: boolean;
}

function noticeOf(channel: string, notice: ChannelNotice, { nowAt, settings }: DeliveryContext): Operation[] {
  const said = { event: 'channel_failing', severity: 'warning', monitor: null } as const;
  const others = [...settings.channels.values()].flatMap((other) =>
    other.name !== channel && takes(other, said) ? [other.name] : [],
  );
  const detail = notice.isPartial
    ? `Channel ${channel} does not reach all of its recipients.`
    : notice.consecutiveFailures === 1
      ? `Channel ${channel} failed.`
      : `Channel ${channel} failed ${numberText(notice.consecutiveFailures)} times in a row.`;
  const fact = { kind: 'channel_failing', at: nowAt, channel, ...notice } as const;
  const intents = queueNotice(fact, others).map((intent): Intent => {
    if (intent.kind !== 'decide') return intent;
    return others.length === 0
      ? { ...intent, channel, ...because('no_other_channel') }
      : { ...intent, detail };
  });
  return operationsOf(intents, nowAt);
}
