/** Routes the alerts of the endpoints of Gatus to channels. */
import { bounded, createRemarks, type Item, type Remarks, thresholdBounds } from '../item.ts';
import { createNames } from '../names.ts';
import { ownValue } from '../record.ts';
import type { TomlValue } from '../toml-value.ts';
import type { Secrets } from '../variables.ts';
import {
  flagAt,
  isGiven,
  type Loose,
  numberAt,
  recordAt,
  recordsIn,
  secretValue,
  type Shape,
  textAt,
  withVariables,
} from './tree.ts';

export interface Alerting {
  /** The settings of an endpoint for its alerts; it may ask for channels that were not there before. */
  readonly routesOf: (endpoint: Loose, remarks: Remarks) => Routes;
  /** All channels that were asked for, and providers nobody asked for. */
  readonly channels: () => readonly Item[];
}

export interface Routes {
  /** Names of channels. */
  readonly names: readonly string[];
  readonly settings: readonly (readonly [key: string, value: TomlValue])[];
  /** What the alerts say beside the event. */
  readonly descriptions: readonly string[];
  /** It has alerts, but not one of their channels is here. */
  readonly isLosingAll: boolean;
}

/** What Gatus does by default. */
export const usual = { failures: 3, successes: 2 } as const;

interface Channel {
  readonly name: string;
  readonly item: Item;
}

/** `secretsOf` keeps the secrets of a provider. */
export function createAlerting(root: Loose, secretsOf: (provider: unknown) => Secrets): Alerting {
  const alerting = recordAt(root, 'alerting');
  const made = new Map<string, Channel>();
  const nextName = createNames();
  const channelFor = (type: string, alert: Loose, endpoint: Loose): Channel => {
    const group = textAt(endpoint, 'group');
    const base = recordAt(alerting, type);
    const ofGroup = recordsIn(base['overrides']).find(
      (one) => textAt(one, 'group') === group && group !== '',
    );
    const own = recordAt(alert, 'provider-override');
    const config = plain({ ...base, ...ofGroup, ...own });
    const key = JSON.stringify([type, config]);
    const known = made.get(key);
    if (known !== undefined) return known;
    const suffix = isGiven(alert, 'provider-override')
      ? textAt(endpoint, 'name')
      : ofGroup === undefined
        ? ''
        : group;
    const name = nextName(`${type} ${suffix}`, type);
    const channel = { name, item: channelItem(type, { config, name, secrets: secretsOf(alerting[type]) }) };
    made.set(key, channel);
    return channel;
  };
  return {
    routesOf: (endpoint, remarks) => {
      const alerts = recordsIn(endpoint['alerts'])
        .map(
          (alert): Loose => ({
            ...recordAt(recordAt(alerting, textAt(alert, 'type')), 'default-alert'),
            ...alert,
          }),
        )
        .filter((alert) => flagAt(alert, 'enabled', true));
      const channels = alerts.map((alert) => channelFor(textAt(alert, 'type'), alert, endpoint));
      return routesFrom(alerts, channels, remarks);
    },
    channels: () => {
      for (const type of Object.keys(alerting)) {
        const isAsked = [...made.keys()].some((key) => key.startsWith(JSON.stringify([type]).slice(0, -1)));
        if (!isAsked) channelFor(type, {}, {});
      }
      return [...made.values()].map(({ item }) => item);
    },
  };
}

function routesFrom(alerts: readonly Loose[], channels: readonly Channel[], remarks: Remarks): Routes {
  const failures = alerts.map((alert) => numberAt(alert, 'failure-threshold', usual.failures));
  const successes = alerts.map((alert) => numberAt(alert, 'success-threshold', usual.successes));
  if (new Set(failures).size > 1)
    remarks.approximate('its alerts come after different numbers of failures: the first of them counts here');
  if (alerts.length > 0 && alerts.some((alert) => !flagAt(alert, 'send-on-resolved', false))) {
    remarks.approximate('sent no recovery: statusd always does');
  }
  if (alerts.some((alert) => isGiven(alert, 'minimum-reminder-interval'))) {
    remarks.drop('reminds of an ongoing outage: statusd notifies once');
  }
  const threshold = (numbers: readonly number[], otherwise: number, what: string) =>
    numbers.length === 0 ? otherwise : bounded(Math.min(...numbers), thresholdBounds, { what, remarks });
  const fail = threshold(failures, usual.failures, 'a failure threshold');
  const recover = threshold(successes, usual.successes, 'a success threshold');
  const written = channels.filter(({ item }) => item.result.kind === 'written').map(({ name }) => name);
  const names = [...new Set(written)];
  if (names.length > 0 && written.length < channels.length)
    remarks.approximate('some of its alerts have no channel here');
  return {
    names,
    settings: [
      ...(fail === usual.failures ? [] : ([['fail_threshold', fail]] as const)),
      ...(recover === usual.successes ? [] : ([['recover_threshold', recover]] as const)),
    ],
    descriptions: alerts.map((alert) => textAt(alert, 'description')).filter((text) => text !== ''),
    isLosingAll: channels.length > 0 && names.length === 0,
  };
}

/** The configuration of a provider without what is not about the provider. */
function plain(config: Loose): Loose {
  return Object.fromEntries(
    Object.entries(config).filter(([key]) => !['default-alert', 'overrides', 'group'].includes(key)),
  );
}

function channelItem(
  type: string,
  { config, name, secrets }: { readonly config: Loose; readonly name: string; readonly secrets: Secrets },
): Item {
  const remarks = createRemarks();
  const convert = ownValue(providers, type);
  const own =
    convert?.({
      config,
      name,
      place: name === type ? `alerting.${type}` : `alerting.${type}, channel "${name}"`,
      secrets,
      remarks,
    }) ?? `statusd has no channel for ${type}: a webhook, ntfy or email may do`;
  const item = { kind: 'channel', name, type } as const;
  if (typeof own === 'string') {
    return { ...item, result: { kind: 'left_out' }, remarks: [{ level: 'dropped', text: own }] };
  }
  const settings = new Map<string, TomlValue>([['name', name], ...own]);
  const table = { section: 'channels', settings, comments: [] } as const;
  return { ...item, result: { kind: 'written', table }, remarks: remarks.list };
}

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
