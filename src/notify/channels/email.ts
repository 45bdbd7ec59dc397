/** Mail, handed to a server over SMTP. */
import type { ChannelKind, ChannelOf } from './channel.ts';
import { asMailbox, isTakenForSome, noteRefused, noteTaken, recipientsLeft } from './recipients.ts';
import { converse } from './smtp.ts';
import { domainToASCII } from 'node:url';
import { instantText } from '../../engine/core/instant.ts';
import type { Message } from '../../engine/alerting/events/catalogue.ts';
import type { Mailbox } from '../../engine/config/types/mailbox.ts';
import { fit, unitsOf } from '../wording/fit.ts';
import {
  body,
  escapeHtml,
  fitLines,
  isOver,
  linksOf,
  lookOf,
  labelledTitle,
  textOf,
} from '../wording/text.ts';
import { type WordingLine, lineText, type Wording } from '../wording/wording.ts';
import { wordingOf } from '../wording/words.ts';

export const email: ChannelKind<'email'> = {
  send: async (message, channel, ctx) => {
    const mail = mailOf(message, channel, ctx.clock.now());
    const to = recipientsLeft(channel, mail.messageId).map(asMailbox);
    if (to.length === 0) return { kind: 'sent' };
    const attempt = await converse(channel, ctx, async (transport, signal) => {
      const envelope = { from: mail.from, to };
      const sending = transport.sendMail({ ...mail, envelope, signal });
      const info = await sending.catch((error: unknown) => noteRefused(channel, mail.messageId, error));
      noteTaken(channel, mail.messageId, info);
    });
    const isPartial = attempt.kind === 'failed' && isTakenForSome(channel, mail.messageId);
    return isPartial ? { ...attempt, reachedSome: true } : attempt;
  },
  verify: (channel: ChannelOf<'email'>, ctx) =>
    converse(channel, ctx, async (transport) => {
      await transport.verify();
    }),
};

interface Mail {
  readonly from: Mailbox;
  readonly to: Mailbox[];
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
  const subject = labelledTitle(wording, message.severity).replaceAll('=?', '= ?');
  const text = textOf([wording.title, '', ...body(wording)], message, { limit: longestText });
  return {
    from: asMailbox(channel.from),
    to: channel.to.map(asMailbox),
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
  const host = asMailbox(from).address.split('@')[1] ?? '';
  return `<${local}@${domainToASCII(host) || 'localhost'}>`;
}

/** Gmail hides what is behind 102 KB of a mail; what is around the words takes some 5 KB. */
const longestHtml = 80_000;

/**
 * One narrow column without anything to fetch. Styles are inline, as some programs drop all others; those in the head are
 * for readers who have chosen dark colours.
 */
function htmlOf(wording: Wording, message: Message): string {
  const title = escapeHtml(wording.title);
  const lengthOf = (line: WordingLine) => Buffer.byteLength(blockOf(line));
  const lines = fitLines(wording.lines, { limit: longestHtml, lengthOf });
  const preview = lines[0] === undefined ? '' : escapeHtml(lineText(lines[0]));
  const buttons = linksOf(message).map(
    ({ label, url }, index) =>
      `<a class="${index === 0 ? 'main' : 'other'}" href="${escapeHtml(url)}" style="${styles.button};${index === 0 ? styles.main : styles.other}">${label}</a>`,
  );
  const word = isOver(message) ? 'resolved' : message.severity;
  const badge = `${styles.badge};background:${lookOf(message).colour}`;
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">',
    `<title>${title}</title>`,
    `<style>${darkColours}</style></head>`,
    `<body style="${styles.page}">`,
    `<div style="${styles.preview}">${preview}</div>`,
    `<div class="card" style="${styles.card}">`,
    `<p style="margin:0 0 8px"><span style="${badge}">${word}</span></p>`,
    `<h1 style="${styles.title}">${title}</h1>`,
    lines.map(blockOf).join('\n'),
    ...(wording.quote.length === 0
      ? []
      : [
          `<p class="dim" style="${styles.label}">It answered</p>`,
          `<pre class="answer" style="${styles.answer}">${wording.quote.map(escapeHtml).join('\n')}</pre>`,
        ]),
    ...(buttons.length === 0 ? [] : [`<p style="margin:20px 0 0">${buttons.join('\n')}</p>`]),
    `<p class="dim" style="${styles.foot}">statusd, ${instantText(message.at)}</p>`,
    '</div></body></html>',
    '',
  ].join('\n');
}

/** A value under its name, or a sentence. */
function blockOf(line: WordingLine): string {
  if (typeof line === 'string') return `<p style="${styles.line}">${escapeHtml(line)}</p>`;
  const { label, value } = line;
  return `<p style="${styles.line}"><span class="dim" style="${styles.label}">${escapeHtml(label)}</span><br>${escapeHtml(value)}</p>`;
}

const styles = {
  page: 'margin:0;padding:16px 8px;background:#f3f4f6;color:#1f2328;font:16px/1.5 -apple-system,BlinkMacSystemFont,Segoe UI,Roboto,Helvetica,Arial,sans-serif',
  /** What lists of mails show beside the subject. */
  preview: 'display:none;max-height:0;overflow:hidden',
  card: 'max-width:560px;margin:0 auto;padding:20px 20px 16px;background:#ffffff;border:1px solid #d8dee4;border-radius:10px;overflow-wrap:anywhere;word-break:break-word',
  badge:
    'display:inline-block;padding:2px 10px;border-radius:999px;color:#ffffff;font-size:13px;font-weight:600;line-height:20px',
  title: 'margin:0 0 16px;font-size:22px;line-height:1.3;font-weight:650',
  line: 'margin:0 0 12px',
  label: 'margin:0;font-size:13px;line-height:1.4;color:#59636e',
  answer:
    'margin:4px 0 0;padding:12px;background:#f3f4f6;border-radius:6px;font:13px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:pre-wrap',
  button:
    'display:inline-block;margin:0 8px 8px 0;padding:11px 20px;border-radius:8px;border:1px solid #0969da;font-weight:600;line-height:20px;text-decoration:none',
  main: 'background:#0969da;color:#ffffff',
  other: 'background:transparent;color:#0969da',
  foot: 'margin:16px 0 0;font-size:13px;line-height:1.4;color:#59636e',
} as const;

const darkColours =
  ':root{color-scheme:light dark}@media (prefers-color-scheme:dark){body{background:#0d1117!important;color:#e6edf3!important}.card{background:#161b22!important;border-color:#30363d!important}.answer{background:#0d1117!important}.dim{color:#9198a1!important}.other{color:#58a6ff!important;border-color:#58a6ff!important}}';
