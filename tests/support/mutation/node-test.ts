/** Stands for node:test in the bundle of a mutation run: what a file declares goes to the runner (runner.ts). */
import type { Declare } from './declared.ts';

/** Each file that is loaded has its own. */
const own = globalThis as unknown as { readonly declare: Declare };

function handed<Name extends keyof Declare>(name: Name): Declare[Name] {
  const declare = (...words: unknown[]): void => {
    (own.declare[name] as (...all: unknown[]) => void)(...words);
  };
  return declare;
}

export const describe = handed('describe');
export const it = handed('it');
export const test = handed('test');
export const before = handed('before');
export const after = handed('after');
export const beforeEach = handed('beforeEach');
export const afterEach = handed('afterEach');
