/** Words what became of a message for the log. */
import type { LogEntry } from '../../engine/core/log.ts';
import { spanText } from '../../engine/alerting/span-text.ts';
import type { Delivered, Message } from '../message.ts';

interface Sent {
  readonly channel: string;
  readonly attempts: number;
  /** How long ago the first of its deliveries was due. */
  readonly lateMs: number;
}

/** A channel took a message. */
export function sentLine(message: Message, { channel, attempts, lateMs }: Sent): LogEntry {
  const { deliveryId, event } = message;
  const monitors = monitorsOf(message);
  const [only = null] = monitors.length === 1 ? monitors : [];
  const about = only ?? (monitors.length === 0 ? null : `${monitors.length} monitors`);
  const late = lateMs < 1000 ? '' : `, ${spanText(lateMs)} after it was due`;
  return {
    level: 'info',
    event: 'channel.sent',
    message: `Channel '${channel}' took a message: ${about === null ? '' : `${about}, `}${event}${late}`,
    fields: {
      channel,
      told: event,
      monitor: only,
      monitors: monitors.length,
      late_ms: lateMs,
      attempts,
      delivery_id: deliveryId,
    },
  };
}

/** A channel did not. */
export function failedLine(
  { deliveryId }: Message,
  channel: string,
  { attempts, error }: Delivered & { readonly kind: 'failed' },
): LogEntry {
  return {
    level: 'warning',
    event: 'channel.failed',
    message: `Channel '${channel}' did not take a message: ${error}`,
    fields: { channel, delivery_id: deliveryId, attempts },
  };
}

function monitorsOf(message: Message): readonly string[] {
  if (!('monitor' in message)) return [];
  const impacted = 'impacted' in message ? message.impacted : [];
  return [message.monitor, ...impacted].map(({ id }) => id);
}
