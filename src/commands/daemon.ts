/** The daemon: dist/ has it in few files with nothing of other commands in them, so that it is soon ready. */
import { runOneOf } from './run-process.ts';
import { ServeCommand } from './serve.ts';

export function main(args: readonly string[]): Promise<void> {
  return runOneOf([ServeCommand], args, () => import('./cli.js'));
}
