/** Marks that something was changed (a deployment, a migration): checked the same way for commands and HTTP. */
import { events } from '../../db/tables/events.ts';
import type { NumberedWrite } from '../../db/tables/numbered.ts';
import { StatusdError } from '../core/errors.ts';
import type { EventFacts } from '../core/record.ts';
import { boundedText, cleanLine } from '../core/text.ts';
import { pastArgument } from './arguments.ts';
import { limits } from './limits.ts';
import { selectMonitors } from './select-monitors.ts';

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

/** The clocks of those who tell of changes need not agree with ours to the second. */
const aheadMs = 60_000;

/** Throws `usage`. */
export function checkEvent({ title, monitors, at }: EventRequest, nowAt: number): CheckedEvent {
  if (cleanLine(title).trim() === '') {
    throw new StatusdError('usage', 'the title is empty', {
      hint: 'Say in a few words what was changed: deploy v2.3.',
    });
  }
  const ids = monitors.map((id) => id.trim()).filter((id) => id !== '');
  return { title, monitors: ids, at: at === null ? nowAt : pastArgument(at, nowAt, aheadMs) };
}

/** Resolves with what was kept of it once it is durable. Throws `not_found` for a monitor that is not known. */
export async function createEvent(
  { title: given, monitors: wanted, at }: CheckedEvent,
  {
    known,
    redact,
    ...numbered
  }: NumberedWrite & { readonly known: readonly string[]; readonly redact: (text: string) => string },
): Promise<EventFacts> {
  const all = known.map((id) => ({ id, group: null }));
  const ids = wanted.map((id) => (known.includes(id) ? id : redact(id)));
  const monitors = ids.length === 0 ? [] : selectMonitors(all, { ids, groups: [] }).map(({ id }) => id);
  const event = { title: boundedText(redact(given), limits.title, ' '), monitors, at };
  const id = await events.create(event, numbered);
  return { id, uid: numbered.identity.uid, ...event };
}
