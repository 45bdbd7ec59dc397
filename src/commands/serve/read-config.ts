/** Reads the configuration of the daemon, and remembers which files it was read from. */
import { createHash } from 'node:crypto';
import { loadConfig, type LoadedConfig } from '../../engine/config/load.ts';
import type { ListMatches } from '../../engine/config/list-matches.ts';
import type { Clock } from '../../engine/core/clock.ts';
import { inParallel } from '../../engine/core/in-parallel.ts';
import { paced } from '../../engine/core/yielding.ts';
import { maxConfigBytes, type ReadFile } from '../../engine/config/read-file.ts';

/** What the configuration was read from. */
export interface SeenFiles {
  /** By path what a file held, as a digest; null: it could not be read. */
  readonly files: ReadonlyMap<string, string | null>;
  /** By pattern the paths that it matched, a line each; null: its folder could not be read. */
  readonly matches: ReadonlyMap<string, string | null>;
}

export interface LookTools {
  readonly readFile: ReadFile;
  readonly listMatches: ListMatches;
}

export type ConfigReading =
  | { readonly kind: 'good'; readonly loaded: LoadedConfig; readonly seen: SeenFiles }
  | { readonly kind: 'bad'; readonly error: unknown; readonly seen: SeenFiles };

export type ReadConfig = () => Promise<ConfigReading>;

export interface ReadTools extends LookTools {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Pick<Clock, 'monotonic'>;
}

/** Reads the file and every file it names: `seen` is exactly what went into the answer. */
export async function readConfig(
  file: string,
  { env, readFile, listMatches, clock }: ReadTools,
): Promise<ConfigReading> {
  const files = new Map<string, string | null>();
  const matches = new Map<string, string | null>();
  const seen: SeenFiles = { files, matches };
  const readAndNote: ReadFile = async (path, maxBytes) => {
    files.set(path, null);
    const bytes = await readFile(path, maxBytes);
    files.set(path, digestOf(bytes));
    return bytes;
  };
  const listAndNote: ListMatches = async (pattern) => {
    matches.set(pattern, null);
    const paths = await listMatches(pattern);
    matches.set(pattern, paths.join('\n'));
    return paths;
  };
  // Checks go on while a long file is read again.
  const tools = {
    env,
    readFile: readAndNote,
    listMatches: listAndNote,
    yieldTurn: paced(clock.monotonic),
  };
  try {
    return { kind: 'good', loaded: await loadConfig(file, tools), seen };
  } catch (error) {
    return { kind: 'bad', error, seen };
  }
}

/** How many files are open at a time. */
const mostAtOnce = 8;

/** What those files hold now, and what those patterns match. */
export async function lookAgain(
  { files, matches }: SeenFiles,
  { readFile, listMatches }: LookTools,
): Promise<SeenFiles> {
  const digests = await inParallel(
    [...files.keys()],
    mostAtOnce,
    async (path) => [path, await readFile(path, maxConfigBytes).then(digestOf, () => null)] as const,
  );
  const lists = await inParallel(
    [...matches.keys()],
    mostAtOnce,
    async (pattern) => [pattern, await matchText(pattern, listMatches)] as const,
  );
  return { files: new Map(digests), matches: new Map(lists) };
}

/** The paths that a pattern matches, a line each; null: its folder cannot be read. */
export function matchText(pattern: string, listMatches: ListMatches): Promise<string | null> {
  return listMatches(pattern).then(
    (paths) => paths.join('\n'),
    () => null,
  );
}

export function isSame(one: SeenFiles, other: SeenFiles): boolean {
  return isSameMap(one.files, other.files) && isSameMap(one.matches, other.matches);
}

function isSameMap(one: ReadonlyMap<string, string | null>, other: ReadonlyMap<string, string | null>) {
  return one.size === other.size && [...one].every(([key, text]) => other.get(key) === text);
}

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
