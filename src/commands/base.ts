/** What every command has in common: the global options and how they take effect. */
import { Command, Option, type Usage } from 'clipanion';
import type { Context } from './context.ts';
import type { ExitCode, ExitName } from './exit.ts';

/** What can stand in the place of a value: fixed words, or something completion looks up. */
export type Completion =
  | readonly string[]
  | 'monitor'
  | 'subject'
  | 'group'
  | 'rotation'
  | 'file'
  | 'command';

/**
 * A command is a page of documentation (`paths`, `usage`, options) over one `run()`.
 * An option's description names its value in back quotes: "probe at most `N` monitors at once".
 */
export abstract class StatusdCommand extends Command<Context> {
  /** Completions by option (`--format`) or positional name (`ids`). */
  static complete: Readonly<Record<string, Completion>> = {};

  /** What each positional is, by its name, in one sentence. */
  static positionals: Readonly<Record<string, string>> = {};

  /** What may be typed in which order, where one list of words holds several arguments; null: as its fields say. */
  static words: readonly Positional[] | null = null;

  /** What its exit codes mean, where the general meaning says too little. None named: any may be given. */
  static exits: Readonly<Partial<Record<ExitName, string>>> = {};

  /** Whether it ends with 0 or 1 and nothing else, as what runs it asks: every error is then a 1. */
  static isYesOrNo = false;

  /** Whether it runs on after a SIGHUP, which asks it to read its configuration again; others end. */
  static isDaemon = false;

  /** Whether it runs until a signal stops it, which is no failure: it ends with 0 then, others with 130. */
  static isEndless = false;

  /** Every command of the command line that this one was found on. */
  commands: readonly StatusdCommandClass[] = [];

  configFile = Option.String('-c,--config', { description: 'Read the configuration from `PATH`.' });
  json = Option.Boolean('--json', false, { description: 'Print the result as JSON.' });
  quiet = Option.Boolean('-q,--quiet', false, { description: 'Print only what is wrong.' });
  noColor = Option.Boolean('--no-color', false, { description: 'Print without colour.' });
  debug = Option.Boolean('--debug', false, { description: 'Show the stack of an unexpected error.' });

  /** Does the work and names the exit code. Errors are thrown, and reported in one place. */
  abstract run(): Promise<ExitCode>;

  override execute(): Promise<ExitCode> {
    return this.run();
  }
}

/** An argument by its place. */
export interface Positional {
  readonly name: string;
  readonly isRequired: boolean;
  readonly isRepeatable: boolean;
}

export interface StatusdCommandClass {
  new (): StatusdCommand;
  paths?: string[][];
  usage?: Usage;
  isYesOrNo: boolean;
  isDaemon: boolean;
  isEndless: boolean;
  complete: Readonly<Record<string, Completion>>;
  positionals: Readonly<Record<string, string>>;
  words: readonly Positional[] | null;
  exits: Readonly<Partial<Record<ExitName, string>>>;
}
