/** Lays a message out as the one text of a channel, within its limit. */
import type { Message } from '../../engine/alerting/events/catalogue.ts';
import type { Envelope, Severity } from '../../engine/alerting/events/event.ts';
import { fit, unitsOf } from './fit.ts';
import { type WordingLine, lineText, type Wording } from './wording.ts';

/** How a channel takes text. */
export interface TextStyle {
  readonly limit: number;
  /** In what the vendor counts; default: UTF-16 units. */
  readonly lengthOf?: (text: string) => number;
  /** Takes the meaning out of what the vendor would take for markup or a mention. */
  readonly encode?: (text: string) => string;
  /** Writes the address so that it can be followed, and means nothing else. */
  readonly encodeLink?: (link: string) => string;
  /** Between lines; default: a line break. */
  readonly separator?: string;
}

/** Where a message leads. */
export type Linked = Pick<Envelope, 'link' | 'ack'>;

const asItIs = (text: string) => text;

/**
 * The lines, the start of the failing answer and the links, encoded. What matters least is last and is cut
 * first; the links stay as long as they leave half of the room to the words.
 */
export function textOf(parts: readonly string[], links: Linked | null, style: TextStyle): string {
  const { limit, lengthOf = unitsOf, encode = asItIs, encodeLink = asItIs, separator = '\n' } = style;
  const line = (label: string, link: string | null) => {
    const address = link === null ? null : safeLink(link);
    return address === null ? '' : `${encode(`${separator}${label}`)}${encodeLink(address)}`;
  };
  const ending = line('', links?.link ?? null) + line('Acknowledge: ', links?.ack ?? null);
  const kept = lengthOf(ending) <= limit / 2 ? ending : '';
  const room = { limit: limit - lengthOf(kept), lengthOf: (text: string) => lengthOf(encode(text)) };
  return `${encode(fit(parts.join(separator), room))}${kept}`;
}

/**
 * Lines as far as they fit, the last of them cut. `lengthOf`: what a line takes of the limit as it is sent, its markup and
 * the break before it included.
 */
export function fitLines(
  lines: readonly WordingLine[],
  { limit, lengthOf }: { readonly limit: number; readonly lengthOf: (line: WordingLine) => number },
): WordingLine[] {
  const kept: WordingLine[] = [];
  let room = limit;
  for (const line of lines) {
    const length = lengthOf(line);
    if (length > room) return [...kept, ...cutLine(line, room, lengthOf)];
    kept.push(line);
    room -= length;
  }
  return kept;
}

function cutLine(line: WordingLine, limit: number, lengthOf: (line: WordingLine) => number): WordingLine[] {
  const withText = (text: string): WordingLine =>
    typeof line === 'string' ? text : { ...line, value: text };
  const text = typeof line === 'string' ? line : line.value;
  const cut = fit(text, { limit, lengthOf: (candidate) => lengthOf(withText(candidate)) });
  return cut === '' ? [] : [withText(cut)];
}

/** Title first, for channels without a title of their own. */
export function titled(wording: Wording, severity: Severity): string[] {
  return [labelledTitle(wording, severity), ...body(wording)];
}

/** All but the title; the title again when there is nothing else, since no vendor takes an empty message. */
export function body({ title, lines, quote }: Wording): string[] {
  const answer = quote.length === 0 ? [] : ['It answered:', ...quote.map((line) => `> ${line}`)];
  return lines.length === 0 ? [title, ...answer] : [...lines.map(lineText), ...answer];
}

/** The title behind the severity as a word, `[ERROR] API is down`: for channels that know no priority. */
export function labelledTitle({ title }: Pick<Wording, 'title'>, severity: Severity): string {
  return `${severityLabel(severity)} ${title}`;
}

/** The severity as a word, for channels that know no priority. */
export function severityLabel(severity: Severity): string {
  return `[${severity.toUpperCase()}]`;
}

/** How a message looks where there are colours and pictures. */
interface Look {
  readonly colour: string;
  readonly mark: string;
}

const looks: Readonly<Record<Severity | 'over', Look>> = {
  over: { colour: '#1a7f37', mark: '🟢' },
  info: { colour: '#0969da', mark: '🔵' },
  warning: { colour: '#9a6700', mark: '🟡' },
  error: { colour: '#cf222e', mark: '🔴' },
  critical: { colour: '#cf222e', mark: '🚨' },
};

/** What is over is green, but only where all is up again. */
export function lookOf(message: Message): Look {
  return looks[isOver(message) ? 'over' : message.severity];
}

export function isOver(message: Message): boolean {
  if (message.severity !== 'info') return false;
  if (message.event === 'recovered')
    return (
      !message.isRemoved &&
      message.isGone !== true &&
      message.found?.some(({ state }) => state !== 'up') !== true
    );
  if (message.event === 'peer_recovered') return !message.isRemoved;
  return message.event === 'incident' && message.state === 'resolved';
}

/** The page to acknowledge an outage on, then the one to look at, as far as there are any. */
export function linksOf({ link, ack }: Linked): readonly { readonly label: string; readonly url: string }[] {
  const row = (label: string, address: string | null | undefined) => {
    const url = address ? safeLink(address) : null;
    return url === null ? [] : [{ label, url }];
  };
  return [...row('Acknowledge', ack), ...row('Status page', link)];
}

/** Whether the host is a public name: Telegram and Discord refuse a message whose button or title leads to another. */
export const isPublic = (url: string): boolean =>
  /\.(?!local$|lan$|home$|internal$|intranet$|corp$|test$|arpa$)[a-z][a-z-]+$/.test(new URL(url).hostname);

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Takes the meaning out of everything that HTML has one for, in text and within quotes. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => entities[character] ?? '');

/** The three characters that mentions, links and entities of Slack are made of, and the tags of Telegram and Google Chat. */
export const escapeTags = (text: string): string =>
  text.replace(/[&<>]/g, (character) => entities[character] ?? '');

/** A line with its label in bold, for readers of HTML. */
export function htmlLine(line: WordingLine, encode: (text: string) => string = escapeTags): string {
  if (typeof line === 'string') return encode(line);
  return `<b>${encode(line.label)}${line.joint.trimEnd()}</b> ${encode(line.value)}`;
}

const longestLink = 1000;

/** An http or https address with nothing in it that could end it early; null when it is none. */
export function safeLink(link: string): string | null {
  try {
    const url = new URL(link);
    if (url.protocol !== 'http:' && url.protocol !== 'https:') return null;
    if (url.href.length > longestLink) return null;
    url.username = '';
    url.password = '';
    return url.href.replace(/[^!#-;=?A-Z_a-z~[\]]/g, (character) => encodeURIComponent(character));
  } catch {
    return null;
  }
}
