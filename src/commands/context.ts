/** Everything a command may use of the real world: clock, environment, terminal. */
import { uptime } from 'node:os';
import type { BaseContext } from 'clipanion';
import { onAbort } from '../engine/core/abort.ts';
import type { Clock } from '../engine/core/clock.ts';
import { StatusdError } from '../engine/core/errors.ts';

/** What befalls the process as a whole. Without a listener it ends. */
interface ProcessEvents {
  /** SIGHUP: for a daemon, the wish to read its configuration again. */
  readonly onHangUp: (listener: () => void) => void;
  /** What was thrown where nobody catches it, rejections included. One listener alone. */
  readonly onFault: (listener: (error: unknown) => void) => void;
  /** Collects the warnings of Node, which then no longer prints them. */
  readonly onWarning: (listener: (warning: Error) => void) => void;
}

export interface Context extends BaseContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly clock: Clock;
  /** Aborted by SIGINT and SIGTERM: long work stops and the command ends with exit 130; the daemon ends with 0. */
  readonly interrupt: AbortSignal;
  readonly events: ProcessEvents;
}

/** Who is logged in; null: not known. */
export function authorOf({ env }: Pick<Context, 'env'>): string | null {
  const names = [env.SUDO_USER, env.USER, env.LOGNAME];
  return names.find((name) => name !== undefined && name !== '') ?? null;
}

// performance.now() would have Node load eight modules first: 2 ms of a start.
const { hrtime } = process;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => {
    const [seconds, nanoseconds] = hrtime();
    return seconds * 1000 + nanoseconds / 1e6;
  },
  uptime: () => uptime() * 1000,
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(signal.reason as Error);
        return;
      }
      const timer = setTimeout(() => {
        stopListening?.();
        resolve();
      }, ms);
      const stopListening =
        signal &&
        onAbort(signal, () => {
          clearTimeout(timer);
          reject(signal.reason as Error);
        });
    }),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => {
      clearTimeout(timer);
    };
  },
};

/** The context of a real process. */
export function processContext(): Context {
  return {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    colorDepth: 1,
    env: process.env,
    cwd: workingFolder(),
    clock: systemClock,
    interrupt: interruptSignal(),
    events: processEvents,
  };
}

/** A folder that was removed under the shell that stands in it is none. */
function workingFolder(): string {
  try {
    return process.cwd();
  } catch (error) {
    throw new StatusdError('usage', 'the working folder does not exist any more', {
      hint: 'Change to another folder and run it again.',
      cause: error,
    });
  }
}

/** The first SIGINT or SIGTERM aborts; a second one ends the process at once, as if nobody had listened. */
function interruptSignal(): AbortSignal {
  const controller = new AbortController();
  for (const [name, exitCode] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    process.on(name, () => {
      if (controller.signal.aborted) process.exit(exitCode);
      controller.abort(new StatusdError('interrupted', `got ${name}`));
    });
  }
  return controller.signal;
}

const processEvents: ProcessEvents = {
  onHangUp: (listener) => {
    process.on('SIGHUP', listener);
  },
  onFault: (listener) => {
    process.setUncaughtExceptionCaptureCallback(listener);
  },
  onWarning: (listener) => {
    process.removeAllListeners('warning');
    process.on('warning', listener);
  },
};
