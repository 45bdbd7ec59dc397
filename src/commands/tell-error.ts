/** Tells the user about an error: one sentence, what to do next, and the exit code that goes with it. */
import type { Writable } from 'node:stream';
import { StatusdError } from '../engine/core/errors.ts';
import { exitCodeOf, exitCodes, type ExitCode } from './exit.ts';

export interface Telling {
  readonly stderr: Writable;
  readonly isDebug: boolean;
  readonly isInterrupted: boolean;
}

/** Writes what went wrong to stderr and answers the exit code. A stack is shown only with --debug. */
export function tellError(error: unknown, { stderr, isDebug, isInterrupted }: Telling): ExitCode {
  if (isInterrupted) {
    stderr.write('statusd: interrupted\n');
    return exitCodes.interrupted;
  }
  if (isUsage(error)) {
    stderr.write(`statusd: ${error.message}\n`);
    return exitCodes.usage;
  }
  if (error instanceof StatusdError) {
    stderr.write(`statusd: ${error.message}\n`);
    if (error.hint !== null) stderr.write(`  ${error.hint}\n`);
    if (isDebug && error.stack !== undefined) stderr.write(`${error.stack}\n`);
    return exitCodeOf[error.code];
  }
  const thrown = error instanceof Error ? error : new Error(String(error));
  stderr.write(`statusd: something unexpected went wrong: ${thrown.message}\n`);
  stderr.write(isDebug ? `${thrown.stack ?? ''}\n` : '  Run it again with --debug to see where.\n');
  return exitCodes.wrong;
}

/** Clipanion reports a value that its validator refuses with an error of its own. */
function isUsage(error: unknown): error is Error {
  return error instanceof Error && error.name === 'UsageError';
}
