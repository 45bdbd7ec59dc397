/** Mail, handed to a server over SMTP. */
import type { ChannelOf, ChannelKind } from './channel.ts';
import { mailOf } from './email/compose.ts';
import { converse } from './email/smtp.ts';

export const email: ChannelKind<'email'> = {
  send: (message, channel, ctx) =>
    converse(channel, ctx, async (transport, signal) => {
      await transport.sendMail({ ...mailOf(message, channel, ctx.clock.now()), signal });
    }),
  verify: (channel: ChannelOf<'email'>, ctx) =>
    converse(channel, ctx, async (transport) => {
      await transport.verify();
    }),
};
