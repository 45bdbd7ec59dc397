/** Turns one monitor of Uptime Kuma into a table, or into the reason why not. */
import {
  bounded,
  createRemarks,
  intervalBounds,
  type Item,
  type Remarks,
  thresholdBounds,
  timeoutBounds,
} from '../item.ts';
import { reportedEverywhere } from '../fit.ts';
import { printable } from '../names.ts';
import { ownValue } from '../record.ts';
import { repeatSetting } from '../repeat.ts';
import type { TomlValue } from '../toml-value.ts';
import {
  bracketed,
  type KumaMonitor,
  type KumaSettings,
  type MonitorInputs,
  type MonitorContext,
} from './data.ts';
import { httpSettings } from './http.ts';
import { mayBeToken } from '../../../serve/access/path-token.ts';
import { durationText } from '../../../engine/core/duration.ts';
import { isIP } from 'node:net';

export function monitorItem(monitor: KumaMonitor, context: MonitorContext): Item {
  const { type, name } = monitor;
  const remarks = createRemarks();
  if (name !== '' && context.name !== printable(name))
    remarks.approximate(
      `another monitor has the name ${printable(name)} too: this one becomes "${context.name}"`,
    );
  const making = { ...context, remarks, whose: `of the monitor "${context.name}"` };
  const own = monitor.isUpsideDown ? null : kindSettings(monitor, making);
  const item = { kind: 'monitor', name: name || context.name, type } as const;
  if (own === null) {
    const text = monitor.isUpsideDown
      ? 'is upside down: statusd cannot expect a target to fail'
      : (ownValue(reasons, type) ??
        `${type === '' ? 'a monitor without a type' : type} is nothing statusd can probe`);
    return { ...item, result: { kind: 'left_out' }, remarks: [{ level: 'dropped', text }] };
  }
  const settings = new Map<string, TomlValue>([
    ['id', context.id],
    ['name', context.name],
    ...own,
    ...policySettings(monitor, making),
  ]);
  const table = { section: 'monitors', settings, comments: commentsOf(monitor) } as const;
  if (context.isActive) return { ...item, result: { kind: 'written', table }, remarks: remarks.list };
  const paused = { level: 'dropped', text: 'is paused: it is in the file as comments' } as const;
  return { ...item, result: { kind: 'commented', table }, remarks: [paused, ...remarks.list] };
}

/** Null for what there is no kind for. */
function kindSettings(monitor: KumaMonitor, making: MonitorInputs): KumaSettings | null {
  const { hostname, port } = monitor;
  switch (monitor.type) {
    case 'http':
    case 'keyword':
    case 'json-query':
      return httpSettings(monitor, making);
    case 'port':
      return [
        ['kind', 'tcp'],
        ['target', `${bracketed(hostname.trim())}:${port ?? 0}`],
      ];
    case 'ping':
      return [
        ['kind', 'icmp'],
        ['target', hostname.trim()],
      ];
    case 'dns':
      return dnsSettings(monitor, making);
    case 'push':
      return pushSettings(monitor, making);
    default:
      return null;
  }
}

/** The reasons people should know; every other type is simply not probed. */
const reasons: Readonly<Record<string, string>> = {
  docker: 'watches a container: an exec plugin or a push from the host can do it',
  'real-browser': 'drives a browser: watch the page with kind http',
  steam: 'asks the directory of Steam',
  gamedig: 'uses the protocol of a game server: watch its port with kind tcp',
  mqtt: 'waits for a message of MQTT: watch the port with kind tcp, or push from a subscriber',
  manual: 'has its status set by hand: use kind push',
  smtp: 'uses SMTP: kind tcp with starttls = "smtp" reads its certificate',
};

function pushSettings(
  { pushToken, retries, retrySecs, intervalSecs }: KumaMonitor,
  { secrets, id, whose, remarks }: MonitorInputs,
): KumaSettings {
  remarks.approximate(
    mayBeToken(pushToken)
      ? 'senders keep the path /api/push/ with their token and change only the address before it'
      : `senders must call POST /api/push/${id} with the token in X-Push-Token: a token this short is not accepted in the path`,
  );
  // Kuma allows a second for clocks that differ.
  const graceSecs = Math.max(0, retries) * (retrySecs > 0 ? retrySecs : intervalSecs) + 1;
  const token = secrets.keep(pushToken, { label: `${id} push token`, origin: `push_token ${whose}` });
  return [
    ['kind', 'push'],
    ...(pushToken === '' ? [] : ([['push_token', token]] as const)),
    ['grace_secs', Math.min(2_592_000, Math.round(graceSecs))],
  ];
}

