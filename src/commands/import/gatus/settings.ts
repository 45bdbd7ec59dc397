/** Takes over what a configuration of Gatus says once: thresholds, expiry, title, address. */
import { counted } from '../../../engine/core/words.ts';
import { createRemarks, type Item, type ImportRemark, type TableSection } from '../item.ts';
import { printable } from '../names.ts';
import type { TomlValue } from '../toml-value.ts';
import { usual } from './alerting.ts';
import type { EndpointDraft } from './endpoint.ts';
import { plainText } from './environment.ts';
import { isGiven, type Loose, recordAt, textAt } from './tree.ts';

export interface Expiry {
  readonly certificateDays: number | null;
  readonly domainDays: number | null;
  /** The item with a remark when an endpoint failed before its certificate ends. */
  readonly notified: (item: Item, draft: EndpointDraft) => Item;
}

/** statusd warns of all at once: the earliest warning any endpoint asked for. */
export function expiryOf(drafts: readonly EndpointDraft[]): Expiry {
  const most = (key: 'certificateDays' | 'domainDays') => {
    const days = drafts.flatMap(({ judged }) => judged?.[key] ?? []);
    return days.length === 0 ? null : Math.max(...days);
  };
  const certificateDays = most('certificateDays');
  return {
    certificateDays,
    domainDays: most('domainDays'),
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

export function settingsItems(root: Loose, expiry: Expiry): Item[] {
  const ui = recordAt(root, 'ui');
  const web = recordAt(root, 'web');
  const written = textAt(ui, 'title') || textAt(ui, 'dashboard-heading') || textAt(ui, 'header');
  const title = printable(plainText(written));
  return [
    ...(title === '' ? [] : [settings('title', { section: 'page', pairs: [['title', title]] })]),
    ...addressItems(web),
    settings('alerting', { section: 'alerts', pairs: alertPairs(expiry) }),
    ...Object.entries(lost)
      .filter(([key]) => isGiven(root, key))
      .map(([key, text]) => leftOut(key, text)),
  ];
}

function alertPairs({ certificateDays, domainDays }: Expiry): readonly (readonly [string, TomlValue])[] {
  return [
    ['recover_threshold', usual.successes],
    ...(certificateDays === null ? [] : ([['cert_expiry_days', certificateDays]] as const)),
    ...(domainDays === null ? [] : ([['domain_expiry_days', domainDays]] as const)),
  ];
}

/** Sections that have nothing of their kind here, and why. */
const lost: Readonly<Record<string, string>> = {
  security:
    'pages were behind a login: here they are public; set public = false and server.auth_token, or keep a proxy before them',
  maintenance: 'comes again and again: a cron job can run `statusd silence all`',
  remote: 'shows what other instances watch: statusd has [[peers]]',
  tunneling: 'goes through SSH: start the tunnel outside, and watch its end',
};

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
