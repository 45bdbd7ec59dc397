/** Turns a configuration of Gatus into the items of one of statusd. */
import { counted } from '../../../engine/core/words.ts';
import type { Imported } from '../document.ts';
import {
  createRemarks,
  handleOf,
  type ImportRemark,
  type Item,
  tableOf,
  type TableSection,
} from '../item.ts';
import { createIds, printable, slug } from '../names.ts';
import type { Secrets } from '../variables.ts';
import { createAlerting, usual } from './alerting.ts';
import {
  type EndpointContext,
  type EndpointDraft,
  endpointDraft,
  externalDraft,
  routed,
} from './endpoint.ts';
import type { Merged } from './folder.ts';
import { maintenanceItem } from './maintenance.ts';
import { gatusKey } from './refusal.ts';
import { flagAt, isGiven, type Loose, plainText, recordAt, recordsIn, textAt } from './tree.ts';
import { cutText } from '../../../engine/core/text.ts';
import { ownValue } from '../record.ts';
import type { TomlValue } from '../toml-value.ts';

export function convertGatus({ root, fileOf }: Merged, secrets: Secrets): Imported {
  const secretsOf = (record: unknown) => reportedWithFile(secrets, fileOf(record));
  const placed = (item: Item, record: unknown): Item => {
    const file = fileOf(record);
    return file === null ? item : { ...item, file };
  };
  const alerting = createAlerting(root, secretsOf);
  const endpoints = [...recordsIn(root['endpoints']), ...recordsIn(root['services'])];
  const externals = recordsIn(root['external-endpoints']);
  const identityOf = identities([...endpoints, ...externals]);
  const contextOf = (endpoint: Loose) => ({
    ...identityOf(endpoint),
    alerting,
    secrets: secretsOf(endpoint),
  });
  const drafts: EndpointDraft[] = [
    ...endpoints.map((endpoint) => endpointDraft(endpoint, contextOf(endpoint))),
    ...externals.map((endpoint) => externalDraft(endpoint, contextOf(endpoint))),
  ];
  const channels = alerting.channels();
  const count = channels.filter(({ result }) => result.kind === 'written').length;
  const expiry = expiryOf(drafts);
  const monitors = drafts.map((draft, index) =>
    placed(expiry.notified(routed(draft, count), draft), [...endpoints, ...externals][index]),
  );
  return {
    program: 'Gatus',
    items: [
      ...settingsItems(root, expiry).map((item) => placed(item, root[settingsKey(item)])),
      ...channels.map((item) => placed(item, recordAt(root, 'alerting')[item.type])),
      ...monitors,
      ...windowsOf(root, [...endpoints, ...externals], monitors),
      ...recordsIn(root['suites']).map((suite) => placed(suiteItem(suite), suite)),
      ...recordsIn(root['announcements']).map((notice) => placed(noticeItem(notice), notice)),
    ],
    wanted: secrets.wanted(),
  };
}

/** The one for everything, then those of the endpoints that are here. */
function windowsOf(root: Loose, endpoints: readonly Loose[], monitors: readonly Item[]): Item[] {
  const ofAll = isGiven(root, 'maintenance')
    ? [maintenanceItem(recordAt(root, 'maintenance'), { name: 'maintenance', monitor: null })]
    : [];
  const own = endpoints.flatMap((endpoint, index) => {
    const item = monitors[index];
    const table = item === undefined ? null : tableOf(item);
    const monitor = table === null ? null : handleOf(table);
    if (item === undefined || monitor === null) return [];
    return recordsIn(endpoint['maintenance-windows']).map((window) =>
      maintenanceItem(window, { name: item.name, monitor }),
    );
  });
  return [...ofAll, ...own];
}

/** Where the values are found that have to be filled in. */
function reportedWithFile(secrets: Secrets, file: string | null): Secrets {
  if (file === null) return secrets;
  return {
    ...secrets,
    keep: (value, { label, origin }) => secrets.keep(value, { label, origin: `${origin}, in ${file}` }),
  };
}

