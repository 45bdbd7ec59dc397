/** `check`, `healthcheck` and what shells complete, as one script of dist/, compiled ahead, so that they start fast. */
import { CheckCommand } from './check.ts';
import { CompletionWordsCommand } from './completion/words.ts';
import { HealthcheckCommand } from './healthcheck.ts';
import { runOneOf, type ProcessStart } from './run-process.ts';

export function main(args: readonly string[], start: ProcessStart): Promise<void> {
  return runOneOf([CheckCommand, HealthcheckCommand, CompletionWordsCommand], args, start);
}
