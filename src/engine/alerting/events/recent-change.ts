/** Something that was changed shortly before the first failure, as an alert names it. */
import { timestampText } from '../../core/instant.ts';
import type { EventFields } from './stored.ts';

export interface RecentChange {
  readonly title: string;
  readonly at: number;
}

/** What a payload knows of one; null: nothing. */
export function changeOf({
  changeTitle,
  changeAt,
}: {
  readonly changeTitle: string | null;
  readonly changeAt: number | null;
}): RecentChange | null {
  return changeTitle === null || changeAt === null ? null : { title: changeTitle, at: changeAt };
}

/** Its field of the webhook's document, where there is one. */
export function changeJson(change: RecentChange | null | undefined): EventFields {
  return change ? { recent_change: { title: change.title, at: timestampText(change.at) } } : {};
}
