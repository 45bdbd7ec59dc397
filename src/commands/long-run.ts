/** Tunes V8 for a process that stays. */
import { setFlagsFromString } from 'node:v8';

/**
 * Has the heap grow by half, not fourfold, before it is cleared: of a machine with much memory V8 takes hundreds
 * of megabytes for what lives in seventy. To be called before anything large is made.
 */
export function expectLongRun(): void {
  setFlagsFromString('--heap-growing-percent=50');
}
