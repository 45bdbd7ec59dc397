/** Writes recommendations as a patch of the configuration file. */
import { relative } from 'node:path';
import { readSmallFile } from '../../engine/config/read-file.ts';
import type { LoadedConfig } from '../../engine/config/load.ts';
import type { Context } from '../context.ts';
import { openConfig } from '../open-config.ts';
import { type FileEdit, unifiedDiff } from './diff.ts';
import { changesOf, type TuneChange, type Findings } from './render.ts';

export interface Patch {
  /** Empty when there is nothing to change. */
  readonly text: string;
  /** What has to be put into the file by hand, a sentence each. */
  readonly unplaced: readonly string[];
}

/** Throws what openConfig throws. */
export async function patchOf(
  { tunings }: Findings,
  configFile: string | null,
  place: Context,
): Promise<Patch> {
  const loaded = await openConfig(configFile, place);
  const lines = Buffer.from(await readSmallFile(loaded.file))
    .toString()
    .split('\n');
  // A patch is pasted into tickets, so the lines around a change must not hold a secret.
  const isReporting = ({ line, removed }: FileEdit, around: number): boolean =>
    lines
      .slice(Math.max(0, line - around), line + removed + around)
      .some((each) => loaded.redact(each) !== each);
  const edits: FileEdit[] = [];
  const unplaced: string[] = [];
  for (const change of changesOf(tunings)) {
    const edit = await editOf(change, lines, loaded);
    if (edit === null || isReporting(edit, 1)) {
      unplaced.push(`${change.id}: set ${assignmentOf(change)} by hand, where it is configured`);
    } else edits.push(edit);
  }
  const context = [3, 2].find((count) => !edits.some((edit) => isReporting(edit, count))) ?? 1;
  const name = relative(place.cwd, loaded.file);
  const text = unifiedDiff(name.startsWith('..') ? loaded.file : name, lines, { edits, context });
  return { text, unplaced };
}

/** Null when the monitor is not written with a key a line, in an inline table say. */
async function editOf(
  change: TuneChange,
  lines: readonly string[],
  { config, locate }: Pick<LoadedConfig, 'config' | 'locate'>,
): Promise<FileEdit | null> {
  const place = ['monitors', config.monitors.findIndex(({ id }) => id === change.id)];
  const own = (await locate([...place, change.key], 'key')).line - 1;
  const found = assignment(change.key).exec(lines[own] ?? '');
  if (found !== null) {
    const [, head = '', tail = ''] = found;
    return { line: own, removed: 1, added: [`${head}${change.then}${tail}`] };
  }
  const line = (await locate([...place, 'id'], 'key')).line - 1;
  const id = assignment('id').exec(lines[line] ?? '');
  if (id === null) return null;
  const indent = /^[ \t]*/.exec(lines[line] ?? '')?.[0] ?? '';
  const end = lines[line]?.endsWith('\r') === true ? '\r' : '';
  return { line: line + 1, removed: 0, added: [`${indent}${assignmentOf(change)}${end}`] };
}

/** A line of nothing but `key = value`: what stands before the value, and what after it. */
function assignment(key: string): RegExp {
  return new RegExp(
    `^([ \\t]*["']?${key}["']?[ \\t]*=[ \\t]*)(?:[^#"'\\s]+|"[^"]*"|'[^']*')([ \\t]*(?:#.*)?\\r?)$`,
  );
}

function assignmentOf({ key, then }: TuneChange): string {
  return `${key} = ${then}`;
}
