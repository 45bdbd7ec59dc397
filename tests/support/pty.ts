/** Runs a program on a real pseudo-terminal (util-linux `script`), types at it and reads its screen. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { bin, shortLived } from './cli.ts';
import { createPtyScreen, type PtyScreen } from './pty-screen.ts';

export interface PtyOptions {
  readonly cwd: string;
  readonly columns: number;
  readonly rows: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Runs this instead of statusd. */
  readonly shell?: string;
}

export interface Pty {
  readonly screen: PtyScreen;
  readonly type: (text: string) => void;
  /** Resolves when what is on the screen, or was ever written beside it, satisfies the test; rejects after ten seconds. */
  readonly until: (isSo: (screen: PtyScreen) => boolean, what: string) => Promise<void>;
  /** The number of the program's process, and the file of its terminal. */
  readonly place: () => Promise<{ readonly pid: number; readonly tty: string }>;
  /** Resolves when the shell has ended. */
  readonly ended: Promise<void>;
  /** Everything that was written, as bytes in UTF-8. */
  readonly raw: () => string;
  readonly end: () => Promise<void>;
}

const patienceMs = 60_000;

/** Starts statusd with these arguments. The shell prints `pid:N tty:/dev/…` first, and `exit:CODE stty:same|other` at the end. */
export function startPty(args: readonly string[], options: PtyOptions): Pty {
  const { cwd, columns, rows, env = {} } = options;
  const program = options.shell ?? programText(args);
  const command =
    `stty cols ${columns} rows ${rows}; before=$(stty -g); sh -c 'echo pid:$$ tty:$(tty); exec ${program}'; code=$?; ` +
    `if [ "$before" = "$(stty -g)" ]; then now=same; else now=other; fi; echo "exit:$code stty:$now"`;
  const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    cwd,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: '/nonexistent',
      LANG: 'C.UTF-8',
      TERM: 'xterm-256color',
      SHELL: '/bin/sh',
      ...env,
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const screen = createPtyScreen(columns, rows);
  const waiting = new Set<() => void>();
  let raw = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    raw += text;
    screen.take(text);
    for (const look of waiting) look();
  });
  const ended = once(child, 'close').then(() => undefined);
  const until: Pty['until'] = (isSo, what) =>
    new Promise((resolve, reject) => {
      const look = () => {
        if (!isSo(screen)) return;
        done();
        resolve();
      };
      const late = setTimeout(() => {
        done();
        reject(new Error(`never seen: ${what}\n${screen.text()}\n---\n${screen.outside()}`));
      }, patienceMs);
      const done = () => {
        clearTimeout(late);
        waiting.delete(look);
      };
      waiting.add(look);
      look();
    });
  const placed = /pid:(\d+) tty:(\S+)/;
  return {
    screen,
    type: (text) => {
      child.stdin.write(text);
    },
    until,
    place: async () => {
      await until((seen) => placed.test(seen.outside()), 'where the program runs');
      const [, pid, tty = ''] = placed.exec(screen.outside()) ?? [];
      return { pid: Number(pid), tty };
    },
    ended,
    raw: () => raw,
    end: async () => {
      // An interactive shell ignores SIGTERM; when its terminal is gone, it goes.
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** statusd as a shell calls it. The words hold no quotes and no spaces. */
export function programText(args: readonly string[]): string {
  return [process.execPath, ...shortLived, bin, ...args].join(' ');
}
