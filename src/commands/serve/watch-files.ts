/** Notices that a file the configuration was read from holds something else. */
import { watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { ReadFile } from '../../engine/config/read-file.ts';
import { type Clock, untilBeat } from '../../engine/core/clock.ts';
import { isSame, lookAgain, type SeenFiles } from './read-config.ts';

export interface FileWatchOptions {
  readonly clock: Clock;
  readonly readFile: ReadFile;
  /** Ends the watch. */
  readonly signal: AbortSignal;
  /** Called once for each new content; the next look waits until it is done, and compares with `seen` as it is then. */
  readonly onChange: () => Promise<void>;
  /** What the files held when they were last read. */
  readonly seen: () => SeenFiles;
  /** Calls `onEvent` when something may have happened to one of the files; answers how to stop. */
  readonly listen?: (files: Iterable<string>, onEvent: () => void) => () => void;
}

/** Some file systems report nothing, and a folder that is replaced takes its watcher along. */
const lookEveryMs = 3000;
/** A file that is still being written is left alone until it has been quiet for so long. */
const settleMs = 150;

const nothing = (): void => undefined;

/** Resolves when `signal` is aborted. */
export async function watchFiles(options: FileWatchOptions): Promise<void> {
  const { clock, readFile, signal, onChange, seen, listen = listenToFolders } = options;
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
    const files = [...seen().keys()];
    const names = files.join('\n');
    if (listened !== names) {
      stopListening();
      // Listening comes first: what happens after the look must ring.
      stop = listen(files, ring);
      listened = names;
    }
    const stamps = await stampsOf(files);
    if (stamps === last) {
      await pause(untilBeat(clock.monotonic(), lookEveryMs));
      continue;
    }
    // The folder may be another one, too, and what is still being written is not to ring.
    stopListening();
    bell = new AbortController();
    await pause(settleMs);
    if ((await stampsOf(files)) !== stamps) continue;
    last = stamps;
    if (!isOver() && !isSame(await lookAgain(seen(), readFile), seen())) await onChange();
  }
  stopListening();
}

/** Of every file what changes with its content, without reading it. */
async function stampsOf(files: readonly string[]): Promise<string> {
  const stamp = async (file: string) => {
    return stat(file, { bigint: true }).then(
      ({ dev, ino, size, mtimeNs, ctimeNs }) => [file, dev, ino, size, mtimeNs, ctimeNs].join(':'),
      () => `${file}:absent`,
    );
  };
  return (await Promise.all(files.map(stamp))).join('\n');
}

/** Folders are watched, not files: editors put a new file in the place of the old one. */
function listenToFolders(files: Iterable<string>, onEvent: () => void): () => void {
  const names = new Map<string, Set<string>>();
  for (const file of files) {
    const folder = dirname(file);
    names.set(folder, (names.get(folder) ?? new Set()).add(basename(file)));
  }
  const watchers = [...names].flatMap(([folder, wanted]) => {
    try {
      const watcher = watch(folder, (_, name) => {
        if (name === null || wanted.has(name)) onEvent();
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
