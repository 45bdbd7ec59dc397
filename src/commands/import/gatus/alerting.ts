/** Routes the alerts of the endpoints of Gatus to channels. */
import { durationText } from '../../../engine/core/duration.ts';
import { bounded, createRemarks, type Item, type Remarks, tableOf, thresholdBounds } from '../item.ts';
import { repeatSetting } from '../repeat.ts';
import { channelItem } from './providers.ts';
import { createNames } from '../names.ts';
import type { TomlValue } from '../toml-value.ts';
import type { Secrets } from '../variables.ts';
import { reportAlertMistakes } from './refusal.ts';
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
    const channel = { name, item };
    made.set(key, channel);
    return channel;
  };
  return {
    routesOf: (endpoint, remarks) => {
      const all = recordsIn(endpoint['alerts']).map(
        (alert): Loose => ({
          ...recordAt(recordAt(alerting, textAt(alert, 'type')), 'default-alert'),
          ...given(alert),
        }),
      );
      for (const alert of all) {
        const reminderSecs = secondsAt(alert, 'minimum-reminder-interval', createRemarks());
        reportAlertMistakes(alert, reminderSecs, remarks);
      }
      const alerts = all.filter((alert) => flagAt(alert, 'enabled', { fallback: true, remarks }));
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

/** The channel types whose vendor reminds by rules of its own: statusd sends them no reminder. */
const remindsItself: readonly TomlValue[] = ['pagerduty', 'alertmanager'];

/**
 * The reminders of a monitor: Gatus has an interval for each alert, statusd one for each monitor. The shortest of different
 * ones is taken, so that no reminder is lost.
 */
function reminderSettings(
  alerts: readonly Loose[],
  channels: readonly Channel[],
  remarks: Remarks,
): Routes['settings'] {
  const intervals = alerts.map((alert, index) => {
    const item = channels[index]?.item;
    const table = item === undefined ? null : tableOf(item);
    return { table, secs: Math.max(0, secondsAt(alert, 'minimum-reminder-interval', remarks) ?? 0) };
  });
  const sent = intervals.flatMap(({ table, secs }) =>
    table === null || remindsItself.includes(table.settings.get('type') ?? '') ? [] : [secs],
  );
  const wanted = shortest(sent);
  if (wanted === null) {
    const lost = shortest(intervals.flatMap(({ table, secs }) => (table === null ? [secs] : [])));
    if (lost !== null)
      remarks.drop(`reminds every ${durationText(lost * 1000)}, but its channel was not imported`);
    return [];
  }
  const setting = repeatSetting(wanted, remarks);
  const all = `in statusd all its channels do, every ${durationText(setting[1] * 1000)}`;
  if (sent.includes(0)) remarks.approximate(`only some of its alerts remind: ${all}`);
  else if (new Set(sent).size > 1) remarks.approximate(`its alerts remind at different intervals: ${all}`);
  return [setting];
}

/** The shortest interval of those above 0; null: there is none. */
function shortest(intervals: readonly number[]): number | null {
  const some = intervals.filter((secs) => secs > 0);
  return some.length === 0 ? null : Math.min(...some);
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
      ...reminderSettings(alerts, channels, remarks),
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
