/** Runs `serve`: the daemon on a configuration file that is watched for changes. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { findConfig } from '../../engine/config/find.ts';
import { listMatches } from '../../engine/config/list-matches.ts';
import { readSmallFile } from '../../engine/config/read-file.ts';
import { untilAborted } from '../../engine/core/abort.ts';
import type { Log } from '../../engine/core/log.ts';
import { logsFault, unattended } from '../../engine/core/unattended.ts';
import type { Context } from '../context.ts';
import type { ExitCode } from '../exit.ts';
import { version } from '../version.ts';
import type { Daemon } from './daemon.ts';
import { startingEntry } from './opening.ts';
import { openLog, type LogOptions } from './open-log.ts';
import { feedWatchdog, statusLine } from './watchdog.ts';
import { readConfig, type ReadConfig, type SeenFiles } from './read-config.ts';
import { createReload } from './reload.ts';
import { expectLongRun, runDaemon } from './run-daemon.ts';
import {
  monotonicAssignment,
  serviceManager,
  watchdogMs,
  type NotifyServiceManager,
} from './service-manager.ts';
import { watchFiles } from './watch-files.ts';

export interface ServeRun extends LogOptions {
  readonly configFile: string | null;
  readonly isDebug: boolean;
}

const disk = { readFile: readSmallFile, listMatches };

export async function performServe(run: ServeRun, context: Context): Promise<ExitCode> {
  const { env, cwd, events, clock, interrupt } = context;
  expectLongRun();
  // A reload that is asked for during the start is made once the daemon is ready.
  let isReloadWanted = false;
  let onHangUp: () => unknown = () => (isReloadWanted = true);
  events.onHangUp(() => onHangUp());
  const file = findConfig({ flag: run.configFile, env, cwd, home: homedir() }, existsSync);
  const read = () => readConfig(file, { env, ...disk, clock });
  // A pipe may be waited for.
  const reading = await untilAborted(read(), interrupt);
  if (reading.kind === 'bad') throw reading.error;
  let current = () => reading.loaded;
  const log = openLog(run, context, (text) => current().redact(text));
  events.onWarning(({ name, message }) => {
    log({ level: 'warning', event: 'process.warning', message: `${name}: ${message}` });
  });
  log(startingEntry({ file, version: version() }));
  const report = serviceManager(env, log);
  return runDaemon({
    loaded: reading.loaded,
    log,
    context,
    isDebug: run.isDebug,
    onReady: (daemon, signal) => {
      current = daemon.loaded;
      const running = { daemon, log, report, signal, context };
      onHangUp = keepReading({ ...running, file, read, seen: reading.seen });
      void report('READY=1').then(() => {
        if (isReloadWanted) onHangUp();
      });
      void beat(running);
    },
    onStopping: () => {
      void report('STOPPING=1');
    },
  });
}

interface RunningDaemon {
  readonly daemon: Daemon;
  readonly log: Log;
  readonly report: NotifyServiceManager;
  readonly signal: AbortSignal;
  readonly context: Context;
}

interface KeepReading extends RunningDaemon {
  readonly file: string;
  readonly read: ReadConfig;
  readonly seen: SeenFiles;
}

/** How soon files are watched again after a fault. */
const watchAgainMs = 3000;

/** Reloads when a file changes; the function it answers reloads at once. It never rejects. */
function keepReading(parts: KeepReading): () => Promise<void> {
  const { file, read, daemon, log, report, signal, context } = parts;
  let { seen } = parts;
  const reload = createReload({
    file,
    read,
    apply: daemon.reload,
    onSeen: (latest) => {
      seen = latest;
    },
    started: daemon.loaded().config,
    watched: () => daemon.loaded().config.monitors.length,
    log,
  });
  const reportAndReload = async () => {
    const notified = report('RELOADING=1', monotonicAssignment());
    await reload();
    await notified;
    await report('READY=1');
  };
  const { clock } = context;
  const onFault = logsFault(log, 'the watch over the configuration');
  const watch = () => watchFiles({ clock, ...disk, signal, onChange: reportAndReload, seen: () => seen });
  const keepWatching = async () => {
    while (!signal.aborted) {
      await watch().catch(onFault);
      await clock.sleep(watchAgainMs, signal).catch(() => undefined);
    }
  };
  unattended(keepWatching, onFault);
  return () => reportAndReload().catch(onFault);
}

function beat({ daemon, log, report, signal, context }: RunningDaemon): Promise<void> {
  const { clock, env } = context;
  return feedWatchdog({
    clock,
    log,
    signal,
    report,
    watchdogMs: watchdogMs(env, process.pid),
    hasProgressed: daemon.hasProgressed,
    status: () => {
      const { monitors } = daemon.loaded().config;
      return statusLine(monitors.map(({ id }) => daemon.stateOf(id)?.status ?? 'unknown'));
    },
  });
}
