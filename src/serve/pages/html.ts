/** Writes HTML: a template's text is markup, everything put into it is text. */
import { escapeXml, Xml } from '../svg/xml.ts';

/** Text that is HTML already. Only `html` makes one. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type HtmlPart = Html | Xml | string | number | null | readonly HtmlPart[];

/**
 * Fragments are put in as they are (a piece of SVG too), lists one after the other, null as nothing, the rest
 * escaped as in XML: what XML cannot hold, a parser of HTML would drop or replace. Pages are written so that they
 * are XML as well: every element is closed, every attribute quoted.
 */
export function html(markup: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html {
  let text = markup[0] ?? '';
  parts.forEach((part, index) => {
    text += htmlText(part) + (markup[index + 1] ?? '');
  });
  return new Html(text);
}

function htmlText(part: HtmlPart): string {
  if (part === null) return '';
  if (typeof part === 'number') return String(part);
  if (typeof part === 'string') return escapeXml(part);
  if (part instanceof Html || part instanceof Xml) return part.text;
  return part.map(htmlText).join('');
}

/** `text` as a segment of a path or a value of a query; half a surrogate pair, which has no UTF-8, is U+FFFD. */
export function urlPart(text: string): string {
  return encodeURIComponent(text.replace(/\p{Cs}/gu, '\ufffd'));
}