/** How often, when it alerts, to which channels. */
function policySettings(monitor: KumaMonitor, making: MonitorInputs): KumaSettings {
  const { intervalSecs } = monitor;
  const { remarks, group } = making;
  const interval = bounded(intervalSecs, intervalBounds, { what: 'an interval', remarks });
  return [
    ['interval_secs', interval],
    ...(monitor.type === 'push' ? [] : patienceSettings(monitor, interval, remarks)),
    ...(group === null ? [] : ([['group', group]] as const)),
    ...notifySettings(monitor, making),
    ...reminderSettings(monitor, making),
  ];
}

/** Uptime Kuma counts the failed checks between two reminders. */
function reminderSettings(
  { resendEvery, intervalSecs, notificationIds }: KumaMonitor,
  { remarks, routable }: MonitorInputs,
): KumaSettings {
  if (resendEvery <= 0) return [];
  const repeatSecs = resendEvery * intervalSecs;
  if (notificationIds.some((id) => routable.has(id))) return [repeatSetting(repeatSecs, remarks)];
  remarks.drop(`reminds every ${durationText(repeatSecs * 1000)}, but none of its channels was imported`);
  return [];
}

/** A retry of Kuma is a check of its own after `retrySecs`; here checks in a row confirm, an interval apart. */
function patienceSettings(monitor: KumaMonitor, interval: number, remarks: Remarks): KumaSettings {
  const { timeoutSecs, retrySecs } = monitor;
  const retries = Math.max(0, Math.round(monitor.retries));
  const waitSecs = retries * (retrySecs > 0 ? retrySecs : interval);
  const isSame = waitSecs === retries * interval;
  const wanted = 1 + (isSame ? retries : Math.round(waitSecs / interval));
  const threshold = Math.min(thresholdBounds.max, wanted);
  if (!isSame || threshold !== wanted) {
    const here =
      threshold === 1
        ? `${Math.min(5, retries)} tries 1 s apart in statusd`
        : `notified after ${threshold} failed checks ${interval} s apart in statusd`;
    remarks.approximate(
      `${retries} ${retries === 1 ? 'retry' : 'retries'} ${retrySecs || interval} s apart: ${here}`,
    );
  }
  const timeout = Math.ceil(timeoutSecs > 0 ? timeoutSecs : interval * 0.8);
  const kept = Math.min(timeoutBounds.max, Math.max(timeoutBounds.min, timeout));
  if (kept < timeout) remarks.approximate(`has a timeout of ${timeout} s: ${kept} s in statusd`);
  return [
    ['timeout_secs', kept],
    ['probe_retries', threshold === 1 ? Math.min(5, retries) : 0],
    ['fail_threshold', threshold],
  ];
}

function notifySettings(
  { notificationIds }: KumaMonitor,
  { routable, isRouted, remarks }: MonitorInputs,
): KumaSettings {
  const wanted = notificationIds.filter(isRouted);
  const names = wanted.flatMap((id) => routable.get(id) ?? []);
  if (names.length < wanted.length && names.length > 0) {
    remarks.approximate('some of its notifications were not imported');
  }
  // No channel was notified before: none is now. Without any channel there is nothing to say.
  if (wanted.length === 0) return routable.size === 0 ? [] : [['notify', []]];
  if (names.length === 0) {
    remarks.approximate(reportedEverywhere);
    return [];
  }
  return names.length === routable.size ? [] : [['notify', names]];
}

function commentsOf({ description, tags }: KumaMonitor): string[] {
  return [
    ...(description.trim() === '' ? [] : [description]),
    ...(tags.length === 0 ? [] : [`Tags: ${tags.join(', ')}`]),
  ];
}

/** Turns a name that Uptime Kuma resolves into settings. */
function dnsSettings(monitor: KumaMonitor, { remarks }: MonitorInputs): KumaSettings {
  const { hostname, dnsType, dnsServer, port, conditions } = monitor;
  const servers = dnsServer
    .split(',')
    .map((server) => server.trim())
    .filter((server) => server !== '');
  const server = servers.find((one) => isIP(one) !== 0);
  if (servers.length > 1)
    remarks.approximate(
      `asks ${servers.length} name servers: statusd asks ${server ?? 'that of the system'}`,
    );
  else if (servers.length === 1 && server === undefined) {
    remarks.approximate('gives a name for its name server: statusd asks the name server of the system');
  }
  if (conditions !== '')
    remarks.drop('has conditions on the records: use dns_expected, which requires all of its values');
  return [
    ['kind', 'dns'],
    ['target', reverseName(hostname.trim(), dnsType)],
    ...(dnsType === 'A' ? [] : ([['dns_record', dnsType]] as const)),
    ...(server === undefined ? [] : ([['dns_resolver', `${bracketed(server)}:${port ?? 53}`]] as const)),
  ];
}

/** Kuma asks for the name of an address; a name server is asked for that address, turned around, under arpa. */
function reverseName(target: string, type: string): string {
  if (type !== 'PTR' || isIP(target) !== 4) return target;
  return `${target.split('.').reverse().join('.')}.in-addr.arpa`;
}
