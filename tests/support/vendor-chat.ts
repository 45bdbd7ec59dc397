/** The rules of the chat vendors: Telegram, Discord, Slack, Matrix. */
import { documentOf, isWellFormed, json, type VendorAnswer, type VendorRules } from './vendor-server.ts';

const isText = (value: unknown): value is string => typeof value === 'string';

/** core.telegram.org/bots/api: without parse_mode, `@name` is the only thing that rings. */
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
    if (text.length > 4096) return refuse(400, 'Bad Request: message is too long');
    if (!isWellFormed(text)) return refuse(400, 'Bad Request: strings must be encoded in UTF-8');
    return json(
      200,
      { ok: true, result: { message_id: 1 } },
      {
        title: null,
        text: text.replaceAll('\u200b', ''),
        priority: null,
        mentions: text.match(/(?<!\w)@\w+/g) ?? [],
        markup: parseMode === undefined && entities === undefined ? [] : ['parse_mode'],
        links: text.match(/https?:\/\/\S+/g) ?? [],
      },
    );
  };
}

const discordMarks =
  /[*_`<\\]|~~|\|\||\[[^\]]*\]\(|^ *[>#]|^ *[-+] |^ *\d+\. |https?:\/\/|:(?!\d+:)[\w+~-]+:/gm;

/** docs.discord.com: the content is Markdown, and mentions ring unless they are switched off. */
export function discordRules(path: string): VendorRules {
  return (request) => {
    if (request.path !== path) return json(404, { message: 'Unknown Webhook', code: 10_015 });
    if (request.method === 'GET') return json(200, { type: 1, id: '1' });
    const document = documentOf(request);
    const content = document?.['content'];
    if (request.method !== 'POST' || !isText(content) || content.trim() === '') {
      return json(400, { message: 'Cannot send an empty message', code: 50_006 });
    }
    if (content.length > 2000 || !isWellFormed(content)) {
      const detail = { content: { _errors: [{ message: 'Must be 2000 or fewer in length.' }] } };
      return json(400, { message: 'Invalid Form Body', code: 50_035, errors: detail });
    }
    const rings = JSON.stringify(document?.['allowed_mentions']) !== '{"parse":[]}';
    const link = /<(https?:\/\/[^<>\s]+)>$/.exec(content);
    const words = link === null ? content : content.slice(0, link.index);
    // A backslash hides the character behind it from the parser, unless that is a letter, a digit or a space.
    const bare = words.replace(/\\[^A-Za-z0-9\s]/g, '\u0000');
    return {
      status: 204,
      body: '',
      notified: {
        title: null,
        text: `${words.replace(/\\([^A-Za-z0-9\s])/g, '$1')}${link?.[1] ?? ''}`,
        priority: null,
        mentions: [...(rings ? ['allowed_mentions'] : []), ...(bare.match(/@everyone|@here|<[@#&]/g) ?? [])],
        markup: bare.match(discordMarks) ?? [],
        links: link === null ? [] : [link[1] ?? ''],
      },
    };
  };
}

/** docs.slack.dev: whatever stands between angle brackets is a link or a mention; `mrkdwn` switches the rest off. */
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
    const bracketed = [...text.matchAll(/<([^>]*)>/g)].map(([, inside]) => inside ?? '');
    const isLink = (inside: string) => /^https?:\/\/[^|]+$/.test(inside);
    const unescape = (escaped: string) =>
      escaped.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
    return {
      status: 200,
      body: 'ok',
      notified: {
        title: null,
        text: unescape(text.replace(/<([^>]*)>/g, '$1')),
        priority: null,
        mentions: [
          ...bracketed.filter((inside) => !isLink(inside)),
          ...(linkNames === undefined && parse === undefined ? [] : ['link_names']),
        ],
        markup: [
          ...(mrkdwn === false ? [] : ['mrkdwn']),
          ...(blocks === undefined && attachments === undefined ? [] : ['blocks']),
          ...(/&(?!(amp|lt|gt);)/.test(text) ? ['a bare ampersand'] : []),
        ],
        links: bracketed.filter(isLink).map(unescape),
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
    const { body, msgtype, 'm.mentions': mentions, formatted_body: formatted } = document;
    if (!isText(body) || !isText(msgtype)) return refuse(400, 'M_BAD_JSON', 'No body');
    // What the server adds to an event is a few hundred bytes.
    if (request.body.length > 64_000 || !isWellFormed(body)) return refuse(413, 'M_TOO_LARGE', 'too large');
    const eventId = `$${taken.size}:example.com`;
    taken.set(transaction, eventId);
    return json(
      200,
      { event_id: eventId },
      {
        title: null,
        text: body,
        priority: null,
        // An event without the field is searched for names and @room by older push rules.
        mentions: JSON.stringify(mentions) === '{}' ? [] : ['m.mentions'],
        markup: formatted === undefined && msgtype === 'm.text' ? [] : ['formatted_body'],
        links: body.match(/https?:\/\/\S+/g) ?? [],
      },
    );
  };
}
