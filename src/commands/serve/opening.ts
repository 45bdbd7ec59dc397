/** The log lines of a daemon that starts. */
import { counted } from '../../engine/core/words.ts';
import type { Config } from '../../engine/config/config.ts';

import type { LoadedConfig } from '../../engine/config/load.ts';
import { placeOfFinding } from '../../engine/config/locate.ts';
import { ConfigError, sentence, shownProblems } from '../../engine/config/problem.ts';
import { StatusdError } from '../../engine/core/errors.ts';
import type { LogEntry } from '../../engine/core/log.ts';

export function startingEntry({
  file,
  version,
}: {
  readonly file: string;
  readonly version: string;
}): LogEntry {
  const message = `statusd ${version} reads ${file}`;
  return { level: 'info', event: 'daemon.starting', message, fields: { version, config: file } };
}

export function storeEntry(database: string): LogEntry {
  return {
    level: 'info',
    event: 'store.opened',
    message: `the database is ${database}`,
    fields: { database },
  };
}

/** The address as a URL, what is watched and which channels are notified. */
export function readyEntry({ monitors, channels, disabled_channels: off }: Config, url: string): LogEntry {
  const notified =
    channels.length === 0 ? 'no channels' : `notifies ${listOf(channels.map(({ name }) => name))}`;
  const names = off.map(({ name, key }) => `${name} (${key} is empty)`);
  const silent = off.length === 0 ? '' : `; disabled: ${names.join(', ')}`;
  return {
    level: 'info',
    event: 'daemon.ready',
    message: `ready at ${url}: watches ${counted(monitors.length, 'monitor')}, ${notified}${silent}`,
    fields: {
      url,
      monitors: monitors.length,
      channels: channels.length,
      disabled_channels: off.map(({ name }) => name).join(', '),
    },
  };
}

/** A node leads, from its id. */
export function leadsEntry(node: string): LogEntry {
  return { level: 'info', event: 'node.leads', message: `${node} leads`, fields: { node } };
}

/** `leader`: the id of the node that leads; null: nobody does, as far as this one knows. */
export function standbyEntry(node: string, leader: string | null): LogEntry {
  const message = `${node} is a standby${leader === null ? '' : `; ${leader} leads`}`;
  return { level: 'info', event: 'node.standby', message, fields: { node, leader } };
}

/** A node that led leads no more, because of `why`. */
export function stepsDownEntry(why: unknown): LogEntry {
  const message = `is a standby from now on: ${reasonOf(why)}`;
  return { level: 'warning', event: 'node.steps_down', message };
}

/** What the loader warns of, a line each, with its place in the file. */
export async function warningEntries({ warnings, locate }: LoadedConfig): Promise<readonly LogEntry[]> {
  const entries: LogEntry[] = [];
  // One after the other: each part of a long file that is looked into is a turn of its own.
  for (const finding of warnings) {
    const { file, fileName, line, column } = await placeOfFinding(finding, locate);
    const message = `${fileName}:${line}:${column}  ${sentence(finding)}`;
    entries.push({ level: 'warning', event: 'config.warning', message, fields: { file, line, column } });
  }
  return entries;
}

/** Why a configuration cannot be used, a line for each of its problems. */
export function problemEntries(error: unknown): readonly LogEntry[] {
  if (error instanceof ConfigError && error.problems.length > 0) {
    const { shown, more } = shownProblems(error.problems);
    const entries = shown.map((problem): LogEntry => {
      const { file, fileName, line, column } = problem;
      const message = `${fileName}:${line}:${column}  ${sentence(problem)}`;
      return { level: 'error', event: 'config.problem', message, fields: { file, line, column } };
    });
    return more === null ? entries : [...entries, { level: 'error', event: 'config.problem', message: more }];
  }
  return [{ level: 'error', event: 'config.problem', message: reasonOf(error) }];
}

/** What was thrown, in one sentence. */
export function reasonOf(error: unknown): string {
  if (error instanceof StatusdError && error.hint !== null) return `${error.message}. ${error.hint}`;
  return error instanceof Error ? error.message : String(error);
}

/** The first names, and how many more there are. */
export function listOf(names: readonly string[], most = 10): string {
  const shown = names.slice(0, most).join(', ');
  return names.length > most ? `${shown} and ${names.length - most} more` : shown;
}
