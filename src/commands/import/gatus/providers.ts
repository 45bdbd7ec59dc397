/** Turns the alerting providers of Gatus into channels. */
import { withContentType } from '../body-template.ts';
import { bounded, createRemarks, type Item, type Remarks, timeoutBounds } from '../item.ts';
import { ownValue } from '../record.ts';
import { composed, type ComposedText, type TomlValue } from '../toml-value.ts';
import type { Secrets } from '../variables.ts';
import { gatusTemplate, hasPlaceholder, reportFields } from './custom-body.ts';
import { headerValue, proxyOf } from './request.ts';
import {
  flagAt,
  isGiven,
  type Loose,
  numberAt,
  recordAt,
  secondsAt,
  secretValue,
  type Shape,
  textAt,
  textsAt,
  withVariables,
} from './tree.ts';

/** The channel of a provider, or why there is none. `config` is what holds for it, overrides included. */
export function channelItem(
  type: string,
  { config, name, secrets }: { readonly config: Loose; readonly name: string; readonly secrets: Secrets },
): Item {
  const remarks = createRemarks();
  const read = new Set<string>();
  const place = name === type ? `alerting.${type}` : `alerting.${type}, channel "${name}"`;
  const making = { config: noting(config, read), name, place, secrets, remarks };
  const own =
    ownValue(providers, type)?.(making) ??
    `statusd has no channel for ${type}: a webhook, ntfy or email may do`;
  const item = { kind: 'channel', name, type } as const;
  if (typeof own === 'string') {
    return { ...item, result: { kind: 'left_out' }, remarks: [{ level: 'dropped', text: own }] };
  }
  const settings = new Map<string, TomlValue>([['name', name], ...own, ...wayOf(making)]);
  const unread = Object.keys(config).filter((key) => !read.has(key) && isGiven(config, key));
  if (unread.length > 0) remarks.drop(unread.join(', '));
  const table = { section: 'channels', settings, comments: [] } as const;
  return { ...item, result: { kind: 'written', table }, remarks: remarks.list };
}

/** The record, which adds every key that is read to `read`. */
function noting(config: Loose, read: Set<string>): Loose {
  return new Proxy(config, {
    get: (target, key) => {
      if (typeof key === 'string') read.add(key);
      return Object.hasOwn(target, key) ? target[String(key)] : undefined;
    },
  });
}

interface Inputs {
  readonly config: Loose;
  readonly name: string;
  /** `alerting.gotify`, and which channel it is for when there are several. */
  readonly place: string;
  readonly secrets: Secrets;
  readonly remarks: Remarks;
}

type Settings = readonly (readonly [key: string, value: TomlValue])[];

/** The settings, or why there are none. */
type Provider = (making: Inputs) => Settings | string;

