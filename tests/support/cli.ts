/** Runs the program as a user does: bin/statusd.js in a process of its own. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { optimiseLate } from '../batches.js';

export const bin = fileURLToPath(new URL('../../bin/statusd.js', import.meta.url));

export interface CliOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** A command that runs it in a place of its own, such as a network namespace. */
  readonly within?: readonly string[];
}

/**
 * Options of Node for what tests run: it asks SQLite a little and ends soon. V8 would otherwise optimise SQLite on other
 * threads meanwhile, which takes longer than all that is asked, and its JavaScript three times as early.
 */
export const shortLived: readonly string[] = ['--liftoff-only', ...optimiseLate];

/** Without options of V8 what these need is not compiled: it was when the program was built. */
const compiledAhead: ReadonlySet<string | undefined> = new Set([
  ...['serve', 'check', 'healthcheck'],
  ...['ack', 'announce', 'annotate', 'event', 'explain', 'incidents', 'maintenance', 'outbox', 'silence'],
]);

/** The program as node starts it. */
function programOf(args: readonly string[]): string[] {
  return [process.execPath, ...(compiledAhead.has(args[0]) ? [] : shortLived), bin, ...args];
}

export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Nothing of the environment that runs the tests may decide about colour, language or configuration. */
const plainEnv = { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', LANG: 'C.UTF-8' };

/** Starts the program; `exited` settles when it has ended. */
export function startCli(
  args: readonly string[],
  { cwd, env = {}, within = [] }: CliOptions,
): { child: ChildProcess; exited: Promise<CliResult> } {
  const [program = process.execPath, ...rest] = [...within, ...programOf(args)];
  const child = spawn(program, rest, { cwd, env: { ...plainEnv, ...env } });
  return { child, exited: collect(child) };
}

/** Runs the program to its end. */
export function runCli(args: readonly string[], options: CliOptions): Promise<CliResult> {
  return startCli(args, options).exited;
}

/** Runs a shell command. */
export function runShell(command: string, { cwd, env = {} }: CliOptions): Promise<CliResult> {
  return collect(spawn('/bin/sh', ['-c', command], { cwd, env: { ...plainEnv, ...env } }));
}

/** Runs a shell command on a pseudo-terminal (util-linux `script`); stdout and stderr come as the terminal got them. */
export async function runOnTerminal(
  command: string,
  { cwd, env = {} }: CliOptions,
): Promise<Pick<CliResult, 'code' | 'stdout'>> {
  const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    cwd,
    env: { ...plainEnv, TERM: 'xterm-256color', SHELL: '/bin/sh', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { code, stdout } = await collect(child);
  return { code, stdout };
}

async function collect(child: ChildProcess): Promise<CliResult> {
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}
