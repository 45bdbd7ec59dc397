/** Runs `statusd serve` or `statusd demo` as a user does, and reads its log. */
import type { ChildProcess } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { startCli, type CliResult } from './cli.ts';

interface LogLine {
  readonly level: string;
  readonly event: string;
  readonly message: string;
  readonly [field: string]: unknown;
}

export interface Daemon {
  readonly child: ChildProcess;
  /** Where it listens; ends with a slash. */
  readonly url: string;
  /** What it said so far. */
  readonly lines: readonly LogLine[];
  /** The first line of this event, or the `count`th: waits for it. */
  readonly says: (event: string, count?: number) => Promise<LogLine>;
  readonly exited: Promise<CliResult>;
  /** Sends a signal and waits for its end. */
  readonly end: (signal: NodeJS.Signals) => Promise<CliResult>;
}

export interface DaemonOptions {
  readonly command?: 'serve' | 'demo';
  readonly env?: Readonly<Record<string, string>>;
  /** As for startCli. */
  readonly within?: readonly string[];
}

/** A start takes a second, and many where the machine has other things to do. */
const deadlineMs = 60_000;

/** Resolves once it is ready. Rejects with what it said when it is not, or ends before that; it does not run on then. */
export async function startDaemon(
  cwd: string,
  { command = 'serve', env = {}, within = [] }: DaemonOptions = {},
): Promise<Daemon> {
  const { child, exited } = startCli([command, '--log-format', 'json'], { cwd, env, within });
  const lines: LogLine[] = [];
  let rest = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n');
    rest = parts.pop() ?? '';
    for (const part of parts) lines.push(JSON.parse(part) as LogLine);
  });
  let end: CliResult | null = null;
  void exited.then((result) => (end = result));
  const says = (event: string, count = 1) =>
    until(
      () => {
        const found = lines.filter((line) => line.event === event)[count - 1];
        if (found === undefined && end !== null) throw new Error(`it ended: ${JSON.stringify(end)}`);
        return found;
      },
      () => `no line ${event} among ${lines.map((line) => `${line.event} ${line.message}`).join('; ')}`,
    );
  const ready = await says('daemon.ready').catch(async (error: unknown) => {
    child.kill('SIGKILL');
    await exited;
    throw error;
  });
  return {
    child,
    url: String(ready['url']),
    lines,
    says,
    exited,
    end: (signal) => {
      child.kill(signal);
      return exited;
    },
  };
}

/**
 * Looks until there is something, for at most a minute unless told otherwise; then it fails with what `report` says.
 * It pauses for nine times as long as a look takes: one that opens a database or runs a command would else keep a
 * processor, and take it from what is waited for.
 */
export async function until<T>(
  look: () => T | undefined | false | null | Promise<T | undefined | false | null>,
  report: () => string,
  mostMs = deadlineMs,
): Promise<T> {
  const startedAt = performance.now();
  for (;;) {
    const lookedAt = performance.now();
    const found = await look();
    if (found !== undefined && found !== false && found !== null) return found;
    const now = performance.now();
    if (now - startedAt > mostMs) throw new Error(`waited in vain: ${report()}`);
    await pause(Math.min(Math.max(20, 9 * (now - lookedAt)), 500));
  }
}