/** Turns each provider of Gatus that statusd has a channel for into the settings of one. */
const providers: Readonly<Record<string, Provider>> = {
  slack: (making) => {
    lose(making, ['title']);
    return [
      ['type', 'slack'],
      ['webhook_url', secretAt(making, 'webhook-url', 'address')],
    ];
  },
  discord: (making) => {
    lose(making, ['title', 'message-content']);
    return [
      ['type', 'discord'],
      ['webhook_url', secretAt(making, 'webhook-url', 'address')],
    ];
  },
  telegram: (making) => {
    lose(making, ['topic-id']);
    const server = textAt(making.config, 'api-url');
    return [
      ['type', 'telegram'],
      ['token', secretAt(making, 'token')],
      ['chat_id', plainAt(making, 'id')],
      ...(server === '' ? [] : ([['api_url', plainAt(making, 'api-url', 'address')]] as const)),
    ];
  },
  ntfy: (making) => {
    const { config, name, place, secrets } = making;
    lose(making, ['email', 'click', 'priority', 'disable-firebase', 'disable-cache']);
    const server = (textAt(config, 'url') || 'https://ntfy.sh').replace(/\/+$/, '');
    const address = `${server}/${textAt(config, 'topic')}`;
    const about = { label: `${name} url`, origin: `url/topic of ${place}`, shape: 'address' } as const;
    return [
      ['type', 'ntfy'],
      ['url', secretValue(address, secrets, about)],
      ...(isGiven(config, 'token') ? ([['token', secretAt(making, 'token')]] as const) : []),
    ];
  },
  gotify: (making) => {
    lose(making, ['priority', 'title']);
    return [
      ['type', 'gotify'],
      ['url', plainAt(making, 'server-url', 'address')],
      ['token', secretAt(making, 'token')],
    ];
  },
  pushover: (making) => {
    lose(making, ['priority', 'resolved-priority', 'sound', 'title', 'ttl', 'device']);
    return [
      ['type', 'pushover'],
      ['token', secretAt(making, 'application-token')],
      ['user', secretAt(making, 'user-key')],
    ];
  },
  matrix: (making) => [
    ['type', 'matrix'],
    [
      'homeserver',
      isGiven(making.config, 'server-url')
        ? plainAt(making, 'server-url', 'address')
        : 'https://matrix-client.matrix.org',
    ],
    ['token', secretAt(making, 'access-token')],
    ['room_id', plainAt(making, 'internal-room-id')],
  ],
  email: (making) => {
    const { config, secrets } = making;
    const port = numberAt(config, 'port', { fallback: 587, remarks: making.remarks });
    const to = textAt(config, 'to')
      .split(',')
      .map((one) => one.trim())
      .filter((one) => one !== '');
    const mails = to.map((one) => withVariables(one, secrets, 'mailbox'));
    const user = textAt(config, 'username') || textAt(config, 'from');
    return [
      ['type', 'email'],
      ['host', plainAt(making, 'host')],
      ['port', port],
      ...(port === 465 ? ([['implicit_tls', true]] as const) : []),
      ...(isGiven(config, 'password')
        ? ([
            ['username', withVariables(user, secrets)],
            ['password', secretAt(making, 'password')],
          ] as const)
        : []),
      ['from', plainAt(making, 'from', 'mailbox')],
      ['to', mails.length === 1 ? (mails[0] ?? '') : mails],
    ];
  },
  teams: (making) => {
    lose(making, ['title']);
    return hooked('teams', making);
  },
  'teams-workflows': (making) => {
    lose(making, ['title']);
    return hooked('teams', making);
  },
  pagerduty: (making) => [
    ['type', 'pagerduty'],
    ['routing_key', secretAt(making, 'integration-key')],
  ],
  mattermost: (making) => {
    lose(making, ['channel']);
    return hooked('mattermost', making);
  },
  rocketchat: (making) => {
    lose(making, ['channel', 'alias', 'emoji', 'avatar']);
    return hooked('rocketchat', making);
  },
  googlechat: (making) => hooked('googlechat', making),
  zulip: (making) => [
    ['type', 'zulip'],
    ['url', composed('https://', plainAt(making, 'domain'))],
    ['email', plainAt(making, 'bot-email', 'mailbox')],
    ['api_key', secretAt(making, 'bot-api-key')],
    ['stream', plainAt(making, 'channel-id')],
    ...(isGiven(making.config, 'topic') ? ([['topic', plainAt(making, 'topic')]] as const) : []),
  ],
  signal: (making) => {
    const to = textsAt(making.config, 'recipients').map((one) => withVariables(one, making.secrets));
    return [
      ['type', 'signal'],
      ['url', plainAt(making, 'api-url', 'address')],
      ['number', plainAt(making, 'number')],
      ['to', to.length === 1 ? (to[0] ?? '') : to],
    ];
  },
  twilio: (making) => {
    lose(making, ['text-twilio-triggered', 'text-twilio-resolved']);
    return [
      ['type', 'twilio'],
      ['account_sid', plainAt(making, 'sid')],
      ['token', secretAt(making, 'token')],
      ['from', plainAt(making, 'from')],
      ['to', plainAt(making, 'to')],
    ];
  },
  alertmanager: (making) => {
    const [first = '', ...others] = textsAt(making.config, 'urls');
    if (others.length > 0)
      making.remarks.approximate(`sends to ${others.length + 1} servers: statusd sends to the first`);
    lose(making, ['default-severity', 'extra-labels', 'extra-annotations']);
    const server = first.replace(/\/+$/, '').replace(/\/api\/v2\/alerts$/, '');
    return [
      ['type', 'alertmanager'],
      ['url', withVariables(server, making.secrets, 'address')],
    ];
  },
  homeassistant: () =>
    'fires the event gatus_alert: statusd calls a notify service, with a channel of type homeassistant',
  custom: (making) => {
    const { config, secrets } = making;
    if (hasPlaceholder(textAt(config, 'url')))
      return 'has placeholders in its address: statusd calls one address alone';
    const method = (textAt(config, 'method') || 'GET').toUpperCase();
    const owner = { id: making.name, whose: `of ${making.place}`, secrets };
    const own = gatusTemplate(textAt(config, 'body'));
    const body = own?.body ?? null;
    const written = new Map<string, TomlValue>(
      Object.keys(recordAt(config, 'headers')).map((name) => [
        name,
        headerValue(name, textAt(recordAt(config, 'headers'), name), owner),
      ]),
    );
    lose(making, ['placeholders']);
    const hasBody = method !== 'GET' && method !== 'HEAD';
    const headers = hasBody ? withContentType(written, own) : written;
    if (!hasBody) lose(making, ['body']);
    else if (body === null) {
      making.remarks.approximate(
        isGiven(config, 'body')
          ? 'has a body with {{: set body, see the webhook channel in statusd.toml(5)'
          : 'sends no body: here the event as JSON',
      );
    } else reportFields(textAt(config, 'body'), making.remarks);
    return [
      ['type', 'webhook'],
      ['url', secretAt(making, 'url', 'address')],
      ...(method === 'POST' ? [] : ([['method', method]] as const)),
      ...(headers.size === 0 ? [] : ([['headers', headers]] as const)),
      ...(body === null || !hasBody ? [] : ([['body', withVariables(body, secrets)]] as const)),
    ];
  },
};

