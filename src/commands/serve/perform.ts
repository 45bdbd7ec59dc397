/** Runs `serve`: the daemon on a configuration file, which it goes on reading. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { findConfig } from '../../engine/config/find.ts';
import { readSmallFile } from '../../engine/config/read-file.ts';
import type { Log } from '../../engine/core/log.ts';
import type { Context } from '../context.ts';
import type { ExitCode } from '../exit.ts';
import { version } from '../version.ts';
import type { Daemon } from './daemon.ts';
import { startingEntry } from './opening.ts';
import { openLog, type LogWish } from './open-log.ts';
import { keepPulse, statusLine } from './pulse.ts';
import { readConfig, type ReadConfig, type Seen } from './read-config.ts';
import { createReload } from './reload.ts';
import { runDaemon } from './run-daemon.ts';
import {
  monotonicAssignment,
  serviceManager,
  watchdogMs,
  type TellServiceManager,
} from './service-manager.ts';
import { watchFiles } from './watch-files.ts';

export interface ServeRun extends LogWish {
  readonly configFile: string | null;
  readonly isDebug: boolean;
}

export async function performServe(run: ServeRun, context: Context): Promise<ExitCode> {
  const { env, cwd, events } = context;
  // Whoever asks for a reload too early gets none, but ends nothing either.
  let onHangUp = () => undefined as unknown;
  events.onHangUp(() => onHangUp());
  const file = findConfig({ flag: run.configFile, env, cwd, home: homedir() }, existsSync);
  const read = () => readConfig(file, { env, readFile: readSmallFile });
  const reading = await read();
  if (reading.kind === 'bad') throw reading.error;
  let current = () => reading.loaded;
  const log = openLog(run, context, (text) => current().redact(text));
  events.onWarning(({ name, message }) => {
    log({ level: 'warning', event: 'process.warning', message: `${name}: ${message}` });
  });
  log(startingEntry({ file, version: version() }));
  const tell = serviceManager(env, log);
  return runDaemon({
    loaded: reading.loaded,
    log,
    context,
    isDebug: run.isDebug,
    onReady: (daemon, signal) => {
      current = daemon.loaded;
      const running = { daemon, log, tell, signal, context };
      onHangUp = keepReading({ ...running, file, read, seen: reading.seen });
      void tell('READY=1');
      void beat(running);
    },
    onStopping: () => {
      void tell('STOPPING=1');
    },
  });
}

interface Running {
  readonly daemon: Daemon;
  readonly log: Log;
  readonly tell: TellServiceManager;
  readonly signal: AbortSignal;
  readonly context: Context;
}

interface KeepReading extends Running {
  readonly file: string;
  readonly read: ReadConfig;
  readonly seen: Seen;
}

/** Reloads when a file changes; the function it answers reloads at once. */
function keepReading(parts: KeepReading): () => Promise<void> {
  const { file, read, daemon, log, tell, signal, context } = parts;
  let { seen } = parts;
  const reload = createReload({
    file,
    read,
    apply: daemon.reload,
    onSeen: (latest) => {
      seen = latest;
    },
    started: daemon.loaded().config,
    log,
  });
  const tellAndReload = async () => {
    const told = tell('RELOADING=1', monotonicAssignment());
    await reload();
    await told;
    await tell('READY=1');
  };
  const { clock } = context;
  void watchFiles({ clock, readFile: readSmallFile, signal, onChange: tellAndReload, seen: () => seen });
  return tellAndReload;
}

function beat({ daemon, log, tell, signal, context }: Running): Promise<void> {
  const { clock, env } = context;
  return keepPulse({
    clock,
    log,
    signal,
    tell,
    watchdogMs: watchdogMs(env, process.pid),
    hasProgressed: daemon.hasProgressed,
    status: () => {
      const { monitors } = daemon.loaded().config;
      return statusLine(monitors.map(({ id }) => daemon.engine.stateOf(id)?.status ?? 'unknown'));
    },
  });
}
