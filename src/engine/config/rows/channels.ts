/** The rows of `[[channels]]`: the ways to reach people, by type. */
import { optional, required, setting } from '../row.ts';
import { onCallRows } from './on-call.ts';
import { ehloName, host } from '../types/address.ts';
import { listOf, oneOrMany } from '../types/collection.ts';
import { flag } from '../types/flag.ts';
import { headers, method } from '../types/http-part.ts';
import { mailbox } from '../types/mailbox.ts';
import { integer } from '../types/number.ts';
import { secretly, secretText } from '../types/secret-text.ts';
import { eventTemplate } from '../types/template.ts';
import { text, textOrInteger } from '../types/text.ts';
import { baseUrl, topicUrl, webUrl } from '../types/url.ts';
import { apiUrl, name, network, timeoutSecs, type, webhookUrl } from './channel-parts.ts';

/** A channel over the network: what every type has around its own settings. */
function channel<const Type extends string, Own>(word: Type, own: Own) {
  return { name, type: type(word), ...own, ...network, ...onCallRows };
}

export const channelRows = {
  telegram: channel('telegram', {
    token: required(secretText, { doc: 'Token of the bot.', example: '"${TELEGRAM_TOKEN}"' }),
    chat_id: required(textOrInteger, { doc: 'Chat that receives the messages.', example: '"123456"' }),
    api_url: apiUrl,
  }),
  discord: channel('discord', {
    webhook_url: webhookUrl('DISCORD_WEBHOOK'),
  }),
  slack: channel('slack', {
    webhook_url: webhookUrl('SLACK_WEBHOOK'),
  }),
  matrix: channel('matrix', {
    homeserver: required(baseUrl, {
      doc: 'URL of the server.',
      example: '"https://matrix.example.com"',
    }),
    token: required(secretText, { doc: 'Access token of the sending user.', example: '"${MATRIX_TOKEN}"' }),
    room_id: required(text({ max: 500 }), {
      doc: 'Room that receives the messages.',
      example: '"!abcdef:example.com"',
    }),
  }),
  ntfy: channel('ntfy', {
    url: required(secretly(topicUrl), {
      doc: 'URL of the topic.',
      example: '"https://ntfy.sh/${NTFY_TOPIC}"',
    }),
    token: optional(secretText, { doc: 'Access token, if the topic needs one.', example: '"${NTFY_TOKEN}"' }),
  }),
  gotify: channel('gotify', {
    url: required(baseUrl, { doc: 'URL of the server.', example: '"https://gotify.example.com"' }),
    token: required(secretText, { doc: 'Token of the application.', example: '"${GOTIFY_TOKEN}"' }),
  }),
  pushover: channel('pushover', {
    token: required(secretText, { doc: 'Token of the application.', example: '"${PUSHOVER_TOKEN}"' }),
    user: required(secretText, { doc: 'Key of the user or group.', example: '"${PUSHOVER_USER}"' }),
    api_url: apiUrl,
  }),
  email: {
    ...channel('email', {
      host: required(host, { doc: 'Host name of the mail server.', example: '"smtp.example.com"' }),
      port: setting(integer({ min: 1, max: 65_535 }), 587, {
        doc: 'Port of the mail server, used with STARTTLS.',
        example: '587',
      }),
      ehlo_name: optional(ehloName, {
        doc: 'Name that statusd sends in EHLO. Default: the name of this host.',
        example: '"status.example.com"',
      }),
      implicit_tls: setting(flag, false, {
        doc: 'Connect with TLS from the start, as on port 465.',
        example: 'false',
      }),
      username: optional(text({ max: 500 }), {
        doc: 'User name of the mail account.',
        example: '"statusd@example.com"',
      }),
      password: optional(secretText, { doc: 'Password of the mail account.', example: '"${SMTP_PASSWORD}"' }),
      from: required(mailbox, { doc: 'Sender of the mails.', example: '"statusd <statusd@example.com>"' }),
      to: required(oneOrMany(mailbox, { name: 'a mail address or an array of them' }), {
        doc: 'Recipients: one address, or an array of them.',
        example: '["ops@example.com"]',
      }),
    }),
    // Some mail servers keep a client waiting on purpose, and many look through a mail before they take it.
    timeout_secs: timeoutSecs(30),
  },
  freemobile: channel('freemobile', {
    user: required(textOrInteger, { doc: 'Number of the account.', example: '"12345678"' }),
    pass: required(secretText, {
      doc: 'Key of the SMS service of the account.',
      example: '"${FREEMOBILE_PASS}"',
    }),
    api_url: apiUrl,
  }),
  webhook: channel('webhook', {
    url: required(secretly(webUrl), {
      doc: 'URL that receives the events, as JSON.',
      example: '"${WEBHOOK_URL}"',
    }),
    method: setting(method, 'POST', {
      doc: 'HTTP method. GET and HEAD send no body.',
      example: '"POST"',
    }),
    headers: setting(
      headers,
      {},
      {
        doc: 'Additional request headers; a content-type replaces application/json.',
        example: '{ Authorization = "Bearer ${WEBHOOK_TOKEN}" }',
      },
    ),
    body: optional(eventTemplate, {
      doc: 'Template of the request body, instead of the event as JSON. {{field}} inserts a field of the event, escaped for JSON; {{field|raw}} unescaped; {{field|url}} escaped for a URL or a form. {{summary}} is the event in one line, {{text}} in full.',
      example: '\'{"text": "{{summary}}", "incident": {{incident_id}}}\'',
    }),
    secret: optional(secretText, {
      doc: 'Key that signs each request, in the header x-statusd-signature.',
      example: '"${WEBHOOK_SECRET}"',
    }),
  }),
  teams: channel('teams', {
    webhook_url: webhookUrl('TEAMS_WEBHOOK'),
  }),
  pagerduty: channel('pagerduty', {
    routing_key: required(secretText, {
      doc: 'Integration key of an Events API v2 integration.',
      example: '"${PAGERDUTY_KEY}"',
    }),
    api_url: apiUrl,
  }),
  alertmanager: channel('alertmanager', {
    url: required(baseUrl, {
      doc: 'URL of the server.',
      example: '"http://alertmanager.example.com:9093"',
    }),
    token: optional(secretText, {
      doc: 'Bearer token, if a proxy in front needs one. For basic authentication put user name and password into the url.',
      example: '"${ALERTMANAGER_TOKEN}"',
    }),
  }),
  mattermost: channel('mattermost', {
    webhook_url: webhookUrl('MATTERMOST_WEBHOOK'),
  }),
  rocketchat: channel('rocketchat', {
    webhook_url: webhookUrl('ROCKETCHAT_WEBHOOK'),
  }),
  googlechat: channel('googlechat', {
    webhook_url: webhookUrl('GOOGLECHAT_WEBHOOK'),
  }),
  zulip: channel('zulip', {
    url: required(baseUrl, { doc: 'URL of the server.', example: '"https://example.zulipchat.com"' }),
    email: required(mailbox, {
      doc: 'Mail address of the bot.',
      example: '"statusd-bot@example.zulipchat.com"',
    }),
    api_key: required(secretText, { doc: 'API key of the bot.', example: '"${ZULIP_KEY}"' }),
    stream: required(text({ max: 60 }), {
      doc: 'Name of the Zulip channel that receives the messages.',
      example: '"ops"',
    }),
    topic: optional(text({ max: 60 }), {
      doc: 'Topic of the messages. Default: the name of the monitor.',
      example: '"statusd"',
    }),
  }),
  signal: channel('signal', {
    url: required(baseUrl, {
      doc: 'URL of the signal-cli-rest-api server.',
      example: '"http://127.0.0.1:8080"',
    }),
    number: required(text({ max: 20 }), { doc: 'Phone number of the sender.', example: '"+491711234567"' }),
    to: required(oneOrMany(text({ max: 200 }), { name: 'a number, a group or an array of them' }), {
      doc: 'Recipients: phone numbers and group ids.',
      example: '["+491717654321"]',
    }),
  }),
  twilio: channel('twilio', {
    account_sid: required(text({ max: 64 }), {
      doc: 'SID of the account.',
      example: '"AC0123456789abcdef"',
    }),
    token: required(secretText, { doc: 'Auth token of the account.', example: '"${TWILIO_TOKEN}"' }),
    from: required(text({ max: 64 }), {
      doc: 'Phone number of the sender, or the SID of a messaging service.',
      example: '"+15005550006"',
    }),
    to: required(text({ max: 20 }), {
      doc: 'Phone number of the recipient. For several recipients, add a channel for each.',
      example: '"+15551234567"',
    }),
    api_url: apiUrl,
  }),
  homeassistant: channel('homeassistant', {
    url: required(baseUrl, {
      doc: 'URL of the server.',
      example: '"http://homeassistant.local:8123"',
    }),
    token: required(secretText, { doc: 'Long-lived access token.', example: '"${HOMEASSISTANT_TOKEN}"' }),
    service: setting(text({ max: 200 }), 'notify', {
      doc: 'Notify service to call, such as mobile_app_phone.',
      example: '"mobile_app_phone"',
    }),
  }),
  apprise: channel('apprise', {
    url: required(baseUrl, {
      doc: 'URL of the Apprise API server.',
      example: '"http://127.0.0.1:8000"',
    }),
    key: required(secretText, { doc: 'Key of the configuration stored there.', example: '"${APPRISE_KEY}"' }),
    tag: optional(text({ max: 200 }), {
      doc: 'Notify only the services with this tag. Default: all.',
      example: '"ops"',
    }),
  }),
  exec: {
    name,
    type: type('exec'),
    command: required(
      listOf(text({ max: 4096, canBeEmpty: true, canBreakLines: true }), {
        name: 'an array of words',
        min: 1,
      }),
      {
        doc: 'Program and arguments. It runs without a shell, from the folder exec_dir of [probes] only, with the event as JSON on standard input and only $PATH, $LANG and $STATUSD_CHANNEL in its environment; exit status 0 means that it accepted the message.',
        example: '["page-me", "--loud"]',
      },
    ),
    timeout_secs: timeoutSecs(30),
    ...onCallRows,
  },
};

/** What makes a channel the same one under another name: whom or what it reaches, not the account it sends from. */
export const destinationKeys = {
  telegram: ['chat_id', 'api_url'],
  discord: ['webhook_url'],
  slack: ['webhook_url'],
  matrix: ['homeserver', 'room_id'],
  ntfy: ['url'],
  gotify: ['url', 'token'],
  pushover: ['user', 'api_url'],
  email: ['to'],
  freemobile: ['user', 'api_url'],
  webhook: ['url'],
  teams: ['webhook_url'],
  pagerduty: ['routing_key', 'api_url'],
  alertmanager: ['url'],
  mattermost: ['webhook_url'],
  rocketchat: ['webhook_url'],
  googlechat: ['webhook_url'],
  zulip: ['url', 'stream', 'topic'],
  signal: ['to'],
  twilio: ['to', 'api_url'],
  homeassistant: ['url', 'service'],
  apprise: ['url', 'key', 'tag'],
  exec: ['command'],
} as const satisfies { readonly [Type in ChannelType]: readonly (keyof (typeof channelRows)[Type])[] };

export type ChannelType = keyof typeof channelRows;
