/** Turns the announcements of Gatus into notices. */
import { cutText } from '../../../engine/core/text.ts';
import type { Item } from '../item.ts';
import { printable } from '../names.ts';
import { ownValue } from '../own-value.ts';
import type { TomlValue } from '../toml-value.ts';
import { flagAt, type Loose, textAt } from './tree.ts';

const severities: Readonly<Record<string, string>> = {
  outage: 'critical',
  warning: 'warning',
  operational: 'resolved',
};

const titleLength = 100;

export function noticeItem(announcement: Loose): Item {
  const message = printable(textAt(announcement, 'message'));
  const type = textAt(announcement, 'type') || 'none';
  const item = { kind: 'notice', name: cutText(message, 60, '...') || 'announcement', type } as const;
  if (flagAt(announcement, 'archived', false)) {
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
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? new Date(value).toISOString() : null;
}
