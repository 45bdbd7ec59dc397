/** Text that a reader of Markdown shows letter by letter: fenced code, in which nothing is markup or a mention. */
import type { Message } from '../../engine/alerting/events/catalogue.ts';
import { linksOf, textOf, titled } from '../wording/text.ts';
import { wordingOf } from '../wording/words.ts';

interface Room {
  readonly limit: number;
  /** In what the vendor counts; default: UTF-16 units. */
  readonly lengthOf?: (text: string) => number;
}

/** All of a message within a fence that it cannot close, and the links behind it. */
export function fenced(message: Message, { limit, lengthOf = (text) => text.length }: Room): string {
  const lines = titled(wordingOf(message), message.severity);
  const runs = lines.join('\n').match(/`+/g) ?? [];
  const longest = runs.reduce((most, { length }) => Math.max(most, length), 2);
  // A run that is longer than any message needs is cut down, so that the fence stays short.
  const fence = '`'.repeat(Math.min(longest, 20) + 1);
  const encode = (text: string) => text.replace(/`{21,}/g, (run) => run.slice(0, 20));
  const ending = linksOf(message)
    .map(({ label, url }) => `\n${label}: <${url}>`)
    .join('');
  const kept = lengthOf(ending) <= limit / 2 ? ending : '';
  const around = `${fence}text\n\n${fence}${kept}`;
  const text = textOf(lines, null, { limit: limit - lengthOf(around), lengthOf, encode });
  return `${fence}text\n${text}\n${fence}${kept}`;
}
