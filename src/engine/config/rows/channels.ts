/** The rows of `[[channels]]`: the ways to reach people, by type. */
import { optional, required, setting, type ConfigRow } from '../row.ts';
import { host } from '../types/address.ts';
import { choice } from '../types/choice.ts';
import { oneOrMany } from '../types/collection.ts';
import { flag } from '../types/flag.ts';
import { headers, method } from '../types/http-part.ts';
import { mailbox } from '../types/mailbox.ts';
import { integer } from '../types/number.ts';
import { secretly, secretText } from '../types/secret-text.ts';
import { eventTemplate } from '../types/template.ts';
import { text, textOrInteger } from '../types/text.ts';
import { baseUrl, proxyUrl, topicUrl, webUrl } from '../types/url.ts';

const name = required(text({ max: 200 }), {
  doc: 'The name that notify refers to.',
  example: '"ops"',
});

function type<const T extends string>(word: T): ConfigRow<T, never> {
  return required(choice([word]), { doc: 'How it reaches people.', example: `"${word}"` });
}

const apiUrl = optional(baseUrl, {
  doc: 'Another base address for the service, for a self-hosted gateway.',
  example: '"https://gateway.example.com"',
});

const timeoutSecs = (secs: number) =>
  setting(integer({ min: 1, max: 300 }), secs, {
    doc: 'How long one attempt may take. What went out whole without an answer by then may have been received: the next copy waits 30 s, then twice as long each time, and there are four at most.',
    example: String(secs),
  });

/** How a vendor on the network is reached. Most services answer within a second. */
const network = {
  timeout_secs: timeoutSecs(15),
  ca_file: optional(text({ name: 'a path', max: 4096 }), {
    doc: 'A PEM file of authorities to trust besides those of the host, relative to this file.',
    example: '"ca.pem"',
  }),
  tls_verify: setting(flag, true, {
    doc: 'Whether the certificate must be trusted and bear the right name.',
    example: 'true',
  }),
  proxy: optional(proxyUrl, {
    doc: 'The proxy to go through: http, https or socks5. It looks up the name of the receiver.',
    example: '"socks5://127.0.0.1:9050"',
  }),
};

export const channelRows = {
  telegram: {
    name,
    type: type('telegram'),
    token: required(secretText, { doc: 'The token of the bot.', example: '"${TELEGRAM_TOKEN}"' }),
    chat_id: required(textOrInteger, { doc: 'The chat to write to.', example: '"123456"' }),
    api_url: apiUrl,
    ...network,
  },
  discord: {
    name,
    type: type('discord'),
    webhook_url: required(secretly(webUrl), {
      doc: 'The address of the webhook.',
      example: '"${DISCORD_WEBHOOK}"',
    }),
    ...network,
  },
  slack: {
    name,
    type: type('slack'),
    webhook_url: required(secretly(webUrl), {
      doc: 'The address of the webhook.',
      example: '"${SLACK_WEBHOOK}"',
    }),
    ...network,
  },
  matrix: {
    name,
    type: type('matrix'),
    homeserver: required(baseUrl, {
      doc: 'The address of the server.',
      example: '"https://matrix.example.com"',
    }),
    token: required(secretText, { doc: 'The access token of the sender.', example: '"${MATRIX_TOKEN}"' }),
    room_id: required(text({ max: 500 }), { doc: 'The room to write to.', example: '"!abcdef:example.com"' }),
    ...network,
  },
  ntfy: {
    name,
    type: type('ntfy'),
    url: required(secretly(topicUrl), {
      doc: 'The address of the topic.',
      example: '"https://ntfy.sh/${NTFY_TOPIC}"',
    }),
    token: optional(secretText, { doc: 'The access token of a private server.', example: '"${NTFY_TOKEN}"' }),
    ...network,
  },
  gotify: {
    name,
    type: type('gotify'),
    url: required(baseUrl, { doc: 'The address of the server.', example: '"https://gotify.example.com"' }),
    token: required(secretText, { doc: 'The token of the application.', example: '"${GOTIFY_TOKEN}"' }),
    ...network,
  },
  pushover: {
    name,
    type: type('pushover'),
    token: required(secretText, { doc: 'The token of the application.', example: '"${PUSHOVER_TOKEN}"' }),
    user: required(secretText, { doc: 'The key of the user or group.', example: '"${PUSHOVER_USER}"' }),
    api_url: apiUrl,
    ...network,
  },
  email: {
    name,
    type: type('email'),
    host: required(host, { doc: 'The mail server.', example: '"smtp.example.com"' }),
    port: setting(integer({ min: 1, max: 65_535 }), 587, { doc: 'Its port, with STARTTLS.', example: '587' }),
    ehlo_name: optional(host, {
      doc: 'The name this host greets the mail server with (EHLO). The name of the host when absent.',
      example: '"status.example.com"',
    }),
    implicit_tls: setting(flag, false, { doc: 'Whether TLS comes first, as on port 465.', example: 'false' }),
    username: optional(text({ max: 500 }), { doc: 'Who logs in.', example: '"statusd@example.com"' }),
    password: optional(secretText, { doc: 'Its password.', example: '"${SMTP_PASSWORD}"' }),
    from: required(mailbox, { doc: 'The sender.', example: '"statusd <statusd@example.com>"' }),
    to: required(oneOrMany(mailbox, { name: 'a mail address or an array of them' }), {
      doc: 'Who gets the mail: one address, or several.',
      example: '["ops@example.com"]',
    }),
    ...network,
    // Some mail servers keep a client waiting on purpose, and many look through a mail before they take it.
    timeout_secs: timeoutSecs(30),
  },
  freemobile: {
    name,
    type: type('freemobile'),
    user: required(textOrInteger, { doc: 'The number of the account.', example: '"12345678"' }),
    pass: required(secretText, { doc: 'The key of its SMS service.', example: '"${FREEMOBILE_PASS}"' }),
    api_url: apiUrl,
    ...network,
  },
  webhook: {
    name,
    type: type('webhook'),
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
    ...network,
  },
};

export type ChannelType = keyof typeof channelRows;
