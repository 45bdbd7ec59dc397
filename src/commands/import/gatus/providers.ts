/** Turns each provider of Gatus that statusd has a channel for into the settings of one. */
import type { Remarks } from '../item.ts';
import type { TomlValue } from '../toml-value.ts';
import type { Secrets } from '../variables.ts';
import { type Shape, secretValue, withVariables } from './environment.ts';
import { isGiven, type Loose, numberAt, textAt } from './tree.ts';

interface Making {
  readonly config: Loose;
  readonly name: string;
  /** `alerting.gotify`, and which channel it is for when there are several. */
  readonly place: string;
  readonly secrets: Secrets;
  readonly remarks: Remarks;
}

type Settings = readonly (readonly [key: string, value: TomlValue])[];

/** The settings, or why there are none. */
type Provider = (making: Making) => Settings | string;

export const providers: Readonly<Record<string, Provider>> = {
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
    lose(making, ['topic-id', 'client']);
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
    lose(making, ['client']);
    const port = numberAt(config, 'port', 587);
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
  custom: (making) => {
    const method = textAt(making.config, 'method') || 'GET';
    if (!['POST', 'post'].includes(method)) return `calls its address with ${method}: statusd posts JSON`;
    lose(making, ['body', 'headers', 'placeholders', 'client']);
    making.remarks.approximate('posts JSON of its own: see the webhook channel in statusd.toml(5)');
    return [
      ['type', 'webhook'],
      ['url', secretAt(making, 'url', 'address')],
    ];
  },
};

function lose({ config, remarks }: Making, keys: readonly string[]): void {
  const lost = keys.filter((key) => isGiven(config, key));
  if (lost.length > 0) remarks.drop(lost.join(', '));
}

function secretAt({ config, name, place, secrets }: Making, key: string, shape: Shape = 'text'): TomlValue {
  return secretValue(textAt(config, key), secrets, {
    label: `${name} ${key}`,
    origin: `${key} of ${place}`,
    shape,
  });
}

function plainAt({ config, secrets }: Making, key: string, shape: Shape = 'text'): TomlValue {
  return withVariables(textAt(config, key), secrets, shape);
}
