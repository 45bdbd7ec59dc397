/** Takes a terminal over for a full screen, and gives it back as it was, whatever happens. */
import type { Writable } from 'node:stream';
import type { Context } from '../context.ts';
import type { Size } from '../../tui/state.ts';

/** What the shell's job control does to this process. */
export interface Jobs {
  /** Calls `listener` when the process is asked to stop; answers how to stop listening. */
  readonly onStop: (listener: () => void) => () => void;
  readonly onContinue: (listener: () => void) => () => void;
  readonly onExit: (listener: () => void) => () => void;
  /** Stops the process group, as Ctrl-Z does where nobody listens. */
  readonly stop: () => void;
}

export interface Terminal {
  readonly stdin: NodeJS.ReadStream;
  readonly write: (text: string) => void;
  readonly size: () => Size;
  readonly onResize: (listener: () => void) => () => void;
}

/** Null: stdin or stdout is no terminal, or one that cannot place text. */
export function terminalOf({
  stdin,
  stdout,
  env,
}: Pick<Context, 'stdin' | 'stdout' | 'env'>): Terminal | null {
  if (env.TERM === 'dumb' || !isReadTty(stdin) || !isWriteTty(stdout)) return null;
  return {
    stdin,
    write: (text) => {
      stdout.write(text);
    },
    // A terminal that does not know its size says 0.
    size: () => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 }),
    onResize: (listener) => {
      stdout.on('resize', listener);
      return () => stdout.off('resize', listener);
    },
  };
}

function isReadTty(stream: Context['stdin']): stream is NodeJS.ReadStream {
  return 'isTTY' in stream && stream.isTTY === true;
}

function isWriteTty(stream: Writable): stream is NodeJS.WriteStream {
  return 'isTTY' in stream && stream.isTTY === true;
}

/**
 * The alternate screen, empty; no cursor; a line that is too long is cut and does not run into the next; the mouse
 * reports its buttons and its wheel (with Shift the terminal still selects text); what is pasted is told from keys.
 */
const enterCodes =
  '\u001b[?1049h\u001b[2J\u001b[H\u001b[?25l\u001b[?7l\u001b[?1000h\u001b[?1006h\u001b[?2004h';
const leaveCodes = '\u001b[?2004l\u001b[?1006l\u001b[?1000l\u001b[?7h\u001b[?25h\u001b[0m\u001b[?1049l';

export interface TerminalSession {
  /** Gives the terminal to the shell until it says go on. */
  readonly suspend: () => void;
  readonly leave: () => void;
}

/** A process group that belongs to no shell is never stopped: it goes on by itself after this. */
const stopMs = 50;

/** Takes the terminal over. `onBack`: the screen is empty again and has to be drawn whole. */
export function takeTerminal(terminal: Terminal, jobs: Jobs, onBack: () => void): TerminalSession {
  const { write, stdin } = terminal;
  let isHere = false;
  let waiting: NodeJS.Timeout | undefined;
  const enter = () => {
    if (isHere) return;
    isHere = true;
    write(enterCodes);
  };
  const leave = () => {
    if (!isHere) return;
    isHere = false;
    write(leaveCodes);
  };
  const back = () => {
    if (isHere) return;
    enter();
    stdin.setRawMode(true);
    onBack();
  };
  const suspend = () => {
    leave();
    stdin.setRawMode(false);
    jobs.stop();
    waiting = setTimeout(back, stopMs);
  };
  const ends = [jobs.onStop(suspend), jobs.onContinue(back), jobs.onExit(leave)];
  enter();
  return {
    suspend,
    leave: () => {
      clearTimeout(waiting);
      for (const end of ends) end();
      leave();
    },
  };
}
