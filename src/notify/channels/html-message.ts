/** A message as the little HTML that Telegram and Matrix show: bold labels, the answer set apart, links. */
import type { Message } from '../../engine/alerting/events/catalogue.ts';
import { fit } from '../wording/fit.ts';
import { escapeTags, fitLines, htmlLine, labelledTitle, linksOf, lookOf } from '../wording/text.ts';
import type { WordingLine } from '../wording/wording.ts';
import { wordingOf } from '../wording/words.ts';

export interface HtmlStyle {
  readonly limit: number;
  /** In what the vendor counts. Markup counts, so that a text that fits is never cut inside of it. */
  readonly lengthOf: (html: string) => number;
  readonly lineBreak: string;
  /** Takes the meaning out of what would be markup or a mention. */
  readonly encode: (text: string) => string;
  /** Around the answer of a target, in which nothing is a mention. */
  readonly answer: readonly [start: string, end: string];
  /** Whether an address can be behind a word; otherwise it is shown. */
  readonly isLinkable: (url: string) => boolean;
}

const longestTitle = 1000;

/** What matters least is last and is cut first; the links stay. */
export function htmlMessage(message: Message, style: HtmlStyle): string {
  const { limit, lengthOf, lineBreak, encode, answer, isLinkable } = style;
  const wording = wordingOf(message);
  const { lines, quote } = wording;
  const title = labelledTitle(wording, message.severity);
  const heading = fit(title, { limit: longestTitle, lengthOf: (text) => lengthOf(encode(text)) });
  const head = `${lookOf(message).mark} <b>${encode(heading)}</b>`;
  const links = linksOf(message).map(({ label, url }) =>
    isLinkable(url) ? `<a href="${escapeTags(url)}">${label}</a>` : `${label}: ${escapeTags(url)}`,
  );
  const ending = links.length === 0 ? '' : `${lineBreak}${lineBreak}${links.join(lineBreak)}`;
  const htmlOf = (line: WordingLine) => `${lineBreak}${htmlLine(line, encode)}`;
  const room = limit - lengthOf(`${head}${ending}`);
  const words = fitLines(lines, { limit: room, lengthOf: (line) => lengthOf(htmlOf(line)) })
    .map(htmlOf)
    .join('');
  const around = lengthOf(`${lineBreak}${answer.join('')}`);
  const answered = fit(quote.join('\n'), {
    limit: room - lengthOf(words) - around,
    lengthOf: (text) => lengthOf(escapeTags(text)),
  });
  const block = answered === '' ? '' : `${lineBreak}${answer[0]}${escapeTags(answered)}${answer[1]}`;
  return `${head}${words}${block}${ending}`;
}