const hooked = (type: string, making: Inputs): Settings => [
  ['type', type],
  ['webhook_url', secretAt(making, 'webhook-url', 'address')],
];

/** How a provider is reached; what else its client is told has nothing here. */
function wayOf(making: Inputs): Settings {
  const { config, remarks, name, place, secrets } = making;
  const client = recordAt(config, 'client');
  const rest = Object.keys(client).filter((key) => !['insecure', 'proxy-url', 'timeout'].includes(key));
  for (const key of rest) if (isGiven(client, key)) remarks.drop(`client.${key}`);
  const secs = secondsAt(client, 'timeout', remarks);
  const owner = { id: name, whose: `of ${place}`, secrets };
  return [
    ...(flagAt(client, 'insecure', { fallback: false, remarks }) ? ([['tls_verify', false]] as const) : []),
    ...(isGiven(client, 'proxy-url')
      ? ([['proxy', proxyOf(textAt(client, 'proxy-url'), owner)]] as const)
      : []),
    ...(secs === null
      ? []
      : ([
          ['timeout_secs', bounded(Math.ceil(secs), timeoutBounds, { what: 'a timeout', remarks })],
        ] as const)),
  ];
}

function lose({ config, remarks }: Inputs, keys: readonly string[]): void {
  const lost = keys.filter((key) => isGiven(config, key));
  if (lost.length > 0) remarks.drop(lost.join(', '));
}

function secretAt({ config, name, place, secrets }: Inputs, key: string, shape: Shape = 'text'): TomlValue {
  return secretValue(textAt(config, key), secrets, {
    label: `${name} ${key}`,
    origin: `${key} of ${place}`,
    shape,
  });
}

function plainAt({ config, secrets }: Inputs, key: string, shape: Shape = 'text'): string | ComposedText {
  return withVariables(textAt(config, key), secrets, shape);
}
