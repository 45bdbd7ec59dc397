/** Turns what a status page of Uptime Kuma pins into a notice. */
import { cleanLines, cutText } from '../../../engine/core/text.ts';
import type { Item } from '../item.ts';
import { printable } from '../names.ts';
import { ownValue } from '../own-value.ts';
import type { TomlValue } from '../toml-value.ts';
import { localInstant } from '../zone.ts';
import type { KumaNotice } from './data.ts';

/** A colour is all Kuma says of how bad it is. */
const severities: Readonly<Record<string, string>> = { danger: 'critical', warning: 'warning' };

const bodyLength = 2000;

export function noticeItem({ id, title, content, style, created, isPinned }: KumaNotice): Item {
  const name = printable(title) || `notice ${id}`;
  const item = { kind: 'notice', name, type: style || 'warning' } as const;
  if (!isPinned) {
    return {
      ...item,
      result: { kind: 'left_out' },
      remarks: [{ level: 'dropped', text: 'is pinned no more' }],
    };
  }
  const body = cutText(cleanLines(content).join('\n').trim(), bodyLength);
  const at = localInstant(created, 'UTC');
  const settings = new Map<string, TomlValue>([
    ['title', name],
    ...(body === '' ? [] : ([['body', body]] as const)),
    ['severity', ownValue(severities, item.type) ?? 'info'],
    ...(at === null ? [] : ([['at', at]] as const)),
  ]);
  const table = { section: 'incidents', settings, comments: [] } as const;
  return { ...item, result: { kind: 'written', table }, remarks: [] };
}
