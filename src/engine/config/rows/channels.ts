/** The rows of `[[channels]]`: the ways to reach people, by type. */
import { optional, required, setting } from '../row.ts';
import { onCallRows } from './on-call.ts';
import { host } from '../types/address.ts';
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
    token: required(secretText, { doc: 'The token of the bot.', example: '"${TELEGRAM_TOKEN}"' }),
    chat_id: required(textOrInteger, { doc: 'The chat to write to.', example: '"123456"' }),
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
      doc: 'The address of the server.',
      example: '"https://matrix.example.com"',
    }),
    token: required(secretText, { doc: 'The access token of the sender.', example: '"${MATRIX_TOKEN}"' }),
    room_id: required(text({ max: 500 }), { doc: 'The room to write to.', example: '"!abcdef:example.com"' }),
  }),
  ntfy: channel('ntfy', {
    url: required(secretly(topicUrl), {
      doc: 'The address of the topic.',
      example: '"https://ntfy.sh/${NTFY_TOPIC}"',
    }),
    token: optional(secretText, { doc: 'The access token of a private server.', example: '"${NTFY_TOKEN}"' }),
  }),
  gotify: channel('gotify', {
    url: required(baseUrl, { doc: 'The address of the server.', example: '"https://gotify.example.com"' }),
    token: required(secretText, { doc: 'The token of the application.', example: '"${GOTIFY_TOKEN}"' }),
  }),
  pushover: channel('pushover', {
    token: required(secretText, { doc: 'The token of the application.', example: '"${PUSHOVER_TOKEN}"' }),
    user: required(secretText, { doc: 'The key of the user or group.', example: '"${PUSHOVER_USER}"' }),
    api_url: apiUrl,
  }),
  email: {
    ...channel('email', {
      host: required(host, { doc: 'The mail server.', example: '"smtp.example.com"' }),
      port: setting(integer({ min: 1, max: 65_535 }), 587, {
        doc: 'Its port, with STARTTLS.',
        example: '587',
      }),
      ehlo_name: optional(host, {
        doc: 'The name this host greets the mail server with (EHLO). The name of the host when absent.',
        example: '"status.example.com"',
      }),
      implicit_tls: setting(flag, false, {
        doc: 'Whether TLS comes first, as on port 465.',
        example: 'false',
      }),
      username: optional(text({ max: 500 }), { doc: 'Who logs in.', example: '"statusd@example.com"' }),
      password: optional(secretText, { doc: 'Its password.', example: '"${SMTP_PASSWORD}"' }),
      from: required(mailbox, { doc: 'The sender.', example: '"statusd <statusd@example.com>"' }),
      to: required(oneOrMany(mailbox, { name: 'a mail address or an array of them' }), {
        doc: 'Who gets the mail: one address, or several.',
        example: '["ops@example.com"]',
      }),
    }),
    // Some mail servers keep a client waiting on purpose, and many look through a mail before they take it.
    timeout_secs: timeoutSecs(30),
  },
  freemobile: channel('freemobile', {
    user: required(textOrInteger, { doc: 'The number of the account.', example: '"12345678"' }),
    pass: required(secretText, { doc: 'The key of its SMS service.', example: '"${FREEMOBILE_PASS}"' }),
    api_url: apiUrl,
  }),
  webhook: channel('webhook', {
    url: required(secretly(webUrl), {
      doc: 'Where events are posted to, as JSON.',
      example: '"${WEBHOOK_URL}"',
    }),
    method: setting(method, 'POST', {
      doc: 'The method of the request. GET and HEAD have no body.',
      example: '"POST"',
    }),
    headers: setting(
      headers,
      {},
      {
        doc: 'Headers of the request, besides those it has anyway; a content-type of its own replaces application/json.',
        example: '{ Authorization = "Bearer ${WEBHOOK_TOKEN}" }',
      },
    ),
    body: optional(eventTemplate, {
      doc: 'What is sent instead of the event as JSON: {{field}} is a field of it, escaped for JSON, {{field|raw}} as it is, {{field|url}} for a URL or a form. {{summary}} is the event in one line, {{text}} in full.',
      example: '\'{"text": "{{summary}}", "incident": {{incident_id}}}\'',
    }),
    secret: optional(secretText, {
      doc: 'The key of the signature in x-statusd-signature.',
      example: '"${WEBHOOK_SECRET}"',
    }),
  }),
  teams: channel('teams', {
    webhook_url: webhookUrl('TEAMS_WEBHOOK'),
  }),
  pagerduty: channel('pagerduty', {
    routing_key: required(secretText, {
      doc: 'The integration key of an Events API v2 integration.',
      example: '"${PAGERDUTY_KEY}"',
    }),
    api_url: apiUrl,
  }),
  alertmanager: channel('alertmanager', {
    url: required(baseUrl, {
      doc: 'The address of the server.',
      example: '"http://alertmanager.example.com:9093"',
    }),
    token: optional(secretText, {
      doc: 'The bearer token of a proxy before it. A user name and password stand in the url.',
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
    url: required(baseUrl, { doc: 'The address of the server.', example: '"https://example.zulipchat.com"' }),
    email: required(mailbox, {
      doc: 'The address of the bot.',
      example: '"statusd-bot@example.zulipchat.com"',
    }),
    api_key: required(secretText, { doc: 'The API key of the bot.', example: '"${ZULIP_KEY}"' }),
    stream: required(text({ max: 60 }), { doc: 'The channel to write to, by its name.', example: '"ops"' }),
    topic: optional(text({ max: 60 }), {
      doc: 'The topic to write under. The name of the monitor when absent.',
      example: '"statusd"',
    }),
  }),
  signal: channel('signal', {
    url: required(baseUrl, {
      doc: 'The address of the server: signal-cli-rest-api.',
      example: '"http://127.0.0.1:8080"',
    }),
    number: required(text({ max: 20 }), { doc: 'The number that sends.', example: '"+491711234567"' }),
    to: required(oneOrMany(text({ max: 200 }), { name: 'a number, a group or an array of them' }), {
      doc: 'Who gets it: numbers and ids of groups.',
      example: '["+491717654321"]',
    }),
  }),
  twilio: channel('twilio', {
    account_sid: required(text({ max: 64 }), {
      doc: 'The SID of the account.',
      example: '"AC0123456789abcdef"',
    }),
    token: required(secretText, { doc: 'The token of the account.', example: '"${TWILIO_TOKEN}"' }),
    from: required(text({ max: 64 }), {
      doc: 'The number that sends, or the SID of a messaging service.',
      example: '"+15005550006"',
    }),
    to: required(text({ max: 20 }), {
      doc: 'The number that gets the SMS: a channel for each.',
      example: '"+15551234567"',
    }),
    api_url: apiUrl,
  }),
  homeassistant: channel('homeassistant', {
    url: required(baseUrl, {
      doc: 'The address of the server.',
      example: '"http://homeassistant.local:8123"',
    }),
    token: required(secretText, { doc: 'A long-lived access token.', example: '"${HOMEASSISTANT_TOKEN}"' }),
    service: setting(text({ max: 200 }), 'notify', {
      doc: 'The notify service to call, such as mobile_app_phone.',
      example: '"mobile_app_phone"',
    }),
  }),
  apprise: channel('apprise', {
    url: required(baseUrl, {
      doc: 'The address of the server: the Apprise API.',
      example: '"http://127.0.0.1:8000"',
    }),
    key: required(secretText, { doc: 'The key of its stored configuration.', example: '"${APPRISE_KEY}"' }),
    tag: optional(text({ max: 200 }), {
      doc: 'The tag of those of it that get the message. All when absent.',
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
        doc: 'The program and its arguments. It is run without a shell, from $STATUSD_EXEC_DIR only, with the event as JSON on its input, and its environment has $PATH, $LANG and $STATUSD_CHANNEL alone; status 0 says that it took the message.',
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
