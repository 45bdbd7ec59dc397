/** Marks a change (a deployment, a migration): checked the same way for commands and HTTP. */
import { events } from '../../db/tables/events.ts';
import type { NumberedWrite } from '../../db/tables/numbered.ts';
import type { EventFacts } from '../core/record.ts';
import { boundedText } from '../core/text.ts';
import { pastArgument, refuseEmpty } from './arguments.ts';
import { limits } from './limits.ts';
import { type Publishing, refusePrivateNames } from './public-text.ts';
import { namedMonitors, namesIn, type Selectable } from './select-monitors.ts';

export interface EventRequest {
  readonly title: string;
  /** Ids; none: it is about everything. */
  readonly monitors: readonly string[];
  /** RFC 3339, or how long ago; null: now. */
  readonly at: string | null;
}

export interface CheckedEvent extends Pick<EventRequest, 'title' | 'monitors'> {
  readonly at: number;
}

/** The clocks of those who report changes need not agree with ours to the second. */
const aheadMs = 60_000;

/** Throws `usage`. */
export function checkEvent({ title, monitors, at }: EventRequest, nowAt: number): CheckedEvent {
  refuseEmpty(title, 'title', 'Say in a few words what was changed: deploy v2.3.');
  const about = namesIn('monitor', monitors);
  return { title, monitors: about, at: at === null ? nowAt : pastArgument(at, nowAt, aheadMs) };
}

/**
 * Resolves with what was kept of it once it is durable. Throws `not_found` for a monitor that is not known, and `usage` for a
 * title that strangers read and that names what they are not shown.
 */
export async function createEvent(
  { title: given, monitors: wanted, at }: CheckedEvent,
  {
    known,
    redact,
    publishing,
    ...numbered
  }: NumberedWrite & {
    readonly known: readonly Selectable[];
    readonly redact: (text: string) => string;
    readonly publishing: Publishing;
  },
): Promise<EventFacts> {
  const monitors = namedMonitors(known, { ids: wanted, groups: [] }, redact);
  const event = { title: boundedText(redact(given), limits.title, ' '), monitors, at };
  refusePrivateNames({ title: event.title }, monitors, publishing);
  const id = await events.create(event, numbered);
  return { id, uid: numbered.identity.uid, ...event };
}
