/** What was said about an incident, in lines for a terminal. */
import type { IncidentView, UpdateView } from '../../engine/views/incident.ts';
import { shortTimeText } from '../../engine/views/page-wording.ts';

/** `17:41 UTC, identified: Mails are queued.`; null: nobody said anything. */
export function newestWords({ updates }: Pick<IncidentView, 'updates'>, now: string): string | null {
  const said = updates.find(({ message }) => message !== null);
  return said === undefined ? null : updateWords(said, now);
}

/** All that happened and was said, the newest first. */
export function allWords(
  { updates, acknowledged }: Pick<IncidentView, 'updates' | 'acknowledged'>,
  now: string,
): readonly string[] {
  const words = updates.map((update) => ({ at: update.at, text: updateWords(update, now) }));
  if (acknowledged !== null) {
    const { at, by = null, reason = null } = acknowledged;
    const who = by === null ? '' : ` (${by})`;
    const why = reason === null || reason === '' ? '' : `: ${reason}`;
    const older = words.findIndex((update) => update.at <= at);
    const text = `${shortTimeText(at, now)}, acknowledged${who}${why}`;
    words.splice(older === -1 ? words.length : older, 0, { at, text });
  }
  return words.map(({ text }) => text);
}

function updateWords({ at, state, message }: UpdateView, now: string): string {
  return `${shortTimeText(at, now)}, ${state}${message === null ? '' : `: ${message}`}`;
}
