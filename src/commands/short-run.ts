/** Tunes V8 for a command that probes once and leaves. */
import { setFlagsFromString } from 'node:v8';

/**
 * Has WebAssembly compiled once, quickly. Otherwise V8 begins to optimise undici's HTTP parser after the first
 * response, and the process cannot end before that is done: 100 ms and more on Node 20. To be called before
 * anything loads WebAssembly. SQLite is compiled in a fifth of a second less, and then several times slower: it suits a
 * command that asks it a few questions, and no other.
 */
export function expectShortRun(): void {
  setFlagsFromString('--liftoff-only');
}
