/** Delivers one message to one channel, all attempts included. */
import type { Channel } from '../../engine/config/config.ts';
import { printable } from '../../engine/net/faults.ts';
import { kindOf } from './kinds.ts';
import type { Attempt, Delivered, SendContext } from './channel.ts';
import type { Message } from '../../engine/alerting/events/catalogue.ts';

export interface DeliverOptions extends Omit<SendContext, 'signal'> {
  /**
   * Awaited before each attempt; resolves when a message may be sent, or `signal` is aborted: another node may have come to
   * lead while an attempt waited. Absent: always.
   */
  readonly untilTrusted?: (signal: AbortSignal) => Promise<void>;
}

/** Resolves however it ends, also when `signal` calls it off; then it failed, and may be tried again. */
export type Deliver = (message: Message, channel: Channel, signal: AbortSignal) => Promise<Delivered>;

/** `redact` masks the secrets of the configuration in what is sent and in what is said of failures. */
export function createDeliver({ untilTrusted, ...options }: DeliverOptions): Deliver {
  return async (message, channel, signal) => {
    const ctx = { ...options, signal };
    const fit = withoutSecrets(message, options.redact);
    for (let attempts = 1; ; attempts += 1) {
      await untilTrusted?.(signal);
      const attempt = await attemptSafely(fit, channel, ctx);
      if (attempt.kind === 'sent') return { ...attempt, attempts };
      const step = afterFailure(attempt, attempts);
      const failed = { ...attempt, attempts };
      if (step.kind === 'give_up' || signal.aborted) return failed;
      if (!(await isWaitedOut(step.waitMs, ctx))) return failed;
    }
  };
}

/**
 * Whether the credentials of a channel are good; null where there is no way to ask without a notification.
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

type NextStep = { readonly kind: 'try_again'; readonly waitMs: number } | { readonly kind: 'give_up' };

/** Before the second and the third attempt. */
const pausesMs = [1000, 3000];

/** A vendor that wants a longer pause gets it when the delivery is tried again later. */
const longestPauseMs = 60_000;

/** Decides what follows a failed attempt. `attempts`: how many there were, the failed one included. */
function afterFailure(attempt: Extract<Attempt, { readonly kind: 'failed' }>, attempts: number): NextStep {
  if (attempt.isPermanent || attempt.mayBeReceived === true) return { kind: 'give_up' };
  const pauseMs = pausesMs[attempts - 1];
  if (pauseMs === undefined) return { kind: 'give_up' };
  const waitMs = Math.max(pauseMs, attempt.retryAfterMs ?? 0);
  return waitMs > longestPauseMs ? { kind: 'give_up' } : { kind: 'try_again', waitMs };
}

/** Words of this program and addresses made by it: a short secret must not tear them apart. */
const own = new Set([
  'event',
  'severity',
  'deliveryId',
  'groupId',
  'incidentUids',
  'uid',
  'ownFault',
  'link',
  'ack',
  'id',
  'category',
  'from',
  'verdict',
  'pace',
  'impact',
  'state',
]);

function withoutSecrets(message: Message, redact: (text: string) => string): Message {
  return masked(message, redact) as Message;
}

function masked(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((item) => masked(item, redact));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      if (key === 'tags') return [key, maskedTags(item as Readonly<Record<string, string>>, redact)];
      return [key, own.has(key) ? item : masked(item, redact)];
    }),
  );
}

/** A producer chooses what its tags are called, so that none of them is a word of this program. */
function maskedTags(tags: Readonly<Record<string, string>>, redact: (text: string) => string) {
  return Object.fromEntries(Object.entries(tags).map(([name, text]) => [redact(name), redact(text)]));
}
