/** The banners a reader sees: those an operator pinned, then the notices of the configuration. */
import { rfc3339 } from '../core/instant.ts';
import type { ConfiguredNotice } from '../config/config.ts';
import type { Reader } from './reader.ts';

/** A pinned banner. Instants are epoch ms; `untilAt` null: until it is cleared. */
export interface AnnouncementFacts {
  readonly id: number;
  readonly title: string;
  readonly body: string | null;
  readonly severity: 'info' | 'warning' | 'critical' | 'resolved';
  readonly untilAt: number | null;
  readonly createdAt: number;
}

/** Strangers get no `id`: numbers would tell how many there were. A notice has none (null). */
export function announcementViews(
  pinned: readonly AnnouncementFacts[],
  notices: readonly ConfiguredNotice[],
  { isTrusted, nowAt }: Reader,
) {
  const named = (id: number | null) => (isTrusted ? { id } : {});
  return [
    ...pinned.map(({ id, title, body, severity, createdAt, untilAt }) => ({
      ...named(id),
      title,
      body,
      severity,
      at: rfc3339(createdAt),
      until: untilAt === null ? null : rfc3339(untilAt),
    })),
    ...notices
      .filter(({ at }) => at === null || at <= nowAt)
      .map(({ title, body, severity, at }) => ({
        ...named(null),
        title,
        body: body === '' ? null : body,
        severity,
        at: at === null ? null : rfc3339(at),
        until: null,
      })),
  ];
}
