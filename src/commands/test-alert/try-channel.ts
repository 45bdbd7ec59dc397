/** Takes the messages of a test to one channel. */
import type { Channel } from '../../engine/config/config.ts';
import type { Deliver } from '../../notify/channels/deliver.ts';
import type { Message } from '../../notify/message.ts';

export interface ChannelTrial {
  readonly name: string;
  readonly type: string;
  /** Why it did not take both; null: it did. */
  readonly error: string | null;
  /** The event it did not take. */
  readonly event: string | null;
  /** How often it was tried. */
  readonly attempts: number;
}

/** The first message that is not taken is the last one: the others would fail likewise. */
export async function tryChannel(
  channel: Channel,
  messages: readonly Message[],
  { deliver, signal }: { readonly deliver: Deliver; readonly signal: AbortSignal },
): Promise<ChannelTrial> {
  const { name, type } = channel;
  let attempts = 0;
  for (const message of messages) {
    const delivered = await deliver(message, channel, signal);
    attempts += delivered.attempts;
    if (delivered.kind === 'failed')
      return { name, type, error: delivered.error, event: message.event, attempts };
  }
  return { name, type, error: null, event: null, attempts };
}
