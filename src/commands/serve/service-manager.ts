/** Reports to systemd through `systemd-notify`, if systemd started the process. */
import { spawn } from 'node:child_process';
import type { Log } from '../../engine/core/log.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Passes assignments of sd_notify(3) on: `READY=1`, `STATUS=12 up`. Resolves when they are sent or cannot be. */
export type NotifyServiceManager = (...assignments: readonly string[]) => Promise<void>;

/** Longer than systemd-notify itself waits for an answer. */
const patienceMs = 6000;

/** Without $NOTIFY_SOCKET nobody wants to know, and nothing is started. */
export function serviceManager(env: Environment, log: Log): NotifyServiceManager {
  const { NOTIFY_SOCKET: socket = '', PATH: path = '' } = env;
  if (socket === '') return () => Promise.resolve();
  let hasWarned = false;
  return async (...assignments) => {
    const fault = await notify(assignments, { NOTIFY_SOCKET: socket, PATH: path });
    if (fault === null || hasWarned) return;
    hasWarned = true;
    const message = `systemd waits for word from this process, but systemd-notify ${fault}`;
    log({ level: 'warning', event: 'systemd.unreachable', message });
  };
}

/** Answers what went wrong, as the end of a sentence; null: nothing. */
function notify(assignments: readonly string[], env: Record<string, string>): Promise<string | null> {
  return new Promise((resolve) => {
    const options = { env, stdio: 'ignore', timeout: patienceMs, killSignal: 'SIGKILL' } as const;
    const child = spawn('systemd-notify', assignments, options);
    child.once('error', (error: NodeJS.ErrnoException) => {
      resolve(error.code === 'ENOENT' ? 'is not installed' : `cannot be started (${error.code ?? ''})`);
    });
    child.once('exit', (code) => {
      resolve(code === 0 ? null : code === null ? 'does not answer' : `ended with ${code}`);
    });
  });
}

/** How often the watchdog wants to be fed, in ms; null when nobody keeps one for the process `pid`. */
export function watchdogMs(env: Environment, pid: number): number | null {
  const { NOTIFY_SOCKET: socket = '', WATCHDOG_USEC: usec = '', WATCHDOG_PID: owner = '' } = env;
  if (socket === '' || !/^[1-9]\d{0,15}$/.test(usec)) return null;
  if (owner !== '' && owner !== String(pid)) return null;
  return Math.max(1, Math.floor(Number(usec) / 2000));
}

/** The monotonic time of the system, which a reload has to name since systemd 253. */
export function monotonicAssignment(): string {
  return `MONOTONIC_USEC=${process.hrtime.bigint() / 1000n}`;
}
