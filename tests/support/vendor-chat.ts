/** The rules of the chat vendors: Telegram, Discord, Slack, Matrix. */
import {
  documentOf,
  isWellFormed,
  json,
  type Notified,
  type VendorAnswer,
  type VendorRules,
} from './vendor-server.ts';

type Table = Readonly<Record<string, unknown>>;

const isTable = (value: unknown): value is Table => typeof value === 'object' && value !== null;

const isText = (value: unknown): value is string => typeof value === 'string';

interface ParsedHtml {
  readonly text: string;
  /** Without what is set as it is, in which nothing is a mention. */
  readonly words: string;
  readonly links: readonly string[];
}

/** core.telegram.org/bots/api#html-style, the tags that are used here; null: "can't parse entities". */
function readHtml(html: string): ParsedHtml | null {
  const open: string[] = [];
  const read = { text: '', words: '', links: [] as string[] };
  for (const [piece] of html.matchAll(/<[^>]*>?|[^<]+/g)) {
    const [, end, name = '', href] = /^<(\/?)(b|pre|a)(?: href="([^"<>]*)")?>$/.exec(piece) ?? [];
    if (piece.startsWith('<')) {
      if (name === '' || (name === 'a' && end === '') !== (href !== undefined)) return null;
      if (end === '/' && open.pop() !== name) return null;
      if (end === '') open.push(name);
      if (href !== undefined) read.links.push(unescaped(href));
      continue;
    }
    if (/&(?!(amp|lt|gt|quot);)/.test(piece)) return null;
    const text = unescaped(piece);
    read.text += text;
    if (!open.includes('pre')) read.words += text;
  }
  return open.length === 0 ? read : null;
}

const unescaped = (escaped: string) =>
  escaped.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');

/** core.telegram.org/bots/api: `@name` rings outside of code, with and without a parse_mode. */
export function telegramRules({ token, chatId }: { token: string; chatId: string }): VendorRules {
  const refuse = (status: number, description: string) =>
    json(status, { ok: false, error_code: status, description });
  return (request) => {
    const [, bot, method] = /^\/bot([^/]+)\/(\w+)$/.exec(request.path) ?? [];
    if (bot !== token) return refuse(401, 'Unauthorized');
    if (method === 'getMe') return json(200, { ok: true, result: { is_bot: true } });
    const document = documentOf(request);
    if (method !== 'sendMessage' || request.method !== 'POST') return refuse(404, 'Not Found');
    if (document === null) return refuse(400, 'Bad Request: chat_id is empty');
    const { chat_id: chat, text, parse_mode: parseMode, entities } = document;
    if (chat !== chatId) return refuse(400, 'Bad Request: chat not found');
    if (!isText(text) || text.trim() === '') return refuse(400, 'Bad Request: message text is empty');
    const plain = { text, words: text, links: [] };
    const read = parseMode === 'HTML' ? readHtml(text) : plain;
    if (read === null) return refuse(400, "Bad Request: can't parse entities: Unsupported start tag");
    if (read.text.length > 4096) return refuse(400, 'Bad Request: message is too long');
    if (!isWellFormed(text)) return refuse(400, 'Bad Request: strings must be encoded in UTF-8');
    const [heading = '', ...rest] = read.text.replaceAll('\u200b', '').split('\n');
    const title = parseMode === 'HTML' ? heading : null;
    const labels = new Set(read.links.length === 0 ? [] : ['Status page', 'Acknowledge', '']);
    const shown = rest.filter((line) => !labels.has(line));
    return json(
      200,
      { ok: true, result: { message_id: 1 } },
      {
        title,
        text: title === null ? read.text.replaceAll('\u200b', '') : shown.join('\n'),
        priority: null,
        mentions: read.words.match(/(?<!\w)@\w+/g) ?? [],
        markup: entities === undefined ? [] : ['entities'],
        links: [...read.links, ...(read.text.match(/https?:\/\/\S+/g) ?? [])],
      },
    );
  };
}

