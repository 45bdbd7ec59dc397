/** A stand-in for the log while none can be created on the disk. */
import type { AnyWalTail } from './tail.ts';

/** Nothing is ever read from it; what is appended is refused. `path` is the log that is to be made. */
export class MissingWal implements AnyWalTail {
  readonly number: number;
  readonly path: string;
  readonly header = null;
  readonly seed = 0;
  readonly offset = 0;
  readonly isSafe = false;
  isSuspect = false;

  constructor({ number, path }: { readonly number: number; readonly path: string }) {
    this.number = number;
    this.path = path;
  }

  append(): Promise<number> {
    return Promise.reject(missing(this.path));
  }

  passOwn(): boolean {
    return false;
  }

  sync(): Promise<void> {
    return Promise.reject(missing(this.path));
  }

  look(): Promise<'more'> {
    return Promise.resolve('more');
  }

  advance(): Promise<'current'> {
    return Promise.resolve('current');
  }

  endHere(): void {
    // There is no end that a seal could be missing from.
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

function missing(path: string): Error {
  return Object.assign(new Error(`${path} is not made yet`), { code: 'EROFS' });
}
