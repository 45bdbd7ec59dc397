/** Pins a banner to the status page: checked the same way for commands, HTTP and the live view. */
import { announcements } from '../../db/tables/announcements.ts';
import type { NumberedWrite } from '../../db/tables/numbered.ts';
import { boundedText } from '../core/text.ts';
import { refuseEmpty, untilArgument, wordArgument } from './arguments.ts';
import { limits } from './limits.ts';
import { type Publishing, refusePrivateNames } from './public-text.ts';

export interface BannerRequest {
  readonly title: string;
  /** Empty: none. */
  readonly body: string;
  readonly severity: string;
  /** A duration or a time of day in UTC; null: until it is cleared. */
  readonly until: string | null;
}

type BannerSeverity = (typeof announcements.severities)[number];

/** A request that is right in itself. */
export interface CheckedBanner extends Pick<BannerRequest, 'title' | 'body'> {
  readonly severity: BannerSeverity;
  readonly untilAt: number | null;
  readonly createdAt: number;
}

/** Throws `usage`. */
export function checkBanner({ title, body, severity, until }: BannerRequest, nowAt: number): CheckedBanner {
  refuseEmpty(title, 'title', 'Say in a few words what people should know.');
  const untilAt = until === null ? null : untilArgument(until, nowAt);
  return {
    title,
    body,
    severity: wordArgument(severity, 'severity', announcements.severities),
    untilAt,
    createdAt: nowAt,
  };
}

/** Resolves with what was kept of it when it is durable. Throws `usage` for one that names what strangers are not shown. */
export async function createBanner(
  checked: CheckedBanner,
  {
    redact,
    publishing,
    ...numbered
  }: NumberedWrite & { readonly redact: (text: string) => string; readonly publishing: Publishing },
): Promise<CheckedBanner & { readonly id: number }> {
  const title = boundedText(redact(checked.title), limits.title, ' ');
  const body = boundedText(redact(checked.body), limits.body, '\n');
  refusePrivateNames({ title, body }, [], publishing);
  const id = await announcements.create({ ...checked, title, body: body === '' ? null : body }, numbered);
  return { ...checked, title, body, id };
}
