/** Mail, handed to a server over SMTP. */
import type { ChannelKind, ChannelOf } from './channel.ts';
import { converse } from './smtp.ts';
import { domainToASCII } from 'node:url';
import type { Severity } from '../../engine/alerting/events/event.ts';
import type { Message } from '../../engine/alerting/events/catalogue.ts';
import { fit, unitsOf } from '../wording/fit.ts';
import { body, safeLink, severityLabel, textOf } from '../wording/text.ts';
import type { Wording } from '../wording/wording.ts';
import { wordingOf } from '../wording/words.ts';

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

interface Mail {
  readonly from: string;
  readonly to: string[];
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly messageId: string;
  readonly date: Date;
  readonly headers: Record<string, string>;
}

/** A subject longer than this is cut by every program that lists mails. */
const longestSubject = 200;
const longestText = 20_000;

/**
 * Writes a message as a mail: plain text, and the same as HTML. `sentAt` becomes the date of the mail, in epoch ms.
 */
export function mailOf(message: Message, channel: ChannelOf<'email'>, sentAt: number): Mail {
  const wording = wordingOf(message);
  // An encoded word (RFC 2047) in a name is decoded by the reader's program.
  const subject = `${severityLabel(message.severity)} ${wording.title}`.replaceAll('=?', '= ?');
  const text = textOf([wording.title, '', ...body(wording)], message, { limit: longestText });
  return {
    from: channel.from,
    to: [...channel.to],
    subject: fit(subject, { limit: longestSubject, lengthOf: unitsOf }),
    text: `${text}\n`,
    html: htmlOf(wording, message),
    messageId: messageIdOf(message.deliveryId, channel.from),
    date: new Date(sentAt),
    // RFC 3834: nobody's out-of-office note shall answer it.
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
  };
}

/** The same for every attempt at a delivery, so that a receiver that got it twice shows it once. */
export function messageIdOf(deliveryId: string, from: string): string {
  const local = deliveryId.replace(
    /[^A-Za-z0-9_-]/g,
    (character) => `=${character.charCodeAt(0).toString(16)}`,
  );
  const host = /@([^\s<>@]+)>?$/.exec(from)?.[1] ?? '';
  return `<${local}@${domainToASCII(host) || 'localhost'}>`;
}

const colours: Readonly<Record<Severity, string>> = {
  info: '#1a7f37',
  warning: '#9a6700',
  error: '#cf222e',
  critical: '#cf222e',
};

function htmlOf({ title, lines, quote }: Wording, { link, ack, severity }: Message): string {
  const paragraph = (address: string | null, label: string | null) =>
    address === null ? [] : [`<p><a href="${escape(address)}">${escape(label ?? address)}</a></p>`];
  const cut = fit(lines.join('\n'), { limit: longestText, lengthOf: unitsOf }).split('\n');
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8"></head>',
    '<body style="font-family: sans-serif; line-height: 1.5">',
    `<h1 style="font-size: 1.2em; color: ${colours[severity]}">${escape(title)}</h1>`,
    `<p>${cut.map(escape).join('<br>\n')}</p>`,
    ...(quote.length === 0 ? [] : [`<p>It answered:</p>`, `<pre>${quote.map(escape).join('\n')}</pre>`]),
    ...paragraph(ack === undefined ? null : safeLink(ack), 'Acknowledge'),
    ...paragraph(link === null ? null : safeLink(link), null),
    '</body></html>',
    '',
  ].join('\n');
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escape = (text: string) => text.replace(/[&<>"']/g, (character) => entities[character] ?? '');
