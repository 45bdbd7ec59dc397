/** Takes over what Uptime Kuma has set for all monitors: the title of its page, when it warns of certificates. */
import { createRemarks, type Item, type TableSection } from '../item.ts';
import { printable } from '../names.ts';
import type { TomlValue } from '../toml-value.ts';
import type { KumaData } from './data.ts';
import { parsedJson } from '../record.ts';

export function settingsItems(data: KumaData): Item[] {
  return [...pageItems(data), ...baseItems(data), ...expiryItems(data)];
}

function pageItems({ pageTitles }: KumaData): Item[] {
  const [title = '', ...others] = pageTitles.map(printable).filter((one) => one !== '');
  if (title === '') return [];
  const remarks = createRemarks();
  if (others.length > 0) {
    remarks.approximate(
      `${others.length + 1} status pages: statusd has one, with a page for each group besides`,
    );
  }
  return [item('status page', { section: 'page', settings: [['title', title]] }, remarks.list)];
}

function baseItems({ settings }: KumaData): Item[] {
  const address = parsedJson(settings.get('primaryBaseURL') ?? '');
  if (typeof address !== 'string' || address === '') return [];
  const remarks = createRemarks();
  remarks.approximate('it is the address of Uptime Kuma: statusd takes its place, or gets one of its own');
  return [item('primary base URL', { section: 'server', settings: [['base_url', address]] }, remarks.list)];
}

function expiryItems({ settings }: KumaData): Item[] {
  const stored = parsedJson(settings.get('tlsExpiryNotifyDays') ?? '');
  const days = (Array.isArray(stored) ? (stored as unknown[]) : []).map(Number).filter((day) => day > 0);
  if (days.length === 0) return [];
  const most = Math.min(365, Math.max(...days.map(Math.round)));
  const remarks = createRemarks();
  if (days.length > 1)
    remarks.approximate(`warned ${days.length} times: statusd warns once, ${most} days before`);
  return [
    item('certificate expiry', { section: 'alerts', settings: [['cert_expiry_days', most]] }, remarks.list),
  ];
}

function item(
  name: string,
  table: { readonly section: TableSection; readonly settings: readonly (readonly [string, TomlValue])[] },
  remarks: Item['remarks'],
): Item {
  const written = { ...table, settings: new Map(table.settings), comments: [] };
  return { kind: 'settings', name, type: 'settings', result: { kind: 'written', table: written }, remarks };
}
