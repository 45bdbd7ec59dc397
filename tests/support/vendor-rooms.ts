/** The rules of the rooms that teams talk in: Teams, Mattermost, Rocket.Chat, Google Chat, Zulip. */
import {
  documentOf,
  isWellFormed,
  json,
  type Notified,
  type VendorAnswer,
  type VendorRules,
} from './vendor-server.ts';

type Table = Readonly<Record<string, unknown>>;

const isText = (value: unknown): value is string => typeof value === 'string';
const isTable = (value: unknown): value is Table => typeof value === 'object' && value !== null;
const listOf = (value: unknown): readonly Table[] => (Array.isArray(value) ? value.filter(isTable) : []);
const plain = { priority: null, mentions: [], markup: [], links: [] } as const;
const said = (status: number, body: string, notified: Notified | null = null): VendorAnswer => ({
  status,
  body,
  notified,
});

/** adaptivecards.io: runs of a RichTextBlock are text; a message has 28 KB at most. */
export function teamsRules(path: string): VendorRules {
  return (request) => {
    if (request.path !== path) return json(404, { error: { code: 'WorkflowNotFound', message: 'gone' } });
    if (Buffer.byteLength(request.body) > 28 * 1024)
      return json(413, { error: { message: 'Request Entity Too Large' } });
    const document = documentOf(request);
    const [attachment, ...others] = listOf(document?.['attachments']);
    const card = attachment?.['content'];
    const isCard =
      document?.['type'] === 'message' &&
      attachment?.['contentType'] === 'application/vnd.microsoft.card.adaptive' &&
      others.length === 0 &&
      isTable(card) &&
      card['type'] === 'AdaptiveCard' &&
      /^1\.[0-5]$/.test(String(card['version']));
    if (!isCard) return json(400, { error: { message: 'The request is no message with a card' } });
    const all = listOf(card['body']);
    // The answer of a target stands in a container of its own.
    const blocks = all.flatMap((block) => (block['type'] === 'Container' ? listOf(block['items']) : [block]));
    const [title = '', ...lines] = blocks.map(({ inlines }) =>
      listOf(inlines)
        .map(({ text }) => (isText(text) ? text : ''))
        .join(''),
    );
    const links = listOf(card['actions']).map(({ type, url }) =>
      type === 'Action.OpenUrl' && isText(url) ? url : 'no link',
    );
    const markup = [
      ...blocks.filter(({ type }) => type !== 'RichTextBlock').map(({ type }) => String(type)),
      ...(isTable(card['msteams']) && 'entities' in card['msteams'] ? ['entities'] : []),
    ];
    return said(202, '', { ...plain, title, text: lines.join('\n'), markup, links });
  };
}

/** CommonMark, section 4.5: what is between two fences is text, and no shorter run of backticks ends it. */
function readFenced(content: string): Notified {
  const [, fence = '', rest = ''] = /^(`{3,})text\n([^]*)$/.exec(content) ?? [];
  const end = rest
    .split('\n')
    .findIndex((line) => /^ {0,3}`{3,}\s*$/.test(line) && line.trim().length >= fence.length);
  const lines = rest.split('\n');
  const [inside, behind] = [lines.slice(0, end), lines.slice(end + 1)];
  const link = /^(?:Acknowledge|Status page): <(https?:\/\/[^<>\s]+)>$/;
  const links = behind.map((line) => link.exec(line)?.[1] ?? 'no link');
  return {
    ...plain,
    title: null,
    text: inside.join('\n'),
    markup: fence === '' || end === -1 ? ['no fence'] : [],
    links,
  };
}

