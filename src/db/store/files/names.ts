/** The names of the files that make up one database. */
import { randomBytes } from 'node:crypto';
import { basename, dirname, join } from 'node:path';

/** Every file is beside the database file and begins with its name. */
export interface Names {
  readonly directory: string;
  /** `statusd.db`: the last checkpoint. */
  readonly snapshot: string;
  /** `statusd.db-prev`: the checkpoint before it. */
  readonly previous: string;
  readonly log: (number: number) => string;
  readonly lock: (number: number) => string;
  /** A file in the making, which nobody looks for. */
  readonly temporary: () => string;
  /** Where a damaged file is kept: `statusd.db.damaged-20260131T235959Z`. */
  readonly quarantined: (path: string, at: number) => string;
  /** The log numbers among the entries of the directory, ascending. */
  readonly logNumbers: (entries: readonly string[]) => readonly number[];
  readonly lockNumbers: (entries: readonly string[]) => readonly number[];
  readonly temporaries: (entries: readonly string[]) => readonly string[];
  /** The damaged files that were set aside. */
  readonly asides: (entries: readonly string[]) => readonly string[];
}

/** What follows the name of the database: which of its files, when, and a number for all but the first of a second. */
const asideEnding = /^(?:-[a-z]+(?:\.\d+)?)?\.damaged-\d{8}T\d{6}Z(?:-\d+)?$/;

/** `file` is the path of the database with its symbolic links followed: a rename over a link would replace it. */
export function namesOf(file: string): Names {
  const directory = dirname(file);
  const base = basename(file);
  const temporaryPrefix = `${base}-tmp.`;
  const numbers = (entries: readonly string[], prefix: string) =>
    entries
      .filter((entry) => entry.startsWith(prefix) && /^[1-9]\d{0,14}$/.test(entry.slice(prefix.length)))
      .map((entry) => Number(entry.slice(prefix.length)))
      .sort((a, b) => a - b);
  return {
    directory,
    snapshot: file,
    previous: `${file}-prev`,
    log: (number) => `${file}-log.${number}`,
    lock: (number) => `${file}-lock.${number}`,
    temporary: () => join(directory, temporaryPrefix + randomBytes(6).toString('hex')),
    quarantined: (path, at) => `${path}.damaged-${new Date(at).toISOString().replace(/[-:]|\.\d+/g, '')}`,
    logNumbers: (entries) => numbers(entries, `${base}-log.`),
    lockNumbers: (entries) => numbers(entries, `${base}-lock.`),
    temporaries: (entries) =>
      entries.filter((entry) => entry.startsWith(temporaryPrefix)).map((entry) => join(directory, entry)),
    asides: (entries) =>
      entries
        .filter((entry) => entry.startsWith(base) && asideEnding.test(entry.slice(base.length)))
        .sort()
        .map((entry) => join(directory, entry)),
  };
}
