/** Stops the parts of a daemon one after the other, and waits for none of them too long. */
import type { Clock } from '../../engine/core/clock.ts';
import type { Log } from '../../engine/core/log.ts';
import { reasonOf } from './opening.ts';

export interface StoppablePart {
  readonly name: string;
  readonly stop: () => Promise<void>;
  /** After this the next part is stopped all the same. */
  readonly patienceMs: number;
}

/** Never rejects: what goes wrong is a line in the log. */
export async function stopParts(
  parts: readonly StoppablePart[],
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): Promise<void> {
  for (const { name, stop, patienceMs } of parts) {
    const fault = await Promise.race([
      stop().then(
        () => null,
        (error: unknown) => `could not be stopped: ${reasonOf(error)}`,
      ),
      clock.sleep(patienceMs).then(() => `did not stop within ${patienceMs} ms`),
    ]);
    if (fault !== null) log({ level: 'warning', event: 'daemon.stop_late', message: `${name} ${fault}` });
  }
}
