/** Hands one mail to one reader over to a mail server. */
import type { ReaderMail } from '../../engine/operations/subscribe.ts';
import type { Attempt, ChannelOf, SendContext } from './channel.ts';
import { messageIdOf } from './email.ts';
import { asMailbox } from './recipients.ts';
import { speaksOfQuota } from './quota.ts';
import { converse } from './smtp.ts';

export interface ReaderDelivery extends ReaderMail {
  readonly address: string;
  /** Null: that of the channel. */
  readonly fromName: string | null;
  /** The same for every attempt. */
  readonly deliveryId: string;
  /** Where one POST ends the mails (RFC 8058); null: it goes to one who gets no others. */
  readonly unsubscribe: string | null;
}

export type ReaderAttempt =
  | Attempt
  /** The server works and does not take it for this address. */
  | { readonly kind: 'refused'; readonly isPermanent: boolean };

/** One attempt, within the deadline of the channel. Rejects only with the reason of `ctx.signal`. */
export async function sendToReader(
  delivery: ReaderDelivery,
  channel: ChannelOf<'email'>,
  ctx: SendContext,
): Promise<ReaderAttempt> {
  const { address, fromName, subject, text, html, deliveryId, unsubscribe } = delivery;
  const refused: { isPermanent: boolean }[] = [];
  const sender = asMailbox(channel.from);
  const attempt = await converse(channel, ctx, async (transport, signal) => {
    try {
      await transport.sendMail({
        from: fromName === null ? sender : { ...sender, name: fromName },
        to: { name: '', address },
        subject,
        text,
        html,
        messageId: messageIdOf(deliveryId, channel.from),
        date: new Date(ctx.clock.now()),
        // RFC 3834: nobody's out-of-office note shall answer it.
        headers: {
          'Auto-Submitted': 'auto-generated',
          'X-Auto-Response-Suppress': 'All',
          ...(unsubscribe === null
            ? {}
            : {
                'List-Unsubscribe': `<${unsubscribe}>`,
                'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
              }),
        },
        signal,
      });
    } catch (error) {
      const { command = '', responseCode = 0 } = (error ?? {}) as {
        readonly command?: string;
        readonly responseCode?: number;
      };
      // A server that takes no more mails refuses the next reader just as well.
      if (speaksOfQuota(error)) throw error;
      if (responseCode < 400 || !(command.startsWith('RCPT TO') || command === 'DATA')) throw error;
      refused.push({ isPermanent: responseCode >= 500 });
    }
  });
  const [refusal] = refused;
  if (refusal !== undefined) return { kind: 'refused', ...refusal };
  // A reply may quote whom the mail was for.
  return attempt.kind === 'failed'
    ? { ...attempt, error: attempt.error.replaceAll(address, '***') }
    : attempt;
}
