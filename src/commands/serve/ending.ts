/** Waits for the reason to stop a daemon, and stops its parts in order. */
import type { StatusdError } from '../../engine/core/errors.ts';
import type { Store } from '../../db/store/store.ts';
import type { Context } from '../context.ts';
import type { Clock } from '../../engine/core/clock.ts';
import { deferred } from '../../engine/core/deferred.ts';
import type { Log } from '../../engine/core/log.ts';
import { reasonOf } from './opening.ts';

export type Ending =
  /** It was asked to. */
  | { readonly kind: 'asked'; readonly why: string }
  /** Another daemon took the database. */
  | { readonly kind: 'lost'; readonly error: StatusdError }
  /** Something was thrown that nobody expected. */
  | { readonly kind: 'fault'; readonly error: unknown };

export interface Endings {
  /** The first reason there is. */
  readonly first: Promise<Ending>;
  readonly end: (ending: Ending) => void;
}

/** `onLater` is called with every fault after the first reason, so that none goes unseen. */
export function endings(
  { interrupt, events }: Pick<Context, 'interrupt' | 'events'>,
  onLater: (error: unknown) => void,
): Endings {
  const { promise, resolve } = deferred<Ending>();
  let isEnding = false;
  const end = (ending: Ending) => {
    if (isEnding && ending.kind === 'fault') onLater(ending.error);
    isEnding = true;
    resolve(ending);
  };
  const onInterrupt = () => {
    const reason: unknown = interrupt.reason;
    end({ kind: 'asked', why: reason instanceof Error ? reason.message : 'interrupted' });
  };
  if (interrupt.aborted) onInterrupt();
  else interrupt.addEventListener('abort', onInterrupt, { once: true });
  events.onFault((error) => {
    end({ kind: 'fault', error });
  });
  return { first: promise, end };
}

export interface StoppablePart {
  readonly name: string;
  readonly stop: () => Promise<void>;
  /** After this the next part is stopped all the same. */
  readonly patienceMs: number;
}

/**
 * Stops the parts of a daemon one after the other, and waits for none of them too long. Never rejects: what goes wrong
 * is a line in the log.
 */
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

/** A store that is lost refuses everything at once, and says why within it. */
const lostWithinMs = 1000;

/** Whether a store that refused something is lost: another process has it, or another node leads. */
export async function isLost({ lost }: Pick<Store, 'lost'>, clock: Clock): Promise<boolean> {
  const ended = new AbortController();
  const waited = clock.sleep(lostWithinMs, ended.signal).then(
    () => false,
    () => false,
  );
  const answer = await Promise.race([lost.then(() => true), waited]);
  ended.abort(new Error('the store was asked'));
  return answer;
}
