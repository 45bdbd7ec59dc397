/** Writes mails to readers, in the language of the page. */
import type { ReaderLinks, ReaderMail } from '../../engine/operations/subscribe.ts';
import { cleanLine, cleanLines } from '../../engine/core/text.ts';
import { html } from '../pages/html.ts';
import { type PageContext, speechOf } from '../pages/page-context.ts';

export interface Letter {
  /** What has happened; the subject, after the title of the page. */
  readonly title: string;
  /** Texts of people may have several lines. */
  readonly paragraphs: readonly string[];
  /** Where more of it stands, whole. */
  readonly link: { readonly href: string; readonly words: string } | null;
}

const longestSubject = 200;

/** `links` null: the mail goes to one who gets no other. */
export function letterMail(letter: Letter, links: ReaderLinks | null, site: PageContext): ReaderMail {
  const speech = speechOf(site);
  const { words, language } = speech;
  const title = cleanLine(letter.title);
  const { link } = letter;
  const paragraphs = letter.paragraphs
    .map((text) => cleanLines(text).join('\n'))
    .filter((text) => text !== '');
  const why = speech.fill('mailWhy', cleanLine(site.title));
  const text = [
    title,
    ...paragraphs,
    ...(link === null ? [] : [`${link.words}: ${link.href}`]),
    ...(links === null
      ? []
      : [`-- \n${why}\n${words.yourChoice}: ${links.manage}\n${words.unsubscribe}: ${links.unsubscribe}`]),
  ].join('\n\n');
  const body = html`<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"/></head>
<body style="font-family:sans-serif;line-height:1.5">
<h1 style="font-size:1.2em">${title}</h1>
${paragraphs.map((paragraph) => html`<p style="white-space:pre-line">${paragraph}</p>\n`)}${link === null ? null : html`<p><a href="${link.href}">${link.words}</a></p>\n`}${
  links === null
    ? null
    : html`<hr/><p style="font-size:.85em">${why} <a href="${links.manage}">${words.yourChoice}</a> · <a href="${links.unsubscribe}">${words.unsubscribe}</a></p>\n`
}</body></html>
`;
  // An encoded word (RFC 2047) in a name is decoded by the reader's program.
  const subject = `[${cleanLine(site.title)}] ${title}`.replaceAll('=?', '= ?').slice(0, longestSubject);
  return { subject: subject.replace(/[\ud800-\udbff]$/, ''), text: `${text}\n`, html: body.text };
}
