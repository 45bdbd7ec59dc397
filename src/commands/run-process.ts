/** Runs a command as the work of this process: signals, streams, errors, exit code. */
import { Cli } from 'clipanion';
import { StatusdCommand, type StatusdCommandClass } from './base.ts';
import { type Context, processContext } from './context.ts';
import { type ExitCode, exitCodes, nagiosUnknown } from './exit.ts';
import { reportError } from './report-error.ts';
import type { Signals } from './signals.ts';
import { namingVariable } from './variable-source.ts';
import { wordsOf } from './words.ts';
import { onWriteError } from './write-error.ts';

export interface ProcessWork {
  /** Answers the command to run, or the exit code when everything is done. Errors are reported on stderr. */
  readonly begin: (context: Context) => Promise<StatusdCommand | ExitCode>;
  /** The command that `args` names; null: none is known by its first word. */
  readonly command: Pick<StatusdCommandClass, 'isYesOrNo' | 'isDaemon' | 'isEndless'> | null;
  readonly signals: Signals;
}

/** Leaves with the exit code once the streams are flushed. */
export async function runProcess(args: readonly string[], work: ProcessWork): Promise<void> {
  process.stdout.on('error', onWriteError);
  // Of an error stream that nobody reads, such as that of a closed terminal, nobody can be told.
  process.stderr.on('error', () => undefined);
  // What is thrown outside the command itself, from an event of a socket say, is reported like anything else.
  process.on('uncaughtException', (error) => {
    const isDebug = args.includes('--debug');
    process.exit(reportError(error, { stderr: process.stderr, isDebug, isInterrupted: false }));
  });
  const context = processContext(work.signals, work.command?.isDaemon ?? false);
  const exitCode = await outcomeOf(args, work, context);
  await Promise.all([flushed(process.stdout), flushed(process.stderr)]);
  // A connection that is still closing holds nobody up.
  process.exit(work.command?.isYesOrNo === true && exitCode !== exitCodes.ok ? exitCodes.wrong : exitCode);
}

/** Hands every script of the program the signals of the process, and a way to load every command there is. */
export interface ProcessStart {
  readonly signals: Signals;
  readonly wholeCommandLine: () => Promise<EntryScript>;
}

export interface EntryScript {
  readonly main: (args: readonly string[], start: ProcessStart) => Promise<void>;
}

/**
 * Runs one of `commands`, of which nothing but these is loaded. Help, and a command line with a mistake in it, is the
 * work of the whole command line.
 */
export async function runOneOf(
  commands: readonly StatusdCommandClass[],
  args: readonly string[],
  { wholeCommandLine, signals }: ProcessStart,
): Promise<void> {
  const command = isHelpWanted(args) ? null : parseOneOf(commands, args);
  if (command === null) {
    const { main } = await wholeCommandLine();
    await main(args, { wholeCommandLine, signals });
    return;
  }
  const named = commands.find((each) => command instanceof each) ?? null;
  await runProcess(args, { begin: () => Promise.resolve(command), command: named, signals });
}

/** Null: it is no call of one of these. */
function parseOneOf(
  commands: readonly StatusdCommandClass[],
  args: readonly string[],
): StatusdCommand | null {
  const cli = new Cli<Context>({ binaryName: 'statusd' });
  // clipanion makes a machine of each, which takes a millisecond.
  const named = commands.filter(({ paths = [] }) =>
    paths.some(([word]) => word !== undefined && args.includes(word)),
  );
  for (const command of named) cli.register(command);
  try {
    // It is given its context when it runs.
    const command = cli.process([...args], {} as Context);
    return command instanceof StatusdCommand ? command : null;
  } catch {
    return null;
  }
}

async function outcomeOf(
  args: readonly string[],
  { begin, command }: ProcessWork,
  context: Context,
): Promise<ExitCode> {
  try {
    context.interrupt.throwIfAborted();
    const begun = await begin(context);
    if (typeof begun === 'number') return begun;
    begun.context = context;
    return (await begun.validateAndExecute()) as ExitCode;
  } catch (thrown) {
    const error = namingVariable(thrown, context);
    const isDebug = args.includes('--debug');
    const isInterrupted = context.interrupt.aborted;
    if (isInterrupted && command?.isEndless === true) return exitCodes.ok;
    const exitCode = reportError(error, { stderr: context.stderr, isDebug, isInterrupted });
    if (isInterrupted || !isNagiosWanted(args)) return exitCode;
    const { unknownLine } = await import('./check/render/nagios.ts');
    context.stdout.write(unknownLine(error instanceof Error ? error.message : String(error)));
    return nagiosUnknown;
  }
}

/** Whether these arguments ask for a Nagios plugin: one that cannot do its work is UNKNOWN, whatever keeps it from it. */
function isNagiosWanted(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  const options = end === -1 ? args : args.slice(0, end);
  const formats = options.flatMap((arg, index) => {
    if (arg === '--format') return [options[index + 1]];
    return arg.startsWith('--format=') ? [arg.slice('--format='.length)] : [];
  });
  return formats.at(-1) === 'nagios' && wordsOf(options, ['-c', '--config'])[0] === 'check';
}

/** Whether these arguments ask for help instead of running a command. */
export function isHelpWanted(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  const options = end === -1 ? args : args.slice(0, end);
  if (args.length === 0 || options.includes('--help') || options.includes('-h')) return true;
  return wordsOf(options, ['-c', '--config'])[0] === 'help';
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
