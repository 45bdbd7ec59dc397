/** Puts the screen into text: again and again for a terminal, or once for paper and pipes. */
import { Writable } from 'node:stream';
import { render, renderToString } from 'ink';
import type { Key } from '../keys.ts';
import type { ScreenState } from '../state.ts';
import type { Theme } from '../theme.ts';
import { App, LiveApp } from './app.tsx';
import { Sheet } from './sheet.tsx';

export interface Screen {
  readonly show: (state: ScreenState) => void;
  /** Lets go of the keyboard. */
  readonly close: () => void;
}

export interface ScreenOptions {
  readonly stdin: NodeJS.ReadStream;
  readonly theme: Theme;
  readonly columns: () => number;
  /** Takes the frames that Ink composed. */
  readonly paint: (lines: readonly string[]) => void;
  /** `text`: what the key writes; empty for a key that writes nothing. */
  readonly onKey: (key: Key, text: string) => void;
  /** Hears how far the detail or the help can be scrolled. */
  readonly onScroll: (mostScroll: number) => void;
  /** Takes what went wrong while drawing. */
  readonly onFault: (error: unknown) => void;
}

/**
 * Ink composes whole frames (its `debug` mode), and the painter writes what changed in them. What Ink writes by itself
 * erases the last character of a full line, clears a terminal that is full, and is nothing at all where CI is set.
 */
export function openScreen(options: ScreenOptions, first: ScreenState): Screen {
  const { stdin, theme, columns, paint, onKey, onScroll, onFault } = options;
  let isOpen = true;
  const stdout = sinkOf(columns, (frame) => {
    if (isOpen) paint(linesOf(frame, theme));
  });
  const treeOf = (state: ScreenState) => <LiveApp {...{ state, theme, onKey, onScroll }} />;
  const instance = render(treeOf(first), {
    stdin,
    stdout,
    exitOnCtrlC: false,
    patchConsole: false,
    debug: true,
  });
  instance.waitUntilExit().catch(onFault);
  return {
    show: (state) => {
      instance.rerender(treeOf(state));
    },
    close: () => {
      isOpen = false;
      instance.unmount();
    },
  };
}

/** The lines of one screen, without a terminal. */
export function screenLines(state: ScreenState, theme: Theme): readonly string[] {
  const { columns } = state.size;
  const app = <App state={state} theme={theme} onScroll={() => undefined} />;
  return linesOf(renderToString(app, { columns }), theme);
}

/** The header and all rows, however many there are. */
export function sheetLines(state: ScreenState, theme: Theme): readonly string[] {
  const { columns } = state.size;
  return linesOf(renderToString(<Sheet state={state} theme={theme} />, { columns }), theme);
}

/** Ink cuts text with an ellipsis of its own. */
function linesOf(frame: string, { marks: { ellipsis } }: Theme): readonly string[] {
  return frame.replaceAll('…', ellipsis).split('\n');
}

/** As much of a terminal as Ink asks for. */
function sinkOf(columns: () => number, take: (frame: string) => void): NodeJS.WriteStream {
  const sink = new Writable({
    write: (chunk: Buffer, _, done) => {
      take(chunk.toString());
      done();
    },
  });
  Object.defineProperty(sink, 'columns', { get: columns });
  return sink as unknown as NodeJS.WriteStream;
}
