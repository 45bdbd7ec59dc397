/** Prints an error: one sentence, the remedy, and the exit code. */
import type { Writable } from 'node:stream';
import { StatusdError } from '../engine/core/errors.ts';
import { cleanLines } from '../engine/core/text.ts';
import { exitCodeOf, exitCodes, type ExitCode } from './exit.ts';

export interface ErrorOutput {
  readonly stderr: Writable;
  readonly isDebug: boolean;
  readonly isInterrupted: boolean;
}

/** Writes what went wrong to stderr and answers the exit code. A stack is shown only with --debug. */
export function reportError(error: unknown, { stderr, isDebug, isInterrupted }: ErrorOutput): ExitCode {
  if (isInterrupted) {
    stderr.write('statusd: interrupted\n');
    return exitCodes.interrupted;
  }
  if (isUsage(error)) {
    stderr.write(`statusd: ${printable(error.message)}\n`);
    return exitCodes.usage;
  }
  if (error instanceof StatusdError) {
    stderr.write(`statusd: ${printable(error.message)}\n`);
    if (error.hint !== null) stderr.write(`  ${printable(error.hint).replaceAll('\n', '\n  ')}\n`);
    if (isDebug && error.stack !== undefined) stderr.write(`${printable(error.stack)}\n`);
    return exitCodeOf[error.code];
  }
  const thrown: NodeJS.ErrnoException = error instanceof Error ? error : new Error(String(error));
  if (thrown.code === 'ERR_MODULE_NOT_FOUND' || thrown.code === 'MODULE_NOT_FOUND') {
    stderr.write(
      `statusd: the installation is incomplete: ${printable(thrown.message.split('\n')[0] ?? '')}\n`,
    );
    stderr.write('  Install it again: `npm ci` in a checkout, `npm install` elsewhere.\n');
    if (isDebug) stderr.write(`${printable(thrown.stack ?? '')}\n`);
    return exitCodes.wrong;
  }
  stderr.write(`statusd: something unexpected went wrong: ${printable(thrown.message)}\n`);
  stderr.write(
    isDebug ? `${printable(thrown.stack ?? '')}\n` : '  Run it again with --debug to see where.\n',
  );
  return exitCodes.wrong;
}

/** Clipanion reports a value that its validator refuses with an error of its own. */
function isUsage(error: unknown): error is Error {
  return error instanceof Error && error.name === 'UsageError';
}

/** Messages quote arguments, files and answers of servers; none of them may act on the terminal. */
function printable(text: string): string {
  return cleanLines(text).join('\n');
}
