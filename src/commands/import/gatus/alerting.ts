/** Routes the alerts of the endpoints of Gatus to channels. */
import { bounded, createRemarks, type Item, type Remarks, tableOf, thresholdBounds } from '../item.ts';
import { repeatSettings } from '../repeat.ts';
import { channelItem } from './providers.ts';
import { createNames } from '../names.ts';
import type { TomlValue } from '../toml-value.ts';
import type { Secrets } from '../variables.ts';
import { flagAt, isGiven, type Loose, numberAt, recordAt, recordsIn, secondsAt, textAt } from './tree.ts';

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
  /** How often each of its alerts reminds, in s; 0: one does not. */
  readonly repeats: number[];
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
    const item = channelItem(type, { config, name, secrets: secretsOf(alerting[type]) });
    const channel = { name, item, repeats: [] };
    made.set(key, channel);
    return channel;
  };
  return {
    routesOf: (endpoint, remarks) => {
      const alerts = recordsIn(endpoint['alerts'])
        .map(
          (alert): Loose => ({
            ...recordAt(recordAt(alerting, textAt(alert, 'type')), 'default-alert'),
            ...given(alert),
          }),
        )
        .filter((alert) => flagAt(alert, 'enabled', { fallback: true, remarks }));
      const channels = alerts.map((alert) => channelFor(textAt(alert, 'type'), alert, endpoint));
      alerts.forEach((alert, index) => {
        const secs = secondsAt(alert, 'minimum-reminder-interval', remarks) ?? 0;
        channels[index]?.repeats.push(secs);
      });
      return routesFrom(alerts, channels, remarks);
    },
    channels: () => {
      for (const type of Object.keys(alerting)) {
        const isAsked = [...made.keys()].some((key) => key.startsWith(JSON.stringify([type]).slice(0, -1)));
        if (!isAsked) channelFor(type, {}, {});
      }
      return [...made.values()].map(reminding);
    },
  };
}

/** Gatus asks each alert, statusd each channel. */
function reminding({ item, repeats }: Channel): Item {
  const table = tableOf(item);
  if (table === null) return item;
  const remarks = createRemarks();
  const pairs = repeatSettings(repeats, {
    type: table.settings.get('type') ?? '',
    whose: 'alerts',
    remarks,
  });
  if (pairs.length === 0) return item;
  const settings = new Map([...table.settings, ...pairs]);
  return {
    ...item,
    result: { kind: 'written', table: { ...table, settings } },
    remarks: [...item.remarks, ...remarks.list],
  };
}

function routesFrom(alerts: readonly Loose[], channels: readonly Channel[], remarks: Remarks): Routes {
  const thresholds = (key: string, fallback: number) =>
    alerts.map((alert) => {
      const number = numberAt(alert, key, { fallback, remarks });
      return number > 0 ? number : fallback;
    });
  const failures = thresholds('failure-threshold', usual.failures);
  const successes = thresholds('success-threshold', usual.successes);
  if (new Set(failures).size > 1)
    remarks.approximate('its alerts have different failure thresholds: statusd uses the smallest');
  if (new Set(successes).size > 1)
    remarks.approximate('its alerts have different success thresholds: statusd uses the smallest');
  if (
    alerts.length > 0 &&
    alerts.some((alert) => !flagAt(alert, 'send-on-resolved', { fallback: false, remarks }))
  ) {
    remarks.approximate('sends no recovery: statusd always does');
  }
  const threshold = (numbers: readonly number[], otherwise: number, what: string) =>
    numbers.length === 0 ? otherwise : bounded(Math.min(...numbers), thresholdBounds, { what, remarks });
  const fail = threshold(failures, usual.failures, 'a failure threshold');
  const recover = threshold(successes, usual.successes, 'a success threshold');
  const written = channels.filter(({ item }) => item.result.kind === 'written').map(({ name }) => name);
  const names = [...new Set(written)];
  if (names.length > 0 && written.length < channels.length)
    remarks.approximate('some of its alerts have no channel that was imported');
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

/** The alert without keys that have no value, for which the default alert holds. */
function given(alert: Loose): Loose {
  return Object.fromEntries(Object.entries(alert).filter(([, value]) => value !== null));
}

/** The configuration of a provider without what is not about the provider. */
function plain(config: Loose): Loose {
  return Object.fromEntries(
    Object.entries(config).filter(([key]) => !['default-alert', 'overrides', 'group'].includes(key)),
  );
}