function settingsKey({ name }: Item): string {
  return name === 'title' ? 'ui' : name;
}

type Identity = Pick<EndpointContext, 'id' | 'isShared' | 'isDuplicate'>;

/** A name that is there once makes the id; with its group it differs from others of the same name. */
function identities(endpoints: readonly Loose[]): (endpoint: Loose) => Identity {
  const next = createIds();
  const slugs = endpoints.map((endpoint) => slug(textAt(endpoint, 'name')));
  const keys = endpoints.map(gatusKey);
  const found = endpoints.map((endpoint, index): Identity => {
    const isShared = slugs.filter((one) => one === slugs[index]).length > 1;
    const name = textAt(endpoint, 'name');
    const wanted = isShared ? `${textAt(endpoint, 'group')} ${name}` : name;
    const isDuplicate = keys.indexOf(keys[index] ?? '') !== keys.lastIndexOf(keys[index] ?? '');
    return { id: next(wanted, `endpoint-${index + 1}`), isShared, isDuplicate };
  });
  return (endpoint) => found[endpoints.indexOf(endpoint)] ?? { id: '', isShared: false, isDuplicate: false };
}

function suiteItem(suite: Loose): Item {
  const text = 'is a sequence of requests that hand values on: write an exec plugin, or push from a script';
  return {
    kind: 'monitor',
    name: textAt(suite, 'name') || 'suite',
    type: 'suite',
    result: { kind: 'left_out' },
    remarks: [{ level: 'dropped', text }],
  };
}

const severities: Readonly<Record<string, string>> = {
  outage: 'critical',
  warning: 'warning',
  operational: 'resolved',
};

const titleLength = 100;

/** Turns the announcements of Gatus into notices. */
function noticeItem(announcement: Loose): Item {
  const message = printable(textAt(announcement, 'message'));
  const type = textAt(announcement, 'type') || 'none';
  const item = { kind: 'notice', name: cutText(message, 60, '...') || 'announcement', type } as const;
  if (flagAt(announcement, 'archived', { fallback: false, remarks: createRemarks() })) {
    return { ...item, result: { kind: 'left_out' }, remarks: [{ level: 'dropped', text: 'is archived' }] };
  }
  const at = instantOf(announcement['timestamp']);
  const title = cutText(message, titleLength, '...');
  const settings = new Map<string, TomlValue>([
    ['title', title],
    ...(title === message ? [] : ([['body', cutText(textAt(announcement, 'message'), 2000)]] as const)),
    ['severity', ownValue(severities, type) ?? 'info'],
    ...(at === null ? [] : ([['at', at]] as const)),
  ]);
  return {
    ...item,
    result: { kind: 'written', table: { section: 'incidents', settings, comments: [] } },
    remarks: [],
  };
}

function instantOf(value: unknown): string | null {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? new Date(value).toISOString() : null;
}

interface Expiry {
  readonly certificateDays: number | null;
  readonly domainDays: number | null;
  /** Whether an endpoint with alerts took a slow answer for a failure. */
  readonly isSlowNotified: boolean;
  /** The item with a remark when an endpoint failed before its certificate ends. */
  readonly notified: (item: Item, draft: EndpointDraft) => Item;
}

/**
 * Takes over what a configuration of Gatus says once: thresholds, expiry, title, address. statusd warns of all at
 * once: the earliest warning any endpoint asked for.
 */