/** developers.mattermost.com: 16,383 characters, attachments included; mentions ring outside of code. */
export function mattermostRules(path: string): VendorRules {
  const refuse = (status: number, message: string) => json(status, { id: 'web.incoming_webhook', message });
  return (request) => {
    if (request.path !== path) return refuse(400, 'Invalid webhook.');
    const document = documentOf(request);
    const [attachment, ...others] = listOf(document?.['attachments']);
    const { text, fallback, color } = attachment ?? {};
    if (!isText(text) || !isText(fallback) || others.length > 0) return refuse(400, 'No text specified.');
    if (text.length + fallback.length > 16_383 || !isWellFormed(text))
      return refuse(400, 'Text is too long.');
    if (!/^#[0-9a-f]{6}$/.test(String(color))) return refuse(400, 'Invalid color.');
    const more = Object.keys(attachment ?? {}).filter((key) => !['text', 'fallback', 'color'].includes(key));
    const notified = readFenced(text);
    return said(200, 'ok', { ...notified, markup: [...notified.markup, ...more] });
  };
}

/** docs.rocket.chat: 5,000 characters unless somebody changed it. */
export function rocketchatRules(path: string): VendorRules {
  return (request) => {
    if (request.path !== path)
      return json(401, { success: false, error: 'Invalid integration id or token provided.' });
    const { text, attachments, alias } = documentOf(request) ?? {};
    if (!isText(text) || text.length > 5000 || !isWellFormed(text))
      return json(400, { success: false, error: 'error-message-size-exceeded' });
    const notified = readFenced(text);
    const more = attachments === undefined && alias === undefined ? [] : ['attachments'];
    return json(200, { success: true }, { ...notified, markup: [...notified.markup, ...more] });
  };
}

/** developers.google.com/workspace/chat: 32,000 bytes; a paragraph of a card is HTML, its header is text. */
export function googlechatRules(path: string, token: string): VendorRules {
  const refuse = (code: number, message: string) =>
    json(code, { error: { code, message, status: 'INVALID' } });
  return (request) => {
    if (request.path !== path || request.query.get('token') !== token) return refuse(401, 'Invalid token');
    if (Buffer.byteLength(request.body) > 32_000) return refuse(400, 'Message is too large');
    const document = documentOf(request);
    const [only, ...others] = listOf(document?.['cardsV2']);
    const card = only?.['card'];
    if (!isTable(card) || others.length > 0 || !isText(document?.['fallbackText']))
      return refuse(400, 'Message cannot be empty');
    const header = isTable(card['header']) ? card['header'] : {};
    const widgets = listOf(card['sections']).flatMap(({ widgets: all }) => listOf(all));
    const paragraphs = widgets.flatMap(({ textParagraph: paragraph }) =>
      isTable(paragraph) && isText(paragraph['text']) ? [paragraph['text']] : [],
    );
    // Labels are bold; nothing else is.
    const html = paragraphs.join('\n').replace(/^<b>([A-Z][\w -]*:?)<\/b>(?= )/gm, '$1');
    const text = html.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
    const addresses = JSON.stringify(widgets).match(/"openLink":\{"url":"[^"]*"/g) ?? [];
    return json(
      200,
      { name: 'spaces/A/messages/B' },
      {
        ...plain,
        title: String(header['title']),
        text,
        mentions: document['text'] === undefined ? [] : ['text'],
        markup: html.match(/<|&(?!(amp|lt|gt);)/g) ?? [],
        links: addresses.map((found) => found.slice('"openLink":{"url":"'.length, -1)),
      },
    );
  };
}

export interface ZulipBot {
  readonly email: string;
  readonly key: string;
}

/** zulip.com/api: 10,000 characters, 60 of topic. */
export function zulipRules({ email, key }: ZulipBot): VendorRules {
  const refuse = (status: number, msg: string) => json(status, { result: 'error', msg, code: 'BAD_REQUEST' });
  const login = `Basic ${Buffer.from(`${email}:${key}`).toString('base64')}`;
  return (request) => {
    if (request.headers['authorization'] !== login) return refuse(401, 'Invalid API key');
    if (request.path === '/api/v1/users/me') return json(200, { result: 'success', is_bot: true });
    if (request.path !== '/api/v1/messages' || request.method !== 'POST') return refuse(404, 'no such page');
    const form = new URLSearchParams(request.body);
    const [type, to, topic, content] = ['type', 'to', 'topic', 'content'].map((name) => form.get(name) ?? '');
    if (type !== 'stream' || to !== 'ops') return refuse(400, 'Channel does not exist');
    if (topic === undefined || topic === '' || Array.from(topic).length > 60)
      return refuse(400, 'Invalid topic');
    if (content === undefined || content === '' || Array.from(content).length > 10_000)
      return refuse(400, 'Message is too long');
    return json(200, { result: 'success', id: 1 }, readFenced(content));
  };
}
