/** Turns a notification of Uptime Kuma into a channel, or into the reason why not. */
import { createRemarks, type Item, type Remarks } from '../item.ts';
import { anObject, parseJson } from '../../../engine/core/decode.ts';
import { flagIn, type Loose, numberOrNullIn, ownValue, textIn } from '../record.ts';
import type { TomlValue } from '../toml-value.ts';
import type { Secrets } from '../variables.ts';
import type { KumaNotification, KumaSettings } from './data.ts';

interface ChannelContext {
  readonly name: string;
  readonly secrets: Secrets;
}

interface Making {
  readonly config: Loose;
  readonly remarks: Remarks;
  readonly text: (key: string) => string;
  /** The value of a form's field, as a secret named after the setting. */
  readonly secret: (setting: string, key: string) => TomlValue;
  /** A secret that was put together from fields. */
  readonly keep: (setting: string, value: string, origin: string) => TomlValue;
}

type Convert = (making: Making) => KumaSettings | string;

export function channelItem(notification: KumaNotification, { name, secrets }: ChannelContext): Item {
  const { config, isActive } = notification;
  const type = textIn(config, 'type');
  const remarks = createRemarks();
  const item = { kind: 'channel', name: notification.name || name, type: type || 'unknown' } as const;
  const leftOut = (text: string): Item => ({
    ...item,
    result: { kind: 'left_out' },
    remarks: [{ level: 'dropped', text }],
  });
  if (!isActive) return leftOut('is switched off');
  const convert = ownValue(channels, type);
  if (convert === undefined) {
    return leftOut(`statusd has no channel for ${type || 'this'}: a webhook, ntfy or email may do`);
  }
  const keep = (setting: string, value: string, origin: string) =>
    value === ''
      ? ''
      : secrets.keep(value, {
          label: `${name} ${setting}`,
          origin: `${origin} of the notification "${name}"`,
        });
  const own = convert({
    config,
    remarks,
    text: (key) => textIn(config, key).trim(),
    keep,
    secret: (setting, key) => keep(setting, textIn(config, key).trim(), key),
  });
  if (typeof own === 'string') return leftOut(own);
  const settings = new Map<string, TomlValue>([['name', name], ...own]);
  const table = { section: 'channels', settings, comments: [] } as const;
  return { ...item, result: { kind: 'written', table }, remarks: remarks.list };
}

