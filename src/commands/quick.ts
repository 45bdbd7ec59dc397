/** The commands that start as fast as they can: dist/ has them in one file with all they need. */
import { CheckCommand } from './check.ts';
import { HealthcheckCommand } from './healthcheck.ts';
import { runOneOf } from './run-process.ts';

export function main(args: readonly string[]): Promise<void> {
  return runOneOf([CheckCommand, HealthcheckCommand], args, () => import('./cli.js'));
}
