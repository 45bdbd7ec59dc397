/** Runs one program in a process group of its own, to its end or to a deadline. */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { Deadline } from '../net/deadline.ts';
import { BodyCollector } from '../net/http/body.ts';

export interface Program {
  /** An absolute path, or a name that is looked for in `env.PATH`. */
  readonly file: string;
  readonly args: readonly string[];
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** What it finds on its input; default: nothing. */
  readonly input?: string;
}

/** How a program ended. `code` of `not_started` is that of the system call that failed (`ENOENT`, `EMFILE`). */
type Ending =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'killed'; readonly signal: string }
  | { readonly kind: 'out_of_time' }
  | { readonly kind: 'not_started'; readonly code: string };

/** What it left behind: its ending, the start of what it wrote. */
export interface ProgramRun {
  readonly ending: Ending;
  readonly stdout: string;
  readonly stderr: string;
  /** Whether it wrote more than is kept. */
  readonly isCut: boolean;
}

/** What is kept of each stream, in bytes; the rest is read and dropped, so that the program never waits for room. */
const keptBytes = 64 * 1024;

/** After so much of a stream, reading rests for a moment: an endless writer must not take this process with it. */
const rest = { everyBytes: 1024 * 1024, ms: 3 } as const;

/** How long the pipes are read after the end: a child that left the group may hold them open for ever. */
const drainMs = 50;

/**
 * Runs `program` without a shell. The whole group is killed when the program ends, or when
 * `deadline` passes; a child that moved to another group is left behind. Never rejects.
 */
export async function run(program: Program, deadline: Deadline): Promise<ProgramRun> {
  const child = start(program);
  if ('code' in child) return { ending: { kind: 'not_started', code: child.code }, ...nothingWritten };

  const settled = new AbortController();
  const ended = end(child);
  const output = collect(child, (ms) => deadline.clock.sleep(ms, settled.signal));
  try {
    const ending = await Promise.race([
      ended,
      passed(deadline.signal, settled.signal).then((): Ending => ({ kind: 'out_of_time' })),
    ]);
    killGroup(child);
    if (ending.kind === 'exited' || ending.kind === 'killed') {
      await Promise.race([output.closed, deadline.clock.sleep(drainMs, settled.signal)]);
      // Timers run before pipes are read: after a stall of this process the output is still waiting.
      await new Promise((resolve) => setImmediate(resolve));
    }
    return { ending, ...output.written() };
  } finally {
    settled.abort();
    child.stdin?.destroy();
    child.stdout?.destroy();
    child.stderr?.destroy();
    child.unref();
  }
}

function start({ file, args, env, cwd, input }: Program): ChildProcess | { readonly code: string } {
  try {
    const stdio = [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'] as const;
    const child = spawn(file, args, { cwd, env, shell: false, detached: true, stdio: [...stdio] });
    // A program may end without having read all of it.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
    return child;
  } catch (error) {
    return { code: codeOf(error) };
  }
}

function end(child: ChildProcess): Promise<Ending> {
  return new Promise((resolve) => {
    child.once('error', (error) => {
      resolve({ kind: 'not_started', code: codeOf(error) });
    });
    child.once('exit', (code, signal) => {
      resolve(signal === null ? { kind: 'exited', code: code ?? 0 } : { kind: 'killed', signal });
    });
  });
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code ?? 'EUNKNOWN';

/** A process id stays taken while a group of that number has members, so this cannot hit anyone else. */
function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Nobody is left in the group, or those who are left run as another user.
  }
}

function passed(signal: AbortSignal, settled: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener(
      'abort',
      () => {
        resolve();
      },
      { once: true, signal: settled },
    );
  });
}

interface Output {
  readonly closed: Promise<unknown>;
  readonly written: () => Omit<ProgramRun, 'ending'>;
}

const nothingWritten: Omit<ProgramRun, 'ending'> = { stdout: '', stderr: '', isCut: false };

/** Node gives no streams to a child that it could not start for want of file descriptors. */
type Streams = { readonly [Name in 'stdout' | 'stderr']?: Readable | null };

function collect({ stdout, stderr }: Streams, sleep: (ms: number) => Promise<void>): Output {
  let isCut = false;
  const read = (stream: Readable | null | undefined) => {
    const kept = new BodyCollector(keptBytes);
    let unrested = 0;
    stream?.on('data', (chunk: Buffer) => {
      if (!kept.add(chunk)) isCut = true;
      unrested += chunk.length;
      if (unrested < rest.everyBytes) return;
      unrested = 0;
      stream.pause();
      void sleep(rest.ms).then(
        () => stream.resume(),
        () => undefined,
      );
    });
    stream?.on('error', () => undefined);
    const closed = stream && new Promise((resolve) => stream.once('close', resolve));
    return { closed, text: () => wholeText(kept.bytes()) };
  };
  const [out, err] = [read(stdout), read(stderr)];
  return {
    closed: Promise.all([out.closed, err.closed]),
    written: () => ({ stdout: out.text(), stderr: err.text(), isCut }),
  };
}

/** UTF-8 as text, without the part of a character that the cut left at its end. */
function wholeText(bytes: Buffer): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: bytes.length === keptBytes });
}
