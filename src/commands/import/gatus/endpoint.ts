/** Turns one endpoint of Gatus into the table of a monitor, or into the reason why not. */
import { bounded, createRemarks, intervalBounds, type Item, type Remarks, timeoutBounds } from '../item.ts';
import { reportedEverywhere } from '../fit.ts';
import { printable } from '../names.ts';
import { composed, type ComposedText, type TomlValue } from '../toml-value.ts';
import type { Secrets } from '../variables.ts';
import type { Alerting, Routes } from './alerting.ts';
import { judgeConditions, type JudgedConditions } from './conditions.ts';
import {
  flagAt,
  hasVariables,
  isGiven,
  type Loose,
  plainText,
  recordAt,
  secondsAt,
  textAt,
  textsAt,
  withVariables,
} from './tree.ts';
import { reportMistakes, reportRefusal, reportRequestMistakes } from './refusal.ts';
import { requestSettings, targetOf } from './request.ts';
import { wantedFailure } from './wanted-failure.ts';

export interface EndpointContext {
  readonly id: string;
  /** Whether another endpoint has the same name, in another group. */
  readonly isShared: boolean;
  /** Whether Gatus takes another endpoint for this one, which it refuses. */
  readonly isDuplicate: boolean;
  readonly alerting: Alerting;
  readonly secrets: Secrets;
}

type Settings = readonly (readonly [key: string, value: TomlValue])[];

/** An endpoint before it is known which channels and which expiry warnings there are. */
export interface EndpointDraft {
  readonly item: Item;
  /** Null when it is left out. */
  readonly routes: Routes | null;
  readonly judged: JudgedConditions | null;
}

export function endpointDraft(endpoint: Loose, context: EndpointContext): EndpointDraft {
  const remarks = createRemarks();
  const target = targetOf(endpoint, { secrets: context.secrets, remarks });
  const name = textAt(endpoint, 'name');
  const routes = context.alerting.routesOf(endpoint, remarks);
  const item = { kind: 'monitor', name: name || context.id, type: target.type } as const;
  const leftOut = (text: string): EndpointDraft => ({
    item: { ...item, result: { kind: 'left_out' }, remarks: [{ level: 'dropped', text }] },
    routes: null,
    judged: null,
  });
  if (target.kind === 'none') return leftOut(target.why);
  reportIdentity(endpoint, context, remarks);
  reportRequestMistakes(endpoint, remarks);
  const conditions = conditionsOf(endpoint, remarks);
  const wanted = wantedFailure(conditions, target.kind);
  if (wanted !== null) return leftOut(`wants ${wanted}: statusd cannot expect a target to fail`);
  const client = recordAt(endpoint, 'client');
  const judgedConditions = judgeConditions(conditions, {
    kind: target.kind,
    isFollowing: !flagAt(client, 'ignore-redirect', { fallback: false, remarks }),
    secrets: context.secrets,
    isCertificateRead: target.kind === 'http' || target.settings.some(([key]) => key === 'starttls'),
    remarks,
  });
  const settings = new Map<string, TomlValue>([
    ['id', context.id],
    ['name', nameOf(endpoint, context)],
    ['kind', target.kind],
    ...target.settings,
    ...(target.kind === 'http' ? requestSettings(endpoint, { ...context, remarks }) : []),
    ...judgedConditions.settings,
    ...domainSettings(judgedConditions, endpoint, remarks),
    ...rhythmSettings(endpoint, client, remarks),
    ...routes.settings,
    ...(textAt(endpoint, 'group') === '' ? [] : ([['group', labelOf(endpoint, 'group', context)]] as const)),
  ]);
  reportLosses(client, remarks);
  if (isGiven(endpoint, 'extra-labels')) remarks.drop('extra-labels of its metrics');
  const table = { section: 'monitors', settings, comments: routes.descriptions } as const;
  const isEnabled = flagAt(endpoint, 'enabled', { fallback: true, remarks });
  if (isEnabled) {
    return {
      item: { ...item, result: { kind: 'written', table }, remarks: remarks.list },
      routes,
      judged: judgedConditions,
    };
  }
  const paused = { level: 'dropped', text: 'is not enabled: it is in the file as comments' } as const;
  return {
    item: { ...item, result: { kind: 'commented', table }, remarks: [paused, ...remarks.list] },
    routes,
    judged: judgedConditions,
  };
}

/** An external endpoint is pushed to. */
export function externalDraft(endpoint: Loose, context: EndpointContext): EndpointDraft {
  const remarks = createRemarks();
  const { id, secrets, alerting } = context;
  const name = textAt(endpoint, 'name');
  const routes = alerting.routesOf(endpoint, remarks);
  reportIdentity(endpoint, context, remarks);
  if (textAt(endpoint, 'token') === '') reportRefusal('it has no token', remarks);
  remarks.approximate(`senders must call POST /api/push/${id} with the token in X-Push-Token`);
  const interval = secondsAt(recordAt(endpoint, 'heartbeat'), 'interval', remarks);
  if (interval !== null && interval !== 0 && interval < 10)
    reportRefusal('its heartbeat is wanted more often than every 10 seconds', remarks);
  if (interval === null || interval === 0) {
    remarks.approximate('expects no heartbeat: in statusd it is down without one a day');
  }
  const token = textAt(endpoint, 'token');
  const kept = hasVariables(token)
    ? withVariables(token, secrets)
    : secrets.keep(plainText(token), {
        label: `${id} push token`,
        origin: `token of the external endpoint "${printable(name)}"`,
      });
  const settings = new Map<string, TomlValue>([
    ['id', id],
    ['name', nameOf(endpoint, context)],
    ['kind', 'push'],
    ...(token === '' ? [] : ([['push_token', kept]] as const)),
    [
      'interval_secs',
      bounded(interval === null || interval === 0 ? 86_400 : interval, intervalBounds, {
        what: 'an interval',
        remarks,
      }),
    ],
    ...routes.settings,
    ...(textAt(endpoint, 'group') === '' ? [] : ([['group', labelOf(endpoint, 'group', context)]] as const)),
  ]);
  const table = { section: 'monitors', settings, comments: routes.descriptions } as const;
  const isEnabled = flagAt(endpoint, 'enabled', { fallback: true, remarks });
  const item: Item = {
    kind: 'monitor',
    name: name || id,
    type: 'external',
    result: { kind: isEnabled ? 'written' : 'commented', table },
    remarks: isEnabled
      ? remarks.list
      : [{ level: 'dropped', text: 'is not enabled: it is in the file as comments' }, ...remarks.list],
  };
  return { item, routes, judged: null };
}

