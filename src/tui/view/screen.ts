/** The one place that knows Ink: it takes keys from the terminal and hands out what Ink makes of the lines. */
import { Writable } from 'node:stream';
import type { Key as InkKey } from 'ink';
import type { Key } from '../keys.ts';

export interface Screen {
  readonly show: (lines: readonly string[]) => void;
  /** Lets go of the keyboard. */
  readonly close: () => void;
}

export interface ScreenOptions {
  readonly stdin: NodeJS.ReadStream;
  readonly columns: () => number;
  /** Takes the frames that Ink composed. */
  readonly paint: (lines: readonly string[]) => void;
  /** `text`: what the key writes; empty for a key that writes nothing. */
  readonly onKey: (key: Key, text: string) => void;
  /** Takes what went wrong while drawing. */
  readonly onFault: (error: unknown) => void;
}

/** Ink draws whole frames into memory (its `debug` mode); the painter writes what changed in them. */
export async function openScreen({ stdin, columns, paint, onKey, onFault }: ScreenOptions): Promise<Screen> {
  const [{ default: React }, { Box, Text, render, useInput }] = await Promise.all([
    import('react'),
    import('ink'),
  ]);
  let isOpen = true;
  const stdout = sinkOf(columns, (frame) => {
    if (isOpen) paint(frame.split('\n'));
  });
  const App = ({ lines }: { readonly lines: readonly string[] }) => {
    useInput((input, key) => {
      for (const [name, text] of keysOf(input, key)) onKey(name, text);
    });
    const drawn = lines.map((line, index) =>
      React.createElement(Text, { key: index, wrap: 'truncate' }, line === '' ? ' ' : line),
    );
    return React.createElement(Box, { flexDirection: 'column' }, ...drawn);
  };
  const treeOf = (lines: readonly string[]) => React.createElement(App, { lines });
  const instance = render(treeOf([]), {
    stdin,
    stdout,
    exitOnCtrlC: false,
    patchConsole: false,
    debug: true,
  });
  instance.waitUntilExit().catch(onFault);
  return {
    show: (lines) => {
      instance.rerender(treeOf(lines));
    },
    close: () => {
      isOpen = false;
      instance.unmount();
    },
  };
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

/** What was typed or pasted, key after key. */
function keysOf(input: string, key: InkKey): (readonly [Key, string])[] {
  const named = nameOf(key);
  if (named !== null) return [[named, '']];
  if (key.ctrl) return [[`ctrl-${input}`, '']];
  if (key.meta) return [];
  // Fast typing and pasting come in one piece.
  return [...new Intl.Segmenter().segment(input)].map(({ segment }) =>
    segment === '\r' || segment === '\n' ? ['enter', ''] : [segment, segment],
  );
}

const names = [
  ['upArrow', 'up'],
  ['downArrow', 'down'],
  ['leftArrow', 'left'],
  ['rightArrow', 'right'],
  ['pageUp', 'pageup'],
  ['pageDown', 'pagedown'],
  ['home', 'home'],
  ['end', 'end'],
  ['return', 'enter'],
  ['escape', 'escape'],
  ['tab', 'tab'],
  ['backspace', 'backspace'],
  ['delete', 'backspace'],
] as const;

/** Most terminals send for Backspace what Ink takes for Delete. */
function nameOf(key: InkKey): Key | null {
  return names.find(([flag]) => key[flag])?.[1] ?? null;
}
