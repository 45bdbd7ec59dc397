/** What has to be done outside of the screen when something happens in it. */
import type { Event, ScreenState } from './state.ts';

export type Effect =
  | { readonly kind: (typeof direct)[number] }
  /** `text`: how long and why, as typed. */
  | { readonly kind: 'silence'; readonly monitor: string; readonly text: string }
  | { readonly kind: 'announce'; readonly text: string }
  | { readonly kind: 'annotate'; readonly monitor: string; readonly text: string };

/** `state`: as it was before the event. Null: there is nothing to do. */
export function effectOf(state: ScreenState, event: Event): Effect | null {
  if (event.kind === 'edit') {
    if (event.edit === 'interrupt') return { kind: 'interrupt' };
    return event.edit === 'submit' ? submitted(state) : null;
  }
  if (event.kind !== 'command') return null;
  const kind = direct.find((command) => command === event.command);
  return kind === undefined ? null : { kind };
}

/** Commands that change nothing on the screen by themselves. */
const direct = ['refresh', 'redraw', 'suspend', 'quit', 'interrupt'] as const;

/** An empty line changes nothing; to clear a note is for `statusd annotate`. */
function submitted({ prompt }: ScreenState): Effect | null {
  const text = prompt?.text.trim() ?? '';
  if (prompt === null || text === '') return null;
  const { kind, monitor } = prompt;
  if (kind === 'filter') return null;
  if (kind === 'announce') return { kind, text };
  return monitor === null ? null : { kind, monitor, text };
}