/** The item with its channels, now that all of them are known. */
export function routed({ item, routes }: EndpointDraft, channels: number): Item {
  if (routes === null || !('table' in item.result) || channels === 0) return item;
  if (routes.isLosingAll) {
    return { ...item, remarks: [...item.remarks, { level: 'approximated', text: reportedEverywhere }] };
  }
  if (routes.names.length === channels) return item;
  const settings = new Map(item.result.table.settings).set('notify', routes.names);
  return { ...item, result: { ...item.result, table: { ...item.result.table, settings } } };
}

function reportIdentity(endpoint: Loose, { isDuplicate }: EndpointContext, remarks: Remarks): void {
  reportMistakes(endpoint, remarks);
  if (isDuplicate) reportRefusal('another endpoint has the same name and group', remarks);
}

function nameOf(endpoint: Loose, context: EndpointContext): string | ComposedText {
  const name = labelOf(endpoint, 'name', context);
  const isGrouped = context.isShared && textAt(endpoint, 'group') !== '';
  return isGrouped ? composed(name, ' (', labelOf(endpoint, 'group', context), ')') : name;
}

function labelOf(endpoint: Loose, key: string, { id, secrets }: EndpointContext): string | ComposedText {
  const text = printable(textAt(endpoint, key)) || id;
  return withVariables(text, secrets);
}

/** A condition that is no text is reported: Gatus does not start with one. */
function conditionsOf(endpoint: Loose, remarks: Remarks): string[] {
  const texts = textsAt(endpoint, 'conditions');
  const given = endpoint['conditions'];
  const isList = given === undefined || given === null || Array.isArray(given);
  if (!isList || (Array.isArray(given) && texts.length < given.length)) {
    remarks.drop('a condition that is not one line of text');
  }
  return texts;
}

/** The registered domain is what registrars know: a guess here, as Gatus makes one. */
function domainSettings({ domainDays }: JudgedConditions, endpoint: Loose, remarks: Remarks): Settings {
  if (domainDays === null) return [];
  const host = /^[a-z]+:\/\/(?:[^@/]*@)?([^/:?#]+)/i.exec(textAt(endpoint, 'url'))?.[1] ?? '';
  const labels = host.split('.').filter((label) => label !== '');
  const domain = labels
    .slice(
      /^(?:co|com|org|net|ac|gov|edu)$/.test(labels.at(-2) ?? '') && labels.at(-1)?.length === 2 ? -3 : -2,
    )
    .join('.');
  if (hasVariables(host) || labels.length < 2) {
    remarks.drop('watches the expiry of its domain: set domain_expiry');
    return [];
  }
  remarks.approximate(
    `fails before its domain expires: statusd warns; make sure that ${domain} is the registered domain`,
  );
  return [['domain_expiry', domain]];
}

function rhythmSettings(endpoint: Loose, client: Loose, remarks: Remarks): Settings {
  // Gatus takes nothing, and what is no time at all, for its default.
  const interval = secondsAt(endpoint, 'interval', remarks) || 60;
  const given = secondsAt(client, 'timeout', remarks) ?? 10;
  const timeout = given < 0.001 ? 10 : given;
  const kept = bounded(interval, intervalBounds, { what: 'an interval in seconds', remarks });
  const seconds = bounded(Math.ceil(timeout), timeoutBounds, { what: 'a timeout in seconds', remarks });
  if (!Number.isInteger(timeout))
    remarks.approximate(`has a timeout of ${timeout} s: ${seconds} s in statusd`);
  return [
    ['interval_secs', kept],
    ...(seconds === 10 ? [] : ([['timeout_secs', seconds]] as const)),
    // Gatus takes the first answer.
    ['probe_retries', 0],
  ];
}

const losses: Readonly<Record<string, string>> = {
  oauth2: 'fetches a token by OAuth 2 first',
  'identity-aware-proxy': 'logs in at the Identity-Aware Proxy of Google',
  tls: 'uses a client certificate',
  tunnel: 'goes through an SSH tunnel',
  'dns-resolver': 'asks a name server of its own',
  'store-cookies': 'keeps cookies',
};

function reportLosses(client: Loose, remarks: Remarks): void {
  for (const [key, text] of Object.entries(losses)) if (isGiven(client, key)) remarks.drop(text);
  if (/^ip[46]$/.test(textAt(client, 'network')))
    remarks.drop(`uses IPv${textAt(client, 'network').slice(2)} only`);
}
