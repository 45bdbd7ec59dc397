/** Renders the screen as text: repeatedly for a terminal, or once for paper and pipes. */
import { Writable } from 'node:stream';
import { render, renderToString } from 'ink';
import type { ReactNode } from 'react';
import type { ScreenState } from '../state.ts';
import type { Theme } from '../theme.ts';
import { Body, Head, type InputListeners, LiveBody } from './app.tsx';
import { PaintedLines } from './painted.ts';
import { Sheet } from './sheet.tsx';

export interface Screen {
  readonly show: (state: ScreenState) => void;
  /** Lets go of the keyboard. */
  readonly close: () => void;
}

export interface ScreenOptions extends InputListeners {
  readonly stdin: NodeJS.ReadStream;
  readonly theme: Theme;
  readonly columns: () => number;
  /** Takes the frames that Ink composed. */
  readonly paint: (lines: readonly string[]) => void;
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
  const { stdin, theme, columns, paint, onKey, onMouse, onScroll, onFault } = options;
  let isOpen = true;
  const painted = new PaintedLines();
  /** As the body was drawn last. */
  let drawn = first;
  let isDrawing = true;
  const lines = { head: [''] as readonly string[], body: [''] as readonly string[] };
  const show = () => {
    if (isOpen && !isDrawing) paint([...lines.head, ...lines.body]);
  };
  const opened = (part: keyof typeof lines, tree: ReactNode) => {
    const stdout = sinkOf(columns, (frame) => {
      lines[part] = linesOf(painted.restored(frame), theme);
      show();
    });
    const instance = render(tree, { stdin, stdout, exitOnCtrlC: false, patchConsole: false, debug: true });
    instance.waitUntilExit().catch(onFault);
    return instance;
  };
  const bodyOf = (state: ScreenState) => (
    <LiveBody {...{ state, theme, painted, onKey, onMouse, onScroll }} />
  );
  // Two trees, so that a second that passes costs a line and not a screen.
  const head = opened('head', <Head state={first} theme={theme} painted={painted} />);
  const body = opened('body', bodyOf(first));
  isDrawing = false;
  show();
  return {
    show: (state) => {
      isDrawing = true;
      head.rerender(<Head state={state} theme={theme} painted={painted} />);
      if (!isSameBody(drawn, state)) {
        body.rerender(bodyOf(state));
        drawn = state;
      }
      isDrawing = false;
      show();
    },
    close: () => {
      isOpen = false;
      head.unmount();
      body.unmount();
    },
  };
}

/** How far the lengths below the first lines may lag behind. */
const lagMs = 5000;

/** Whether nothing changed but the time, and that not by much, and what the first lines alone say. */
function isSameBody(before: ScreenState, after: ScreenState): boolean {
  const { nowAt, daemon } = before;
  if (Math.abs(after.nowAt - nowAt) >= lagMs) return false;
  const same: ScreenState = { ...after, nowAt, daemon };
  return (Object.keys(same) as (keyof ScreenState)[]).every((key) => same[key] === before[key]);
}

/** The lines of one screen, without a terminal. */
export function screenLines(state: ScreenState, theme: Theme): readonly string[] {
  const { columns, rows } = state.size;
  const canvas = { state, theme, painted: new PaintedLines() };
  const texts = [
    <Head key="head" {...canvas} />,
    <Body key="body" {...canvas} onScroll={() => undefined} />,
  ].map((part) => frameOf(part, canvas.painted, columns));
  return linesOf(texts.join('\n'), theme).slice(0, rows);
}

/** The header and all rows, however many there are. */
export function sheetLines(state: ScreenState, theme: Theme): readonly string[] {
  const { columns } = state.size;
  const painted = new PaintedLines();
  return linesOf(frameOf(<Sheet {...{ state, theme, painted }} />, painted, columns), theme);
}

function frameOf(part: ReactNode, painted: PaintedLines, columns: number): string {
  return painted.restored(renderToString(part, { columns }));
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
