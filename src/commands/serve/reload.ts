/** Reloads the configuration of a running daemon: applied whole, or not at all. */
import { basename } from 'node:path';
import type { LoadedConfig } from '../../engine/config/load.ts';
import type { Log, LogEntry } from '../../engine/core/log.ts';
import type { EngineChanges } from '../../engine/monitoring/engine.ts';
import { listOf, problemEntries, reasonOf, warningEntries } from './opening.ts';
import type { ReadConfig, SeenFiles } from './read-config.ts';
import { restartNeeded, type StartedConfig } from './restart-needed.ts';

export interface ReloadParts {
  /** The configuration file. */
  readonly file: string;
  readonly read: ReadConfig;
  /** Makes the daemon run on it from now on. */
  readonly apply: (loaded: LoadedConfig) => Promise<EngineChanges>;
  /** Told what every attempt read, good or bad. */
  readonly onSeen: (seen: SeenFiles) => void;
  /** The configuration of the start: what is read only then has stayed. */
  readonly started: StartedConfig;
  /** How many monitors the daemon has at the moment. */
  readonly watched: () => number;
  readonly log: Log;
}

/** A reload; calls while one is under way become one more after it. Never rejects. */
export function createReload(parts: ReloadParts): () => Promise<void> {
  let running: Promise<void> = Promise.resolve();
  let next: Promise<void> | null = null;
  return () => {
    next ??= running.then(() => {
      next = null;
      running = reload(parts);
      return running;
    });
    return next;
  };
}

async function reload({ file, read, apply, onSeen, started, watched, log }: ReloadParts): Promise<void> {
  const reading = await read();
  onSeen(reading.seen);
  if (reading.kind === 'bad') {
    log(rejectedEntry(file));
    for (const entry of problemEntries(reading.error)) log(entry);
    return;
  }
  if (saysNothing(reading.loaded.config) && watched() > 0) {
    log(rejectedEntry(file));
    log(withoutMonitorsEntry(file));
    return;
  }
  try {
    const changes = await apply(reading.loaded);
    for (const entry of await warningEntries(reading.loaded)) log(entry);
    log(reloadedEntry(file, changes));
    const waiting = restartNeeded(started, reading.loaded.config);
    if (waiting.length > 0) log(restartEntry(waiting));
  } catch (error) {
    log({ level: 'error', event: 'config.failed', message: `the reload failed: ${reasonOf(error)}` });
  }
}

function rejectedEntry(file: string): LogEntry {
  const message = `${basename(file)} cannot be used as it is now; the configuration from before stays`;
  return { level: 'error', event: 'config.rejected', message, fields: { config: file } };
}

/** Whether a file names nothing, as one that was cut does: ending every outage as no longer monitored cannot be taken back. */
function saysNothing({ monitors, channels, peers }: LoadedConfig['config']): boolean {
  return monitors.length === 0 && channels.length === 0 && peers.length === 0;
}

function withoutMonitorsEntry(file: string): LogEntry {
  return {
    level: 'error',
    event: 'config.problem',
    message: `${basename(file)} has neither monitors nor channels any more. If that is meant, restart statusd: a reload does not stop everything.`,
    fields: { file },
  };
}

/** `statusd.toml was read again: started web; stopped old; 12 unchanged`. */
export function reloadedEntry(file: string, changes: EngineChanges): LogEntry {
  const { started, stopped, restarted, unchanged } = changes;
  const renamed = changes.renamed.map(({ from, to }) => `${from} to ${to}`);
  const parts = Object.entries({ started, stopped, renamed, restarted })
    .filter(([, ids]) => ids.length > 0)
    .map(([word, ids]) => `${word} ${listOf(ids)}`);
  const summary = [...parts, `${unchanged} unchanged`].join('; ');
  return {
    level: 'info',
    event: 'config.reloaded',
    message: `${basename(file)} was reloaded: ${summary}`,
    fields: {
      config: file,
      started: started.length,
      stopped: stopped.length,
      renamed: renamed.length,
      restarted: restarted.length,
      unchanged,
    },
  };
}

function restartEntry(settings: readonly string[]): LogEntry {
  const verb = settings.length === 1 ? 'takes' : 'take';
  const message = `${settings.join(', ')} ${verb} effect after a restart`;
  return {
    level: 'warning',
    event: 'config.restart_needed',
    message,
    fields: { settings: settings.join(', ') },
  };
}
