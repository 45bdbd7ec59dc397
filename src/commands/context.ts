/** What a command may touch: the real clock, environment and terminal, gathered once. */
import type { BaseContext } from 'clipanion';
import type { Clock } from '../engine/core/clock.ts';

export interface Context extends BaseContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly clock: Clock;
  /** Aborted by SIGINT and SIGTERM: long work stops and the command ends with exit 130. */
  readonly interrupt: AbortSignal;
}

const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(signal.reason as Error);
        return;
      }
      const onAbort = () => {
        clearTimeout(timer);
        reject(signal?.reason as Error);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      }, ms);
      signal?.addEventListener('abort', onAbort, { once: true });
    }),
};

/** The context of a real process. The first SIGINT or SIGTERM aborts `interrupt`; a second one ends at once. */
export function processContext(): Context {
  const controller = new AbortController();
  const onSignal = () => {
    controller.abort();
    process.once('SIGINT', () => process.exit(130));
  };
  process.once('SIGINT', onSignal);
  process.once('SIGTERM', onSignal);
  return {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    colorDepth: 1,
    env: process.env,
    cwd: process.cwd(),
    clock: systemClock,
    interrupt: controller.signal,
  };
}
