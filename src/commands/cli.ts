/** The command line: from argv to one command, or to help. */
import { Cli } from 'clipanion';
import { StatusdError } from '../engine/core/errors.ts';
import { allCommands } from './all.ts';
import { StatusdCommand, type StatusdCommandClass } from './base.ts';
import type { Context } from './context.ts';
import type { ExitCode } from './exit.ts';
import { isHelpWanted, type ProcessStart, runProcess } from './run-process.ts';
import { version } from './version.ts';
import { wordsOf } from './words.ts';

/**
 * A command line that knows the commands whose first word `args` has, or all of them when there is none: building
 * the parser costs a millisecond a command. Nothing heavy is loaded until one of them runs.
 */
export function createCli(args: readonly string[]): Cli<Context> {
  const cli = new Cli<Context>({ binaryName: 'statusd', binaryLabel: 'statusd', binaryVersion: version() });
  const named = commandsNamed(args);
  for (const command of named.length > 0 ? named : allCommands) cli.register(command);
  return cli;
}

function commandsNamed(args: readonly string[]): readonly StatusdCommandClass[] {
  const [word] = wordsOf(args, ['-c', '--config']);
  return allCommands.filter(({ paths = [] }) => paths.some(([first]) => first === word));
}

/** The entry of a real process. */
export function main(args: readonly string[], { signals }: ProcessStart): Promise<void> {
  const command = commandsNamed(args)[0] ?? null;
  return runProcess(args, { begin: (context) => begin(args, context), command, signals });
}

async function begin(args: readonly string[], context: Context): Promise<StatusdCommand | ExitCode> {
  if (isHelpWanted(args)) {
    const { printHelp } = await import('./help/print.ts');
    return printHelp(allCommands, args, context);
  }
  const command = await parse(args, context);
  command.commands = allCommands;
  return command;
}

async function parse(args: readonly string[], context: Context): Promise<StatusdCommand> {
  try {
    const command = createCli(args).process([...args], context);
    if (command instanceof StatusdCommand) return command;
    throw new StatusdError('usage', 'the option --help takes no value');
  } catch (error) {
    if (error instanceof StatusdError) throw error;
    const { describe } = await import('./help/describe.ts');
    const { usageError } = await import('./usage-error.ts');
    throw usageError(describe(allCommands), args, error);
  }
}