const discordMarks =
  /[*_`<\\]|~~|\|\||\[[^\]]*\]\(|^ *[>#]|^ *[-+] |^ *-# |^ *\d+\. |https?:\/\/|:(?!\d+:)[\w+~-]+:/gm;

/** What Discord shows of Markdown, and what of it is more than text. */
function readDiscord(markdown: string): Pick<Notified, 'text' | 'mentions' | 'markup'> {
  // A backslash hides the character behind it from the parser, unless that is a letter, a digit or a space.
  const bare = markdown.replace(/\\[^A-Za-z0-9\s]/g, '\u0000');
  return {
    text: markdown.replace(/\\([^A-Za-z0-9\s])/g, '$1'),
    mentions: bare.match(/@everyone|@here|<[@#&]/g) ?? [],
    markup: bare.match(discordMarks) ?? [],
  };
}

/** The embed: its own labels are bold, its quotes stand behind an angle bracket, its last line may be a link. */
function readEmbed(embed: Table): Notified | string {
  const { title, description = '', url, color, fields, footer, timestamp } = embed;
  if (!isText(title) || title.trim() === '' || title.length > 256) return 'title';
  if (!isText(description) || description.length > 4096) return 'description';
  if ('description' in embed && description.trim() === '') return 'description';
  if (!Number.isInteger(color) || Number(color) > 0xff_ff_ff) return 'color';
  if (!isText(timestamp) || Number.isNaN(Date.parse(timestamp))) return 'timestamp';
  const foot = isTable(footer) && isText(footer['text']) ? footer['text'] : '';
  const rows = Array.isArray(fields) ? fields.filter(isTable) : [];
  if (rows.length > 25) return 'fields';
  const values = rows.map(
    ({ name, value }) => [isText(name) ? name : '', isText(value) ? value : ''] as const,
  );
  const isFit = values.every(
    ([name, value]) => name !== '' && name.length <= 256 && value.trim() !== '' && value.length <= 1024,
  );
  if (!isFit || !rows.every(({ inline }) => typeof inline === 'boolean')) return 'fields';
  const all = [title, description, foot, ...values.flat()].join('');
  if (all.length > 6000 || !isWellFormed(all)) return 'embeds';
  // An address without a public name is "not a well formed URL".
  const hasPublicName = isText(url) && /^https?:\/\/[^/]*\.[a-z][a-z-]+(?=[:/]|$)/.test(url);
  if (url !== undefined && !hasPublicName) return 'url';
  const link =
    /^(?:\[(?:Acknowledge|Status page)\]\(|(?:Acknowledge|Status page): )<(https?:\/\/[^<>\s]+)>\)?$/;
  const written = description.split('\n');
  const linked = written.flatMap((line) => link.exec(line)?.[1] ?? []);
  const lines = written.filter((line) => !link.test(line));
  const parts = lines.map((line) => readDiscord(line.replace(/^> |^\*\*([A-Z][\w -]*:?)\*\*(?= )/, '$1')));
  const shown = [...parts, ...values.map(([, value]) => readDiscord(value))];
  const read = [readDiscord(title), ...shown];
  return {
    title: read[0]?.text ?? '',
    text: [
      ...parts.map(({ text }) => text),
      ...values.map(([name, value]) => `${name} ${readDiscord(value).text}`),
    ].join('\n'),
    priority: null,
    mentions: read.flatMap(({ mentions }) => mentions),
    markup: read.flatMap(({ markup }) => markup),
    links: [...linked, ...(isText(url) ? [url] : [])],
  };
}

/** docs.discord.com: the content and an embed are Markdown, and mentions ring unless they are switched off. */
export function discordRules(path: string): VendorRules {
  return (request) => {
    if (request.path !== path) return json(404, { message: 'Unknown Webhook', code: 10_015 });
    if (request.method === 'GET') return json(200, { type: 1, id: '1' });
    const document = documentOf(request);
    const content = document?.['content'];
    if (request.method !== 'POST' || !isText(content) || content.trim() === '') {
      return json(400, { message: 'Cannot send an empty message', code: 50_006 });
    }
    const refuse = (field: string) =>
      json(400, { message: 'Invalid Form Body', code: 50_035, errors: { [field]: { _errors: [] } } });
    if (content.length > 2000 || !isWellFormed(content)) return refuse('content');
    const embeds = document?.['embeds'];
    const [embed, ...others] = Array.isArray(embeds) ? embeds.filter(isTable) : [];
    const read = embed === undefined ? null : readEmbed(embed);
    if (typeof read === 'string' || others.length > 0) return refuse('embeds');
    const rings = JSON.stringify(document?.['allowed_mentions']) !== '{"parse":[]}';
    const suppresses = (Number(document?.['flags'] ?? 0) & 4) !== 0;
    const link = /<(https?:\/\/[^<>\s]+)>$/.exec(content);
    const words = readDiscord(link === null ? content : content.slice(0, link.index));
    return {
      status: 204,
      body: '',
      notified: {
        title: read?.title ?? null,
        text: read?.text ?? `${words.text}${link?.[1] ?? ''}`,
        priority: null,
        mentions: [...(rings ? ['allowed_mentions'] : []), ...words.mentions, ...(read?.mentions ?? [])],
        markup: [
          ...words.markup,
          ...(read?.markup ?? []),
          ...(suppresses === (read === null) ? [] : ['flags']),
        ],
        links: read?.links ?? (link === null ? [] : [link[1] ?? '']),
      },
    };
  };
}

/** docs.slack.dev: whatever stands between angle brackets is a link or a mention; `mrkdwn` switches the rest off. */
function readSlack(text: string): Pick<Notified, 'text' | 'mentions' | 'markup' | 'links'> {
  const bracketed = [...text.matchAll(/<([^>]*)>/g)].map(([, inside]) => inside ?? '');
  const isLink = (inside: string) => /^https?:\/\/[^|]+(\|[A-Z][a-z ]+)?$/.test(inside);
  const isDate = (inside: string) => /^!date\^\d+\^[{}\w, ]+\|[-: \w]+$/.test(inside);
  return {
    text: unescaped(text.replace(/<([^>]*)>/g, '$1')),
    mentions: bracketed.filter((inside) => !isLink(inside) && !isDate(inside)),
    markup: /&(?!(amp|lt|gt);)/.test(text) ? ['a bare ampersand'] : [],
    links: bracketed.filter(isLink).map((inside) => unescaped(inside.replace(/\|.*$/, ''))),
  };
}

/** The blocks as documented: header 150 characters, other texts 3,000; elements of a rich text are text as it is. */
function readBlocks(blocks: readonly Table[]): Notified | null {
  const found = { title: null as string | null, lines: [] as string[] };
  const read: Pick<Notified, 'mentions' | 'markup' | 'links'>[] = [];
  let length = 0;
  for (const { type, text, elements } of blocks) {
    const table = isTable(text) ? text : {};
    const written = isText(table['text']) ? table['text'] : '';
    const parts = Array.isArray(elements) ? elements.filter(isTable) : [];
    if (type === 'header') {
      if (table['type'] !== 'plain_text' || table['emoji'] !== false) return null;
      if (written === '' || written.length > 150 || !isWellFormed(written)) return null;
      found.title = written;
    } else if (type === 'section') {
      if (table['type'] !== 'mrkdwn' || written === '' || written.length > 3000) return null;
      read.push(readSlack(written));
    } else if (type === 'context') {
      if (parts.length === 0 || parts.length > 10) return null;
      read.push(...parts.map((part) => readSlack(String(part['text']))));
    } else if (type === 'rich_text') {
      for (const { type: kind, elements: own } of parts) {
        if (kind !== 'rich_text_section' && kind !== 'rich_text_preformatted') return null;
        const runs = Array.isArray(own) ? own.filter(isTable) : [];
        if (!runs.every((run) => run['type'] === 'text' && isText(run['text']) && run['text'] !== ''))
          return null;
        const shown = runs.map((run) => String(run['text'])).join('');
        length += shown.length;
        found.lines.push(shown);
      }
    } else return null;
  }
  if (length > 3000 || blocks.length > 50 || found.title === null) return null;
  return {
    title: found.title,
    text: found.lines.join('\n'),
    priority: null,
    mentions: read.flatMap(({ mentions }) => mentions),
    markup: read.flatMap(({ markup }) => markup),
    links: read.flatMap(({ links }) => links),
  };
}

export function slackRules(path: string): VendorRules {
  const refuse = (status: number, body: string): VendorAnswer => ({ status, body, notified: null });
  return (request) => {
    if (request.path !== path) return refuse(404, 'no_service');
    const document = documentOf(request);
    if (document === null) return refuse(400, 'invalid_payload');
    const { text, mrkdwn, link_names: linkNames, parse, blocks, attachments } = document;
    if (!isText(text) || text === '') return refuse(400, 'no_text');
    // 4,000 and more would be split in two.
    if (text.length > 4000 || !isWellFormed(text)) return refuse(400, 'msg_too_long');
    const fallback = readSlack(text);
    const read = Array.isArray(blocks) ? readBlocks(blocks.filter(isTable)) : null;
    if (read === null && blocks !== undefined) return refuse(400, 'invalid_blocks');
    return {
      status: 200,
      body: 'ok',
      notified: {
        title: null,
        ...fallback,
        ...read,
        priority: null,
        mentions: [
          ...fallback.mentions,
          ...(read?.mentions ?? []),
          ...(linkNames === undefined && parse === undefined ? [] : ['link_names']),
        ],
        markup: [
          ...fallback.markup,
          ...(read?.markup ?? []),
          ...(mrkdwn === false ? [] : ['mrkdwn']),
          ...(attachments === undefined ? [] : ['attachments']),
        ],
      },
    };
  };
}

export interface MatrixRoom {
  readonly token: string;
  readonly room: string;
}

/** spec.matrix.org: a transaction is taken once, an event has 64 KiB, `m.mentions` says who is rung. */
export function matrixRules({ token, room }: MatrixRoom): VendorRules {
  const taken = new Map<string, string>();
  const refuse = (status: number, errcode: string, error: string) => json(status, { errcode, error });
  return (request) => {
    if (request.headers['authorization'] !== `Bearer ${token}`) {
      return refuse(401, 'M_UNKNOWN_TOKEN', 'Unrecognised access token');
    }
    if (request.path === '/_matrix/client/v3/account/whoami')
      return json(200, { user_id: '@bot:example.com' });
    const [, inRoom = '', transaction = ''] =
      /^\/_matrix\/client\/v3\/rooms\/([^/]+)\/send\/m\.room\.message\/([^/]+)$/.exec(request.path) ?? [];
    if (request.method !== 'PUT' || transaction === '') return refuse(404, 'M_UNRECOGNIZED', 'Unrecognized');
    if (decodeURIComponent(inRoom) !== room) return refuse(403, 'M_FORBIDDEN', 'User not in room');
    const known = taken.get(transaction);
    if (known !== undefined) return json(200, { event_id: known });
    const document = documentOf(request);
    if (document === null) return refuse(400, 'M_NOT_JSON', 'Content not JSON');
    const { body, msgtype, 'm.mentions': mentions, format, formatted_body: formatted } = document;
    if (!isText(body) || !isText(msgtype)) return refuse(400, 'M_BAD_JSON', 'No body');
    // What the server adds to an event is a few hundred bytes.
    if (request.body.length > 64_000 || !isWellFormed(body)) return refuse(413, 'M_TOO_LARGE', 'too large');
    // spec.matrix.org, "m.room.message msgtypes": some tags of HTML, in the format of that name.
    const html = isText(formatted) ? formatted : '';
    const read = readHtml(
      html.replaceAll('<br>', '\n').replace(/<(\/?)(?:pre><code|code><\/pre)>/g, '<$1pre>'),
    );
    if (read === null || format !== 'org.matrix.custom.html' || !isWellFormed(html))
      return refuse(400, 'M_BAD_JSON', 'formatted_body');
    const [title = '', ...rest] = read.text.split('\n');
    const shown = rest.filter((line) => !['Status page', 'Acknowledge', ''].includes(line));
    const eventId = `$${taken.size}:example.com`;
    taken.set(transaction, eventId);
    return json(
      200,
      { event_id: eventId },
      {
        title,
        text: shown.join('\n'),
        priority: null,
        // An event without the field is searched for names and @room by older push rules.
        mentions: JSON.stringify(mentions) === '{}' ? [] : ['m.mentions'],
        markup: msgtype === 'm.text' ? [] : ['msgtype'],
        links: [...read.links, ...(body.match(/https?:\/\/\S+/g) ?? [])],
      },
    );
  };
}
