/** Lays a message out as the one text of a channel, within its limit. */
import type { Envelope, Severity } from '../../engine/alerting/events/event.ts';
import { fit, unitsOf } from './fit.ts';
import type { Wording } from './wording.ts';

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

/** Title first, for channels without a title of their own. */
export function titled(wording: Wording, severity: Severity): string[] {
  return [`${severityLabel(severity)} ${wording.title}`, ...body(wording)];
}

/** All but the title; the title again when there is nothing else, since no vendor takes an empty message. */
export function body({ title, lines, quote }: Wording): string[] {
  const answer = quote.length === 0 ? [] : ['It answered:', ...quote.map((line) => `> ${line}`)];
  return lines.length === 0 ? [title, ...answer] : [...lines, ...answer];
}

/** For channels that know no priority. */
export function severityLabel(severity: Severity): string {
  return `[${severity.toUpperCase()}]`;
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
