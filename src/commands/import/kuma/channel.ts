/** Turns a notification of Uptime Kuma into a channel, or into the reason why not. */
import { type BodyTemplate, bodyTemplate, withContentType } from '../body-template.ts';
import { createRemarks, type Item, type Remarks } from '../item.ts';
import { remarkOnRelay } from '../relay.ts';
import { type CredentialOwner, secretHeader } from '../credentials.ts';
import { anObject, parseJson } from '../../../engine/core/decode.ts';
import { flagIn, type Loose, numberOrNullIn, ownValue, textIn } from '../record.ts';
import type { TomlValue } from '../toml-value.ts';
import type { Secrets } from '../variables.ts';
import type { KumaNotification, KumaSettings } from './data.ts';
import { reportLosses } from './losses.ts';

interface ChannelContext {
  readonly name: string;
  readonly secrets: Secrets;
}

interface ChannelInputs {
  readonly config: Loose;
  readonly remarks: Remarks;
  readonly text: (key: string) => string;
  /** The value of a form's field, as a secret named after the setting. */
  readonly secret: (setting: string, key: string) => TomlValue;
  /** A secret that was put together from fields. */
  readonly keep: (setting: string, value: string, origin: string) => TomlValue;
  readonly owner: CredentialOwner;
}

type Convert = (making: ChannelInputs) => KumaSettings | string;

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
    owner: { id: name, whose: `of the notification "${name}"`, secrets },
  });
  if (typeof own === 'string') return leftOut(own);
  reportLosses(type, config, remarks);
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
    if (text('discordPrefixMessage') !== '') remarks.drop('puts text before its messages');
    const kind = text('discordChannelType');
    if (kind === 'createNewForumPost')
      return 'opens a post in a forum: give it the webhook of a text channel';
    if (kind === 'postToThread')
      remarks.approximate('writes to a thread: statusd writes to the channel of the webhook');
    return [
      ['type', 'discord'],
      ['webhook_url', secret('webhook url', 'discordWebhookUrl')],
    ];
  },
  slack: ({ text, secret, config, remarks }) => {
    if (text('slackchannel') !== '')
      remarks.approximate('names a channel: statusd writes to that of the webhook');
    if (flagIn(config, 'slackchannelnotify', false)) remarks.drop('mentions the whole channel');
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
    if (numberOrNullIn(config, 'ntfyPriority') !== null)
      remarks.approximate('has a priority of its own: in statusd it follows the severity');
    const server = (text('ntfyserverurl') || 'https://ntfy.sh').replace(/\/+$/, '');
    const login = [text('ntfyusername'), text('ntfypassword')].map(encodeURIComponent).join(':');
    const place = method === 'usernamePassword' ? server.replace('://', `://${login}@`) : server;
    const address = `${place}/${encodeURIComponent(text('ntfytopic'))}`;
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
    if (text('pushoverdevice') !== '')
      remarks.approximate('goes to one device: statusd sends to all devices of the user');
    return [
      ['type', 'pushover'],
      ['token', secret('token', 'pushoverapptoken')],
      ['user', secret('user', 'pushoveruserkey')],
    ];
  },
  smtp: ({ text, secret, config, remarks }) => {
    const copies = ['smtpCC', 'smtpBCC'].flatMap((key) => addresses(text(key)));
    if (copies.length > 0) remarks.approximate('sends copies: in statusd all of them are recipients');
    if (text('customSubject') !== '' || text('customBody') !== '')
      remarks.drop('has a subject or text of its own');
    const to = [...addresses(text('smtpTo')), ...copies];
    const port = numberOrNullIn(config, 'smtpPort') ?? 587;
    const isImplicit = flagIn(config, 'smtpSecure', false);
    const hasLogin = text('smtpUsername') !== '' || text('smtpPassword') !== '';
    const isSkipped = flagIn(config, 'smtpIgnoreSTARTTLS', false);
    remarkOnRelay({ port, isImplicit, hasLogin, isSkipped }, remarks);
    return [
      ['type', 'email'],
      ['host', text('smtpHost')],
      ['port', port],
      ...(isImplicit ? ([['implicit_tls', true]] as const) : []),
      ...(text('smtpUsername') === '' ? [] : ([['username', text('smtpUsername')]] as const)),
      ...(text('smtpPassword') === '' ? [] : ([['password', secret('password', 'smtpPassword')]] as const)),
      ['from', plainMailbox(text('smtpFrom'))],
      ['to', to.length === 1 ? (to[0] ?? '') : to],
      ...(flagIn(config, 'smtpIgnoreTLSError', false) ? ([['tls_verify', false]] as const) : []),
    ];
  },
  FreeMobile: ({ text, secret }) => [
    ['type', 'freemobile'],
    ['user', text('freemobileUser')],
    ['pass', secret('pass', 'freemobilePass')],
  ],
  webhook: ({ text, secret, remarks, owner }) => {
    const isGet = text('httpMethod').toLowerCase() === 'get';
    const added = parseJson(text('webhookAdditionalHeaders'));
    const written = new Map<string, TomlValue>(
      Object.entries(anObject(added) ? added : {}).map(([name, value]) => [
        name,
        secretHeader(name, String(value), owner),
      ]),
    );
    const template = text('webhookContentType') === 'custom' ? text('webhookCustomBody') : '';
    const own = kumaTemplate(template);
    const body = own?.body ?? null;
    const headers = isGet ? written : withContentType(written, own);
    if (isGet) remarks.approximate('uses GET: statusd sends it without the message in the address');
    else if (template !== '' && body === null)
      remarks.approximate('has a body of its own: set body, see the webhook channel in statusd.toml(5)');
    else if (body === null)
      remarks.approximate('posts other JSON than Uptime Kuma: see the webhook channel in statusd.toml(5)');
    return [
      ['type', 'webhook'],
      ['url', secret('url', 'webhookURL')],
      ...(isGet ? ([['method', 'GET']] as const) : []),
      ...(headers.size === 0 ? [] : ([['headers', headers]] as const)),
      ...(isGet || body === null ? [] : ([['body', body]] as const)),
    ];
  },
  teams: ({ secret }) => [
    ['type', 'teams'],
    ['webhook_url', secret('webhook url', 'webhookUrl')],
  ],
  PagerDuty: ({ text, secret, remarks }) => {
    if (text('pagerdutyPriority') !== '')
      remarks.approximate('has a severity of its own: in statusd it follows the event');
    if (text('pagerdutyAutoResolve') !== 'resolve')
      remarks.approximate('leaves its incidents open: in statusd a recovery resolves them');
    const api = text('pagerdutyIntegrationUrl').replace(/\/v2\/enqueue\/*$/, '');
    return [
      ['type', 'pagerduty'],
      ['routing_key', secret('routing key', 'pagerdutyIntegrationKey')],
      ...(api === '' || api === 'https://events.pagerduty.com' ? [] : ([['api_url', api]] as const)),
    ];
  },
  mattermost: ({ text, secret, remarks }) => {
    if (text('mattermostchannel') !== '')
      remarks.approximate('names a channel: statusd writes to that of the webhook');
    return [
      ['type', 'mattermost'],
      ['webhook_url', secret('webhook url', 'mattermostWebhookUrl')],
    ];
  },
  'rocket.chat': ({ text, secret, remarks }) => {
    if (text('rocketchannel') !== '')
      remarks.approximate('names a channel: statusd writes to that of the webhook');
    return [
      ['type', 'rocketchat'],
      ['webhook_url', secret('webhook url', 'rocketwebhookURL')],
    ];
  },
  GoogleChat: ({ secret }) => [
    ['type', 'googlechat'],
    ['webhook_url', secret('webhook url', 'googleChatWebhookURL')],
  ],
  signal: ({ text }) => {
    const server = text('signalURL')
      .replace(/\/v2\/send\/*$/, '')
      .replace(/\/+$/, '');
    const to = text('signalRecipients').replace(/\s/g, '').split(',');
    return [
      ['type', 'signal'],
      ['url', server],
      ['number', text('signalNumber')],
      ['to', to.length === 1 ? (to[0] ?? '') : to],
    ];
  },
  twilio: ({ text, secret }) => {
    if (text('twilioApiKey') !== '')
      return 'logs in with an API key: a channel of type twilio wants the SID and the token of the account';
    return [
      ['type', 'twilio'],
      ['account_sid', text('twilioAccountSID')],
      ['token', secret('token', 'twilioAuthToken')],
      ['from', text('twilioFromNumber')],
      ['to', text('twilioToNumber')],
    ];
  },
  HomeAssistant: ({ text, secret }) => {
    const service = text('notificationService');
    return [
      ['type', 'homeassistant'],
      ['url', text('homeAssistantUrl').replace(/\/+$/, '')],
      ['token', secret('token', 'longLivedAccessToken')],
      ...(service === '' || service === 'notify' ? [] : ([['service', service]] as const)),
    ];
  },
  apprise: () =>
    'runs the program apprise with an address: store the address in the Apprise API, for a channel of type apprise',
};

/** Its values of the Liquid templates that have a field here. */
const liquid: Readonly<Record<string, string>> = { msg: 'text', name: 'monitor' };

/** A template of Uptime Kuma; null: it has more than values in it, or one that has no field here. */
function kumaTemplate(template: string): BodyTemplate | null {
  if (template.includes('{%')) return null;
  return bodyTemplate(template, /\{\{[^{}]*\}\}/g, (place) => ownValue(liquid, place.slice(2, -2).trim()));
}

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
