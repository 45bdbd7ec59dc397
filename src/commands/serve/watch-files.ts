/** Notices changes of the configuration files, and files that are added. */
import { watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { matcherOf } from '../../engine/config/list-matches.ts';
import { type Clock, untilBeat } from '../../engine/core/clock.ts';
import { isSame, lookAgain, type LookTools, matchText, type SeenFiles } from './read-config.ts';

export interface FileWatchOptions extends LookTools {
  readonly clock: Clock;
  /** Ends the watch. */
  readonly signal: AbortSignal;
  /** Called once for each new content; the next look waits until it is done, and compares with `seen` as it is then. */
  readonly onChange: () => Promise<void>;
  /** What the files held when they were last read. */
  readonly seen: () => SeenFiles;
  /** Calls `onEvent` when something may have happened to what was seen; answers how to stop. */
  readonly listen?: (seen: SeenFiles, onEvent: () => void) => () => void;
}

/** Some file systems report nothing, and a folder that is replaced takes its watcher along. */
const lookEveryMs = 3000;
/** A file that is still being written is left alone until it has been quiet for so long. */
const settleMs = 150;

const nothing = (): void => undefined;

/** Resolves when `signal` is aborted. */
export async function watchFiles(options: FileWatchOptions): Promise<void> {
  const { clock, signal, onChange, seen, listen = listenToFolders } = options;
  let bell = new AbortController();
  const ring = () => {
    bell.abort();
  };
  const pause = (ms: number) => clock.sleep(ms, bell.signal).catch(() => undefined);
  signal.addEventListener('abort', ring);
  const isOver = () => signal.aborted;
  let last = '';
  let listened = '';
  let stop = nothing;
  const stopListening = () => {
    stop();
    stop = nothing;
    listened = '';
  };
  while (!isOver()) {
    if (bell.signal.aborted) bell = new AbortController();
    const now = seen();
    const names = [...now.files.keys(), ...now.matches.keys()].join('\n');
    if (listened !== names) {
      stopListening();
      // Listening comes first: what happens after the look must ring.
      stop = listen(now, ring);
      listened = names;
    }
    const stamps = await stampsOf(now, options);
    // From here on there is another bell, which nobody rings any more.
    if (isOver()) break;
    if (stamps === last) {
      await pause(untilBeat(clock.monotonic(), lookEveryMs));
      continue;
    }
    // The folder may be another one, too, and what is still being written is not to ring.
    stopListening();
    bell = new AbortController();
    await pause(settleMs);
    if ((await stampsOf(now, options)) !== stamps) continue;
    last = stamps;
    if (!isOver() && !isSame(await lookAgain(seen(), options), seen())) await onChange();
  }
  stopListening();
}

/** Of every file what changes with its content, without reading it, and what the patterns match. */
async function stampsOf({ files, matches }: SeenFiles, { listMatches }: LookTools): Promise<string> {
  const stamp = async (file: string) => {
    return stat(file, { bigint: true }).then(
      ({ dev, ino, size, mtimeNs, ctimeNs }) => [file, dev, ino, size, mtimeNs, ctimeNs].join(':'),
      () => `${file}:absent`,
    );
  };
  const lists = [...matches.keys()].map((pattern) => matchText(pattern, listMatches));
  return (await Promise.all([...[...files.keys()].map(stamp), ...lists])).join('\n');
}

/** Folders are watched, not files: editors put a new file in the place of the old one. */
function listenToFolders(seen: SeenFiles, onEvent: () => void): () => void {
  const watchers = [...wantedNames(seen)].flatMap(([folder, { names, matchers }]) => {
    try {
      const watcher = watch(folder, (_, name) => {
        if (name === null || names.has(name) || matchers.some((isMatch) => isMatch(name))) onEvent();
      });
      return [watcher.on('error', () => undefined)];
    } catch {
      return [];
    }
  });
  return () => {
    for (const watcher of watchers) watcher.close();
  };
}

interface WantedNames {
  readonly names: Set<string>;
  readonly matchers: ((name: string) => boolean)[];
}

/** By folder the names that an event there has to be about. */
function wantedNames({ files, matches }: SeenFiles): ReadonlyMap<string, WantedNames> {
  const folders = new Map<string, WantedNames>();
  const wantedIn = (folder: string): WantedNames => {
    const wanted = folders.get(folder) ?? { names: new Set(), matchers: [] };
    folders.set(folder, wanted);
    return wanted;
  };
  for (const file of files.keys()) wantedIn(dirname(file)).names.add(basename(file));
  for (const pattern of matches.keys()) {
    const folder = dirname(pattern);
    wantedIn(folder).matchers.push(matcherOf(pattern));
    // A folder that is made only now shows in the one around it.
    wantedIn(dirname(folder)).names.add(basename(folder));
  }
  return folders;
}
