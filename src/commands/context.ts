/** Everything a command may use of the real world: clock, environment, terminal. */
import { uptime } from 'node:os';
import type { BaseContext } from 'clipanion';
import { onAbort } from '../engine/core/abort.ts';
import type { Clock } from '../engine/core/clock.ts';
import { StatusdError } from '../engine/core/errors.ts';
import { endAtOnce, type Signals } from './signals.ts';

/** What befalls the process as a whole. Without a listener it ends. */
interface ProcessEvents {
  /** Called for each SIGHUP of a daemon, which asks it to read its configuration again. One listener alone. */
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
  /**
   * Aborted by SIGINT, SIGTERM and, except in a daemon, SIGHUP: long work stops and the command ends with exit 130; the
   * daemon ends with 0.
   */
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

/** How long a command has to end after a signal: a daemon needs five seconds of them at most. */
const endsWithinMs = 8000;

/** The context of a real process. `isDaemon`: a SIGHUP is for `events.onHangUp`, and one before that for nobody. */
export function processContext(signals: Signals, isDaemon: boolean): Context {
  let onHangUp: () => void = () => undefined;
  const controller = new AbortController();
  signals.listen((name) => {
    if (isDaemon && name === 'SIGHUP') onHangUp();
    // The second one ends the process at once, as if nobody had listened.
    else if (controller.signal.aborted) endAtOnce(name);
    else {
      controller.abort(new StatusdError('interrupted', `got ${name}`));
      setTimeout(endAtOnce, endsWithinMs, name).unref();
    }
  });
  return {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    colorDepth: 1,
    env: process.env,
    cwd: workingFolder(),
    clock: systemClock,
    interrupt: controller.signal,
    events: {
      onHangUp: (listener) => {
        onHangUp = listener;
      },
      ...processEvents,
    },
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

const processEvents: Omit<ProcessEvents, 'onHangUp'> = {
  onFault: (listener) => {
    process.setUncaughtExceptionCaptureCallback(listener);
  },
  onWarning: (listener) => {
    process.removeAllListeners('warning');
    process.on('warning', listener);
  },
};
