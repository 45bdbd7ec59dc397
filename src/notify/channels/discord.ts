/** Discord, through a webhook (docs.discord.com/developers/resources/webhook#execute-webhook). */
import type { Message } from '../../engine/alerting/events/catalogue.ts';
import { fieldsOf, parseJson } from '../../engine/core/decode.ts';
import { timestampText } from '../../engine/core/instant.ts';
import { fit } from '../wording/fit.ts';
import {
  fitLines,
  isPublic,
  linksOf,
  lookOf,
  safeLink,
  labelledTitle,
  textOf,
  titled,
} from '../wording/text.ts';
import { type Fact, type WordingLine, lineText } from '../wording/wording.ts';
import { wordingOf } from '../wording/words.ts';
import type { ChannelOf } from './channel.ts';
import { type HttpCall, type HttpChannel, jsonBody } from './http.ts';

/** Discord's Markdown: emphasis, code, strikes, spoilers, whatever is between angle brackets, mass mentions. */
const marks = /[\\*_~`|<]|@(?=everyone|here)/g;
/** Quotes, headings, small print and lists, at the start of a line alone. */
const lineMarks = /^( *)([>#]|[-+](?=[\s#]))/gm;
const numbers = /^( *\d+)\.(?=\s)/gm;
/** `https://` would become a link, `:smile:` a picture. The time of day is neither. */
const colons = /:(?=\/\/|(?!\d+:)[\w+~-]+:)/g;
const brackets = /[[\]]/g;

/** A backslash takes the meaning out of a mark and is not shown. */
function encode(text: string): string {
  const bare = text
    .replace(marks, '\\$&')
    .replace(colons, '\\:')
    .replace(lineMarks, '$1\\$2')
    .replace(numbers, '$1\\.');
  return bare.includes('](') ? bare.replace(brackets, '\\$&') : bare;
}

const encodedLength = (text: string) => encode(text).length;

/** A title has 256 characters, a description 4,096, the value of a field 1,024, 25 fields, all of an embed 6,000. */
const limits = { title: 256, description: 3000, fields: 2400, value: 1024, count: 25 } as const;
/** Values as short as this stand side by side. */
const longestInline = 40;

function described(line: WordingLine): string {
  if (typeof line === 'string') return encode(line);
  return `**${line.label}${line.joint.trimEnd()}** ${encode(line.value)}`;
}

function embedOf(message: Message) {
  const wording = wordingOf(message);
  const { lines, quote } = wording;
  const title = labelledTitle(wording, message.severity);
  const link = message.link === null ? null : safeLink(message.link);
  const titleLink = link !== null && isPublic(link) ? link : null;
  const links = linksOf(message).flatMap(({ label, url }) =>
    url === titleLink ? [] : isPublic(url) ? [`[${label}](<${url}>)`] : [`${label}: <${url}>`],
  );
  const [verdict, ...others] = lines;
  const isFact = (line: WordingLine): line is Fact => typeof line !== 'string';
  const text = verdict === undefined ? [] : [verdict, ...others.filter((line) => !isFact(line))];
  const room = limits.description - links.join('\n').length - 1;
  const kept = fitLines(text, { limit: room, lengthOf: (line) => described(line).length + 1 }).map(described);
  const left = room - kept.join('\n').length;
  const quoted = (line: WordingLine) => `> ${encode(lineText(line))}`;
  const answer = fitLines(quote, { limit: left, lengthOf: (line) => quoted(line).length + 1 }).map(quoted);
  const description = [...kept, ...answer, ...links].join('\n');
  const fields = fitLines(others.filter(isFact).slice(0, limits.count).map(shortened), {
    limit: limits.fields,
    lengthOf: (line) => encodedLength(lineText(line)),
  }).filter(isFact);
  return {
    title: encode(fit(title, { limit: limits.title, lengthOf: encodedLength })),
    ...(titleLink !== null && { url: titleLink }),
    color: parseInt(lookOf(message).colour.slice(1), 16),
    ...(description !== '' && { description }),
    fields: fields.map(({ label, value }) => ({
      name: label,
      value: encode(value),
      inline: value.length <= longestInline,
    })),
    timestamp: timestampText(message.at),
  };
}

function shortened(line: Fact): Fact {
  return { ...line, value: fit(line.value, { limit: limits.value, lengthOf: encodedLength }) };
}

function post(channel: ChannelOf<'discord'>, document: Readonly<Record<string, unknown>>): HttpCall {
  return {
    url: channel.webhook_url.reveal(),
    method: 'POST',
    ...jsonBody({ ...document, allowed_mentions: { parse: [] } }),
  };
}

/** SUPPRESS_EMBEDS: a link needs no preview. It would hide our own embeds, too. */
const suppressEmbeds = 4;

/** Webhooks name what is wrong alone, `{"embeds": ["0"]}`; the rest of the API puts it under `errors`. */
const isAboutEmbeds = (answer: Readonly<Record<string, unknown>>): boolean =>
  'embeds' in answer || 'embeds' in fieldsOf(answer['errors']);

export const discord: HttpChannel<'discord'> = {
  vendor: 'Discord',
  call: (message, channel) => {
    const title = labelledTitle(wordingOf(message), message.severity);
    // For push notifications, and for readers who do not have embeds shown.
    const content = encode(fit(title, { limit: 2000, lengthOf: encodedLength }));
    return post(channel, { content, embeds: [embedOf(message)] });
  },
  plain: {
    isWanted: (answer, statusCode) => statusCode === 400 && isAboutEmbeds(fieldsOf(parseJson(answer))),
    call: (message, channel) => {
      const content = textOf(titled(wordingOf(message), message.severity), message, {
        limit: 2000,
        encode,
        encodeLink: (link) => `<${link}>`,
      });
      return post(channel, { content, flags: suppressEmbeds });
    },
  },
  // Asking for the webhook needs no other credential than its address.
  whoAmI: (channel) => ({ url: channel.webhook_url.reveal(), method: 'GET', headers: [], body: null }),
  advice: {
    401: 'webhook_url: its token is wrong',
    403: 'webhook_url',
    404: 'webhook_url: the webhook was deleted',
  },
};
