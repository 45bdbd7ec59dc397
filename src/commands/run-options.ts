/** The global options of a command as plain values, for the code that does its work. */
import type { StatusdCommand } from './base.ts';

export interface RunOptions {
  /** Null: looked for in the usual places. */
  readonly configFile: string | null;
  readonly isJson: boolean;
  readonly isQuiet: boolean;
  readonly isColourRefused: boolean;
}

export function runOptions(command: StatusdCommand): RunOptions {
  return {
    configFile: command.configFile ?? null,
    isJson: command.json,
    isQuiet: command.quiet,
    isColourRefused: command.noColor,
  };
}
