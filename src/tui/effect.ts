/** Effects outside of the screen that an action asks for. */
import { actionOf, needsConfirming, type OperatorAction } from './prompt.ts';
import { selectedId } from './selection.ts';
import { type Event, type ScreenState } from './state.ts';

export type Effect =
  | { readonly kind: (typeof direct)[number] }
  /** Puts a text on the clipboard of the terminal. */
  | { readonly kind: 'copy'; readonly text: string }
  | OperatorAction;

/** `state`: as it was before the event. Null: there is nothing to do. */
export function effectOf(state: ScreenState, event: Event): Effect | null {
  if (event.kind === 'edit') {
    if (event.edit === 'interrupt') return { kind: 'interrupt' };
    const { prompt } = state;
    if (event.edit !== 'submit' || prompt === null) return null;
    return needsConfirming(prompt.kind) && !prompt.isConfirming ? null : actionOf(prompt);
  }
  if (event.kind !== 'command') return null;
  if (event.command === 'check') {
    const monitor = selectedId(state);
    return monitor === null ? null : { kind: 'check', monitor };
  }
  if (event.command === 'copyId' || event.command === 'copyCurl') return copied(state, event.command);
  const kind = direct.find((command) => command === event.command);
  return kind === undefined ? null : { kind };
}

/** Commands that change nothing on the screen by themselves. */
const direct = ['refresh', 'redraw', 'suspend', 'quit', 'interrupt'] as const;

function copied(state: ScreenState, command: 'copyId' | 'copyCurl'): Effect | null {
  const id = selectedId(state);
  if (id === null) return null;
  if (command === 'copyId') return { kind: 'copy', text: id };
  const target = state.glances.get(id)?.target ?? null;
  return target === null ? null : { kind: 'copy', text: curlOf(target) };
}

/** A command for a shell that asks a web address; what is none is copied as it is. */
function curlOf(target: string): string {
  return /^https?:/i.test(target) ? `curl -sSi '${target.replaceAll("'", `'\\''`)}'` : target;
}