const channels: Readonly<Record<string, Convert>> = {
  telegram: ({ text, secret, remarks }) => {
    if (text('telegramMessageThreadID') !== '') remarks.drop('writes to a topic of the chat');
    const server = text('telegramServerUrl').replace(/\/+$/, '');
    return [
      ['type', 'telegram'],
      ['token', secret('token', 'telegramBotToken')],
      ['chat_id', text('telegramChatID')],
      ...(server === '' || server === 'https://api.telegram.org' ? [] : ([['api_url', server]] as const)),
    ];
  },
  discord: ({ text, secret, remarks }) => {
    if (text('discordPrefixMessage') !== '') remarks.drop('puts a text before its messages');
    const kind = text('discordChannelType');
    if (kind === 'createNewForumPost')
      return 'opens a post in a forum: give it the webhook of a text channel';
    if (kind === 'postToThread')
      remarks.approximate('writes to a thread: to the channel of the webhook here');
    return [
      ['type', 'discord'],
      ['webhook_url', secret('webhook url', 'discordWebhookUrl')],
    ];
  },
  slack: ({ text, secret, config, remarks }) => {
    if (text('slackchannel') !== '') remarks.approximate('names a channel: that of the webhook is used');
    if (flagIn(config, 'slackchannelnotify', false)) remarks.drop('calls the whole channel');
    return [
      ['type', 'slack'],
      ['webhook_url', secret('webhook url', 'slackwebhookURL')],
    ];
  },
  matrix: ({ text, secret }) => [
    ['type', 'matrix'],
    ['homeserver', text('homeserverUrl').replace(/\/+$/, '')],
    ['token', secret('token', 'accessToken')],
    ['room_id', text('internalRoomId')],
  ],
  ntfy: ({ text, secret, keep, config, remarks }) => {
    const method = text('ntfyAuthenticationMethod');
    if (method === 'usernamePassword')
      remarks.drop('logs in with a user and a password: make an access token');
    if (numberOrNullIn(config, 'ntfyPriority') !== null)
      remarks.approximate('has a priority of its own: it follows the severity here');
    const address = `${(text('ntfyserverurl') || 'https://ntfy.sh').replace(/\/+$/, '')}/${encodeURIComponent(text('ntfytopic'))}`;
    return [
      ['type', 'ntfy'],
      ['url', keep('url', address, 'ntfyserverurl/ntfytopic')],
      ...(method === 'accessToken' ? ([['token', secret('token', 'ntfyaccesstoken')]] as const) : []),
    ];
  },
  gotify: ({ text, secret }) => [
    ['type', 'gotify'],
    ['url', text('gotifyserverurl').replace(/\/+$/, '')],
    ['token', secret('token', 'gotifyapplicationToken')],
  ],
  pushover: ({ text, secret, remarks }) => {
    if (text('pushoverdevice') !== '') remarks.approximate('goes to one device: to all of the user here');
    return [
      ['type', 'pushover'],
      ['token', secret('token', 'pushoverapptoken')],
      ['user', secret('user', 'pushoveruserkey')],
    ];
  },
  smtp: ({ text, secret, config, remarks }) => {
    const copies = ['smtpCC', 'smtpBCC'].flatMap((key) => addresses(text(key)));
    if (copies.length > 0) remarks.approximate('sends copies: all get the mail as its receivers here');
    if (flagIn(config, 'smtpIgnoreTLSError', false)) remarks.drop('takes any certificate of the mail server');
    if (text('customSubject') !== '' || text('customBody') !== '')
      remarks.drop('has a subject or text of its own');
    const to = [...addresses(text('smtpTo')), ...copies];
    return [
      ['type', 'email'],
      ['host', text('smtpHost')],
      ['port', numberOrNullIn(config, 'smtpPort') ?? 587],
      ...(flagIn(config, 'smtpSecure', false) ? ([['implicit_tls', true]] as const) : []),
      ...(text('smtpUsername') === '' ? [] : ([['username', text('smtpUsername')]] as const)),
      ...(text('smtpPassword') === '' ? [] : ([['password', secret('password', 'smtpPassword')]] as const)),
      ['from', plainMailbox(text('smtpFrom'))],
      ['to', to.length === 1 ? (to[0] ?? '') : to],
    ];
  },
  FreeMobile: ({ text, secret }) => [
    ['type', 'freemobile'],
    ['user', text('freemobileUser')],
    ['pass', secret('pass', 'freemobilePass')],
  ],
  webhook: ({ text, secret, remarks }) => {
    if (text('httpMethod').toLowerCase() === 'get') return 'calls its address with GET: statusd posts JSON';
    if (anObject(parseJson(text('webhookAdditionalHeaders')))) remarks.drop('adds headers of its own');
    remarks.approximate('posts other JSON than Uptime Kuma: see the webhook channel in statusd.toml(5)');
    return [
      ['type', 'webhook'],
      ['url', secret('url', 'webhookURL')],
    ];
  },
};

/** `"Operations, EU" <ops@example.com>, b@example.com`: commas inside of a name part nothing. */
function addresses(list: string): string[] {
  return list
    .split(/[,;](?=(?:[^"]*"[^"]*")*[^"]*$)/)
    .map((one) => plainMailbox(one.trim()))
    .filter((one) => one !== '');
}

/** Without quotes, and so without what needs them. */
function plainMailbox(written: string): string {
  return written.replace(/^"?([^"<]*)"?\s*</, (_, name: string) =>
    `${name.replace(/[,;\s]+/g, ' ').trim()} <`.trimStart(),
  );
}
