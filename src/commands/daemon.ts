/** The daemon: dist/ has it as one script with nothing of other commands in it, compiled ahead. */
import { runOneOf, type WholeCommandLine } from './run-process.ts';
import { ServeCommand } from './serve.ts';

export function main(args: readonly string[], wholeCommandLine: WholeCommandLine): Promise<void> {
  return runOneOf([ServeCommand], args, wholeCommandLine);
}