function expiryOf(drafts: readonly EndpointDraft[]): Expiry {
  const most = (key: 'certificateDays' | 'domainDays') => {
    const days = drafts.flatMap(({ judged }) => judged?.[key] ?? []);
    return days.length === 0 ? null : Math.max(...days);
  };
  const certificateDays = most('certificateDays');
  return {
    certificateDays,
    domainDays: most('domainDays'),
    isSlowNotified: drafts.some(
      ({ judged, routes }) =>
        routes !== null &&
        routes.names.length > 0 &&
        judged?.settings.some(([key]) => key === 'degraded_over_ms'),
    ),
    notified: (item, { judged }) => {
      if (judged === null || judged.certificateDays === null) return item;
      const text = `failed ${days(judged.certificateDays)} before its certificate ends: here a warning ${days(certificateDays ?? 0)} before`;
      return { ...item, remarks: [...item.remarks, { level: 'approximated', text }] };
    },
  };
}

function days(count: number): string {
  return counted(count, 'day');
}

function settingsItems(root: Loose, expiry: Expiry): Item[] {
  const ui = recordAt(root, 'ui');
  const web = recordAt(root, 'web');
  const written = textAt(ui, 'title') || textAt(ui, 'dashboard-heading') || textAt(ui, 'header');
  const title = printable(plainText(written));
  return [
    ...(title === '' ? [] : [settings('title', { section: 'page', pairs: [['title', title]] })]),
    ...looksItems(ui),
    ...addressItems(web),
    settings('alerting', { section: 'alerts', pairs: alertPairs(expiry) }),
    ...Object.entries(lost)
      .filter(([key]) => isGiven(root, key))
      .map(([key, text]) => leftOut(key, text)),
  ];
}

function alertPairs({
  certificateDays,
  domainDays,
  isSlowNotified,
}: Expiry): readonly (readonly [string, TomlValue])[] {
  return [
    ['recover_threshold', usual.successes],
    ...(isSlowNotified ? ([['alert_on_degraded', true]] as const) : []),
    ...(certificateDays === null ? [] : ([['cert_expiry_days', certificateDays]] as const)),
    ...(domainDays === null ? [] : ([['domain_expiry_days', domainDays]] as const)),
  ];
}

/** Sections that have nothing of their kind here, and why. */
const lost: Readonly<Record<string, string>> = {
  security:
    'pages were behind a login: here they are public; set public = false and server.auth_token, or keep a proxy before them',
  remote: 'shows what other instances watch: statusd has [[peers]]',
  tunneling: 'goes through SSH: start the tunnel outside, and watch its end',
};

/** How the page looks, which has settings of its own here. */
const looks = ['description', 'dashboard-subheading', 'logo', 'favicon', 'link', 'buttons', 'custom-css'];

function looksItems(ui: Loose): Item[] {
  const given = looks.filter((key) => isGiven(ui, key));
  return given.length === 0 ? [] : [leftOut('ui', `${given.join(', ')}: see [page] in statusd.toml(5)`)];
}

function addressItems(web: Loose): Item[] {
  const { address, port } = { address: textAt(web, 'address'), port: textAt(web, 'port') };
  const remarks = createRemarks();
  if (isGiven(web, 'tls')) remarks.drop('web.tls: put a proxy before it for TLS');
  if (address === '' && port === '' && remarks.list.length === 0) return [];
  if (!/^\d*$/.test(port)) return [leftOut('web', 'its port is a variable: set $STATUSD_BIND')];
  const host = address.includes(':') ? `[${address}]` : address || '0.0.0.0';
  return [
    settings('web', { section: 'server', pairs: [['bind', `${host}:${port || '8080'}`]] }, remarks.list),
  ];
}

function settings(
  name: string,
  written: { readonly section: TableSection; readonly pairs: readonly (readonly [string, TomlValue])[] },
  remarks: readonly ImportRemark[] = [],
): Item {
  const table = { section: written.section, settings: new Map(written.pairs), comments: [] };
  return { kind: 'settings', name, type: 'settings', result: { kind: 'written', table }, remarks };
}

function leftOut(name: string, text: string): Item {
  return {
    kind: 'settings',
    name,
    type: 'settings',
    result: { kind: 'left_out' },
    remarks: [{ level: 'dropped', text }],
  };
}
