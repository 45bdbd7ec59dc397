/** Reads the configuration of the daemon, and remembers which files that took. */
import { createHash } from 'node:crypto';
import { loadConfig, type LoadedConfig } from '../../engine/config/load.ts';
import type { Clock } from '../../engine/core/clock.ts';
import { paced } from '../../engine/core/yielding.ts';
import { maxConfigBytes, type ReadFile } from '../../engine/config/read-file.ts';

/** What a file held when it was read, as a digest; null: it could not be read. */
export type SeenFiles = ReadonlyMap<string, string | null>;

export type ConfigReading =
  | { readonly kind: 'good'; readonly loaded: LoadedConfig; readonly seen: SeenFiles }
  | { readonly kind: 'bad'; readonly error: unknown; readonly seen: SeenFiles };

export type ReadConfig = () => Promise<ConfigReading>;

export interface ReadTools {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly readFile: ReadFile;
  readonly clock: Pick<Clock, 'monotonic'>;
}

/** Reads the file and every file it names: `seen` is exactly what went into the answer. */
export async function readConfig(file: string, { env, readFile, clock }: ReadTools): Promise<ConfigReading> {
  const seen = new Map<string, string | null>();
  const readAndNote: ReadFile = async (path, maxBytes) => {
    seen.set(path, null);
    const bytes = await readFile(path, maxBytes);
    seen.set(path, digestOf(bytes));
    return bytes;
  };
  // Checks go on while a long file is read again.
  const tools = { env, readFile: readAndNote, yieldTurn: paced(clock.monotonic) };
  try {
    return { kind: 'good', loaded: await loadConfig(file, tools), seen };
  } catch (error) {
    return { kind: 'bad', error, seen };
  }
}

/** What those files hold now. */
export async function lookAgain(seen: SeenFiles, readFile: ReadFile): Promise<SeenFiles> {
  const digest = async (path: string) => readFile(path, maxConfigBytes).then(digestOf, () => null);
  return new Map(
    await Promise.all([...seen.keys()].map(async (path) => [path, await digest(path)] as const)),
  );
}

export function isSame(one: SeenFiles, other: SeenFiles): boolean {
  return one.size === other.size && [...one].every(([path, digest]) => other.get(path) === digest);
}

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
