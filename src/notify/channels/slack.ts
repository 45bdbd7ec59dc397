/** Slack, through an incoming webhook (docs.slack.dev/messaging/sending-messages-using-incoming-webhooks). */
import type { Message } from '../../engine/alerting/events/catalogue.ts';
import { instantText } from '../../engine/core/instant.ts';
import { fit, unitsOf } from '../wording/fit.ts';
import { escapeTags, fitLines, labelledTitle, linksOf, lookOf, textOf, titled } from '../wording/text.ts';
import { type WordingLine, lineText } from '../wording/wording.ts';
import { wordingOf } from '../wording/words.ts';
import type { ChannelOf } from './channel.ts';
import { type HttpCall, type HttpChannel, jsonBody } from './http.ts';

/** A header has 150 characters, a text of any other block 3,000. */
const limits = { header: 150, body: 2900 } as const;

/** Elements of a rich text are text as it is: mrkdwn has no way to escape an asterisk. */
const plainElement = (text: string) => ({ type: 'text', text });
const boldElement = (text: string) => ({ type: 'text', text, style: { bold: true } });

function elementsOf(line: WordingLine, index: number) {
  const start = index === 0 ? '' : '\n';
  if (typeof line === 'string') return [plainElement(`${start}${line}`)];
  const label = boldElement(`${start}${line.label}${line.joint.trimEnd()}`);
  return [label, plainElement(` ${line.value}`)];
}

function blocksOf(message: Message) {
  const wording = wordingOf(message);
  const { lines, quote } = wording;
  const title = labelledTitle(wording, message.severity);
  const heading = fit(`${lookOf(message).mark} ${title}`, { limit: limits.header, lengthOf: unitsOf });
  const lengthOf = (line: WordingLine) => lineText(line).length + 1;
  const kept = fitLines(lines, { limit: limits.body, lengthOf });
  const left = limits.body - kept.reduce((length, line) => length + lengthOf(line), 0);
  const answer = fitLines(quote, { limit: left, lengthOf }).map(lineText);
  const links = linksOf(message).map(({ label, url }) => `<${escapeTags(url)}|${label}>`);
  const secs = Math.floor(message.at / 1000);
  // In the time zone of each reader.
  const when = `<!date^${secs}^{date_short_pretty}, {time_secs}|${instantText(message.at)}>`;
  const sections = [
    { type: 'rich_text_section', elements: kept.flatMap(elementsOf) },
    ...(answer.length === 0
      ? []
      : [{ type: 'rich_text_preformatted', elements: [plainElement(answer.join('\n'))] }]),
  ];
  return [
    { type: 'header', text: { type: 'plain_text', text: heading, emoji: false } },
    ...(kept.length === 0 ? [] : [{ type: 'rich_text', elements: sections }]),
    ...(links.length === 0 ? [] : [{ type: 'section', text: { type: 'mrkdwn', text: links.join('   ') } }]),
    { type: 'context', elements: [{ type: 'mrkdwn', text: when }] },
  ];
}

/** What notifications show, and clients that know no blocks; from 4,000 on a message is split in two. */
function fallbackOf(message: Message): string {
  return textOf(titled(wordingOf(message), message.severity), message, {
    limit: 3000,
    encode: escapeTags,
    encodeLink: (link) => `<${escapeTags(link)}>`,
  });
}

function post(channel: ChannelOf<'slack'>, document: Readonly<Record<string, unknown>>): HttpCall {
  const own = { ...document, mrkdwn: false, unfurl_links: false, unfurl_media: false };
  return { url: channel.webhook_url.reveal(), method: 'POST', ...jsonBody(own) };
}

export const slack: HttpChannel<'slack'> = {
  vendor: 'Slack',
  call: (message, channel) => post(channel, { text: fallbackOf(message), blocks: blocksOf(message) }),
  plain: {
    isWanted: (answer, statusCode) => statusCode === 400 && /^invalid_blocks/.test(answer),
    call: (message, channel) => post(channel, { text: fallbackOf(message) }),
  },
  whoAmI: null,
  advice: {
    400: 'webhook_url',
    403: 'webhook_url, and whether the app may write to its channel',
    404: 'webhook_url: the webhook or its channel is gone',
    410: 'webhook_url: its channel is archived',
  },
};
