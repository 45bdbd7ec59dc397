/** Handles an output that cannot be written. */
import { exitCodes } from './exit.ts';

/** A reader that leaves early (`statusd check | head`) changes neither the work nor its verdict; a full disk does. */
export function onWriteError(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') return;
  process.stderr.write(`statusd: the output cannot be written: ${error.message}\n`);
  process.exit(exitCodes.wrong);
}
