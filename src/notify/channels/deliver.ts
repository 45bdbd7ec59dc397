/** Takes one message to one channel, all attempts included. */
import type { Channel } from '../../engine/config/config.ts';
import { printable } from '../../engine/net/faults.ts';
import type { Attempt, SendContext } from './channel.ts';
import { kindOf } from './kinds.ts';
import { afterFailure } from './next-step.ts';
import { withoutSecrets } from './without-secrets.ts';
import type { Delivered, Message } from '../message.ts';

export type DeliverOptions = Omit<SendContext, 'signal'>;

/** Resolves however it ends, also when `signal` calls it off; then it failed, and may be tried again. */
export type Deliver = (message: Message, channel: Channel, signal: AbortSignal) => Promise<Delivered>;

/** `redact` masks the secrets of the configuration in what is sent and in what is said of failures. */
export function createDeliver(options: DeliverOptions): Deliver {
  return async (message, channel, signal) => {
    const ctx = { ...options, signal };
    const fit = withoutSecrets(message, options.redact);
    for (let attempts = 1; ; attempts += 1) {
      const attempt = await attemptSafely(fit, channel, ctx);
      if (attempt.kind === 'sent') return { kind: 'sent', attempts };
      const step = afterFailure(attempt, attempts);
      const failed = { ...attempt, attempts };
      if (step.kind === 'give_up' || signal.aborted) return failed;
      if (!(await isWaitedOut(step.waitMs, ctx))) return failed;
    }
  };
}

/**
 * Whether the credentials of a channel are good; null where there is no way to ask without notifying somebody.
 * Resolves however it ends.
 */
export async function verifyChannel(
  channel: Channel,
  options: DeliverOptions,
  signal: AbortSignal,
): Promise<Attempt | null> {
  const { verify } = kindOf(channel);
  const ctx = { ...options, signal };
  return verify === null ? null : safely(verify(channel, ctx), ctx);
}

function attemptSafely(message: Message, channel: Channel, ctx: SendContext): Promise<Attempt> {
  return safely(
    Promise.resolve().then(() => kindOf(channel).send(message, channel, ctx)),
    ctx,
  );
}

async function safely(work: Promise<Attempt>, { signal, redact }: SendContext): Promise<Attempt> {
  try {
    return await work;
  } catch (error) {
    // What breaks here is a fault of this program; the same message would break it again.
    const detail = error instanceof Error ? error.message : String(error);
    return {
      kind: 'failed',
      error: signal.aborted
        ? 'called off'
        : `the message could not be sent: ${printable(redact(detail), 200)}`,
      isPermanent: !signal.aborted,
      retryAfterMs: null,
    };
  }
}

async function isWaitedOut(ms: number, { clock, signal }: SendContext): Promise<boolean> {
  try {
    await clock.sleep(ms, signal);
    return true;
  } catch {
    return false;
  }
}
