/** Work that nobody waits for: a fault in it is reported, and everything else goes on. */
import type { Log, LogEntry } from './log.ts';

/** Takes what was thrown. Never throws. */
export type OnFault = (error: unknown) => void;

/** Does the work now. What it throws, at once or later, is given to `onFault`. */
export function unattended(work: () => unknown, onFault: OnFault): void {
  try {
    const result = work();
    if (result instanceof Promise) result.catch(onFault);
  } catch (error) {
    onFault(error);
  }
}

/** Logs a fault in one part, as `the check of web`: `something unexpected went wrong with the check of web: …`. */
export function logsFault(log: Log, part: string): OnFault {
  return (error) => {
    log(faultLine(part, error));
  };
}

function faultLine(part: string, error: unknown): LogEntry {
  const why = error instanceof Error ? error.message : String(error);
  return {
    level: 'error',
    event: 'daemon.fault',
    message: `something unexpected went wrong with ${part}: ${why}. All else goes on`,
    fields: { part },
  };
}
