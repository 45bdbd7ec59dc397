/** The commands that start as fast as they can: dist/ has them as one script with all they need, compiled ahead. */
import { CheckCommand } from './check.ts';
import { HealthcheckCommand } from './healthcheck.ts';
import { runOneOf, type WholeCommandLine } from './run-process.ts';

export function main(args: readonly string[], wholeCommandLine: WholeCommandLine): Promise<void> {
  return runOneOf([CheckCommand, HealthcheckCommand], args, wholeCommandLine);
}
