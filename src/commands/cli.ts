/** From argv to one command and an exit code. */
import { Cli } from 'clipanion';
import { StatusdError } from '../engine/core/errors.ts';
import { allCommands } from './all.ts';
import { StatusdCommand, type StatusdCommandClass } from './base.ts';
import { processContext, type Context } from './context.ts';
import { exitCodes, type ExitCode } from './exit.ts';
import { reportError } from './report-error.ts';
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

/** Runs the command that `args` names and answers its exit code; every error is told on stderr. */
async function run(args: readonly string[], context: Context): Promise<ExitCode> {
  const exitCode = await outcomeOf(args, context);
  const isYesOrNo = commandsNamed(args).some((command) => command.isYesOrNo);
  return isYesOrNo && exitCode !== exitCodes.ok ? exitCodes.wrong : exitCode;
}

async function outcomeOf(args: readonly string[], context: Context): Promise<ExitCode> {
  const isDebug = args.includes('--debug');
  try {
    if (isHelpWanted(args)) {
      const { printHelp } = await import('./help/print.ts');
      return printHelp(allCommands, args, context);
    }
    const command = await parse(args, context);
    command.context = context;
    command.commands = allCommands;
    return (await command.validateAndExecute()) as ExitCode;
  } catch (error) {
    return reportError(error, { stderr: context.stderr, isDebug, isInterrupted: context.interrupt.aborted });
  }
}

/** The entry of a real process: runs, then leaves with the exit code once the streams are flushed. */
export async function main(args: readonly string[]): Promise<void> {
  process.stdout.on('error', onWriteError);
  // What is thrown outside the command's own promise, from an event of a socket say, is told like anything else.
  process.on('uncaughtException', (error) => {
    const isDebug = args.includes('--debug');
    process.exit(reportError(error, { stderr: process.stderr, isDebug, isInterrupted: false }));
  });
  const exitCode = await run(args, processContext());
  await Promise.all([flushed(process.stdout), flushed(process.stderr)]);
  // A connection that is still closing holds nobody up.
  process.exit(exitCode);
}

/** Where nothing waits nothing is written: a full disk would refuse even that, and the work is done. */
function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.writableLength === 0) {
      setImmediate(resolve);
      return;
    }
    stream.write('', () => {
      resolve();
    });
  });
}

/** A reader that leaves early (`statusd check | head`) changes neither the work nor its verdict; a full disk does. */
function onWriteError(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') return;
  process.stderr.write(`statusd: the output cannot be written: ${error.message}\n`);
  process.exit(exitCodes.wrong);
}

function isHelpWanted(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  const options = end === -1 ? args : args.slice(0, end);
  if (args.length === 0 || options.includes('--help') || options.includes('-h')) return true;
  return wordsOf(options, ['-c', '--config'])[0] === 'help';
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
