/** Runs a daemon from its start to its end. */
import type { LoadedConfig } from '../../engine/config/load.ts';
import { StatusdError } from '../../engine/core/errors.ts';
import type { Log } from '../../engine/core/log.ts';
import { isSmall } from '../../engine/config/size.ts';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodes } from '../exit.ts';
import { type Daemon, startDaemon } from './daemon.ts';
import { type Ending, endings } from './ending.ts';
import { readyEntry, reasonOf, warningEntries } from './opening.ts';
import { setFlagsFromString } from 'node:v8';

export interface DaemonRun {
  readonly loaded: LoadedConfig;
  readonly log: Log;
  readonly context: Context;
  /** Shows where an unexpected error came from. */
  readonly isDebug: boolean;
  /** Called once it is ready. `signal` is aborted when it begins to end. */
  readonly onReady: (daemon: Daemon, signal: AbortSignal) => void;
  /** Called when it begins to end. */
  readonly onStopping?: () => void;
}

/** Resolves with the exit code when it has ended. Rejects when it cannot be started. */
export async function runDaemon(run: DaemonRun): Promise<ExitCode> {
  const { stackTraceLimit } = Error;
  // Errors that are expected come many times a second, and nobody reads where they came from.
  if (!run.isDebug) Error.stackTraceLimit = 0;
  try {
    return await runToEnd(run);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

async function runToEnd(run: DaemonRun): Promise<ExitCode> {
  const { loaded, log, context, isDebug, onReady, onStopping } = run;
  const logFault = (error: unknown) => {
    const message = `something unexpected went wrong: ${reasonOf(error)}`;
    log({ level: 'error', event: 'daemon.fault', message });
    if (isDebug && error instanceof Error) context.stderr.write(`${error.stack ?? ''}\n`);
  };
  const { first, end } = endings(context, logFault);
  for (const entry of await warningEntries(loaded)) log(entry);
  const calledOff = new AbortController();
  const starting = startDaemon({ loaded, log, context, signal: calledOff.signal });
  const outcome = await Promise.race([starting, first]);
  const isReady = 'url' in outcome;
  const running = new AbortController();
  if (isReady) {
    void outcome.lost.then((error) => {
      end({ kind: 'lost', error });
    });
    log(readyEntry(outcome.loaded().config, outcome.url));
    onReady(outcome, running.signal);
    // What runs from now on runs again and again.
    if (!isSmall(outcome.loaded().config)) optimiseAfter(interruptBudget.running);
  }
  const ending = await first;
  running.abort();
  onStopping?.();
  if (ending.kind === 'fault') logFault(ending.error);
  else log(stoppingEntry(ending));
  if (isReady) await outcome.stop();
  else {
    calledOff.abort(new StatusdError('interrupted', 'the start was called off'));
    const undone = starting.then(
      (daemon) => daemon.stop(),
      () => undefined,
    );
    // A start that hangs has acknowledged nothing, so it may be left as it is.
    await Promise.race([undone, context.clock.sleep(undoneWithinMs)]);
  }
  log({ level: 'info', event: 'daemon.stopped', message: 'stopped' });
  return exitCodeOf(ending);
}

/** How long a start that was called off has to remove what it made. */
const undoneWithinMs = 4500;

function stoppingEntry(ending: Exclude<Ending, { kind: 'fault' }>) {
  switch (ending.kind) {
    case 'asked':
      return { level: 'info', event: 'daemon.stopping', message: `stopping: ${ending.why}` } as const;
    case 'lost':
      return { level: 'error', event: 'store.lost', message: reasonOf(ending.error) } as const;
  }
}

function exitCodeOf({ kind }: Ending): ExitCode {
  switch (kind) {
    case 'asked':
      return exitCodes.ok;
    case 'lost':
      return exitCodes.store;
    case 'fault':
      return exitCodes.wrong;
  }
}

/**
 * Has the heap grow by half, not fourfold, before it is cleared, and the space for what is new not at all: of a machine
 * with much memory V8 takes hundreds of megabytes for what lives in fifty. Code is optimised late: what is only needed to
 * start is not worth it. To be called before the configuration is read, which would have the space for what is new grow.
 */
export function expectLongRun(): void {
  setFlagsFromString('--heap-growing-percent=50');
  setFlagsFromString('--semi-space-growth-factor=1');
  optimiseAfter(interruptBudget.starting);
}

/**
 * How much of a function is run, in bytes of its bytecode, between two looks at whether it is worth optimising; V8's own
 * measure is 67,584. What a check runs is short: at the higher figure most of it is not optimised two minutes later.
 */
const interruptBudget = { starting: 400_000, running: 45_000 } as const;

function optimiseAfter(bytes: number): void {
  for (const flag of interruptFlags(bytes, process.versions.node)) setFlagsFromString(flag);
}

/** Since Node 21 V8 counts calls instead, and would write that it does not know the flag. */
export function interruptFlags(bytes: number, nodeVersion: string): readonly string[] {
  return nodeVersion.startsWith('20.') ? [`--interrupt-budget=${bytes}`] : [];
}
