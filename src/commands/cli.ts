/** From argv to one command and an exit code. */
import { Cli } from 'clipanion';
import { allCommands } from './all.ts';
import type { StatusdCommand } from './base.ts';
import { processContext, type Context } from './context.ts';
import { exitCodes, type ExitCode } from './exit.ts';
import { tellError } from './tell-error.ts';
import { usageError } from './usage-error.ts';
import { version } from './version.ts';

/** A command line with every command registered. Nothing heavy is loaded until one of them runs. */
export function createCli(): Cli<Context> {
  const cli = new Cli<Context>({ binaryName: 'statusd', binaryLabel: 'statusd', binaryVersion: version() });
  for (const command of allCommands) cli.register(command);
  return cli;
}

/** Runs the command that `args` names and answers its exit code; every error is told on stderr. */
export async function run(args: readonly string[], context: Context): Promise<ExitCode> {
  const isDebug = args.includes('--debug');
  try {
    const cli = createCli();
    if (isHelpWanted(args)) {
      const { printHelp } = await import('./help/print.ts');
      return printHelp(cli, args, context);
    }
    const command = parse(cli, args, context);
    command.context = context;
    return (await command.validateAndExecute()) as ExitCode;
  } catch (error) {
    return tellError(error, { stderr: context.stderr, isDebug, isInterrupted: context.interrupt.aborted });
  }
}

/** The entry of a real process: runs, then leaves with the exit code once the streams are flushed. */
export async function main(args: readonly string[]): Promise<void> {
  // A reader that leaves early (`statusd check | head`) ends the program quietly.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(exitCodes.ok);
    throw error;
  });
  process.exitCode = await run(args, processContext());
}

function isHelpWanted(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  const options = end === -1 ? args : args.slice(0, end);
  return args.length === 0 || args[0] === 'help' || options.includes('--help') || options.includes('-h');
}

function parse(cli: Cli<Context>, args: readonly string[], context: Context): StatusdCommand {
  try {
    return cli.process([...args], context) as StatusdCommand;
  } catch (error) {
    throw usageError(cli, args, error);
  }
}
