/** Promises that are settled from outside. */

/** Promise.withResolvers, which Node has from 22 on. */
interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
}

export function deferred<T>(): Deferred<T> {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/**
 * Settles as `work` does, or as soon as the signal is aborted as `whenAborted` says: with what that answers or throws. The
 * signal is listened to for no longer than `work` takes.
 */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal, whenAborted: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      resolve(Promise.resolve().then(whenAborted));
    };
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort);
    work.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', onAbort);
    });
  });
}
