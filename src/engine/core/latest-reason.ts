/** The latest reason of an outage, where its checks fail for another one by now, and how both are said. */
import { nearInstantText, timestampText } from './instant.ts';
import type { Category } from './probe.ts';

/** Why the checks of an outage fail since an instant (epoch ms), as two checks in a row said. */
export interface LatestReason {
  readonly sinceAt: number;
  readonly category: Category | null;
  readonly reason: string | null;
}

/** Two reasons of one outage, in words. */
interface ReasonPair {
  /** Why it was confirmed; null: not known. */
  readonly first: string | null;
  /** Null: its checks fail for the first reason, as far as the reader may know. */
  readonly latest: { readonly reason: string; readonly sinceAt: number } | null;
  /** Epoch ms. */
  readonly startedAt: number;
}

/** `503 since 11:40:00 UTC, connection refused since 11:52:10 UTC`; the first reason alone where there is no other. */
export function reasonsText({ first, latest, startedAt }: ReasonPair): string | null {
  if (latest === null) return first;
  const since = `since ${nearInstantText(latest.sinceAt, startedAt)}`;
  if (first === null) return `${withoutStop(latest.reason)} ${since}`;
  const begun = `${withoutStop(first)} since ${nearInstantText(startedAt, startedAt)}`;
  return latest.reason === first
    ? `${begun}, again ${since}`
    : `${begun}, ${withoutStop(latest.reason)} ${since}`;
}

function withoutStop(text: string): string {
  return text.trimEnd().replace(/\.$/, '');
}

/** The field of a webhook's document, where its outage has another reason by now. */
export function latestJson(latest: LatestReason | null = null) {
  if (latest === null) return {};
  const { reason: message, category, sinceAt } = latest;
  return { latest_reason: { message, category, since: timestampText(sinceAt) } };
}
