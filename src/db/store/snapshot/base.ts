/** Chooses the snapshot that a database is rebuilt from. */
import { StatusdError } from '../../../engine/core/errors.ts';
import type { Files } from '../files/files.ts';
import type { Names } from '../files/names.ts';
import { readHeader } from '../../wal/open.ts';
import { openSql } from '../sql.ts';
import { readSnapshot, readTrailer, type SnapshotFile } from './read.ts';

/** Something found wrong with a file. */
export interface FileFinding {
  readonly file: string;
  /** A sentence that names the file. */
  readonly message: string;
  /** `aside`: the file is of no use where it is. `copy`: it is still needed. `none`: nothing is to be kept. */
  readonly keep: 'aside' | 'copy' | 'none';
  /** Whether acknowledged changes are gone with it, or may be. Absent: none are. */
  readonly isLoss?: boolean;
}

/** Whether nothing in `found` says the same: what lies at the end of a log is met again when more comes behind it. */
export function isNews({ message }: FileFinding, found: readonly FileFinding[]): boolean {
  return !found.some((earlier) => earlier.message === message);
}

/** What the logs are replayed over. */
export interface Base {
  /** Null for the empty database that log 1 begins with. */
  readonly pages: Uint8Array | null;
  readonly databaseId: string;
  readonly log: number;
  /** Whether the file `statusd.db` itself is this base, or is whole at least. */
  readonly isSnapshotGood: boolean;
  readonly findings: readonly FileFinding[];
}

export interface SnapshotPlace {
  readonly files: Files;
  readonly names: Names;
  /** The newest schema that this process knows. */
  readonly schema: number;
}

/** Null when there is no database at all. Throws `store_unusable` when there is one that cannot be used. */
export async function chooseBase(place: SnapshotPlace): Promise<Base | null> {
  const { files, names } = place;
  const current = await readSnapshot(files, names.snapshot);
  refuseNewer(place, names.snapshot, current);
  const headers = await headersOf(place);
  if (current.is === 'good')
    return (await furtherPrevious(place, current, headers)) ?? goodBase(current, [], true);

  const previous = await readSnapshot(files, names.previous);
  refuseNewer(place, names.previous, previous);
  if (current.is === 'missing' && previous.is === 'missing' && headers.size === 0) return null;
  if (current.is === 'foreign') {
    const hint =
      'Nothing was changed. Point server.database_path elsewhere, or move that file away; of Hora and Uptime Kuma, ' +
      '`statusd import hora FILE` and `statusd import kuma --history FILE` take over what it recorded.';
    throw unusable(names.snapshot, why(current), hint);
  }
  const findings: FileFinding[] = [];
  if (current.is !== 'missing') findings.push(broken(names.snapshot, current));
  else if (previous.is !== 'missing') findings.push(lost(names.snapshot));
  if (previous.is !== 'missing' && previous.is !== 'good') findings.push(broken(names.previous, previous));
  if (previous.is === 'good') return goodBase(previous, findings, false);
  const unsigned = (await soundUnsigned(current)) ?? (await soundUnsigned(previous));
  if (unsigned !== null) return { ...unsigned, isSnapshotGood: false, findings: findings.map(stillNeeded) };
  const first = headers.get(1);
  if (first !== undefined && first !== null) {
    return { pages: null, databaseId: first.database, log: 1, isSnapshotGood: false, findings };
  }
  const hint =
    'Put a backup in its place, or move it and its other files away to begin anew. Nothing was changed.';
  throw unusable(names.snapshot, why(current), hint);
}

type Headers = ReadonlyMap<number, Awaited<ReturnType<typeof readHeader>>>;

async function headersOf({ files, names }: SnapshotPlace): Promise<Headers> {
  const numbers = names.logNumbers(await files.list(names.directory));
  const headers = new Map<number, Awaited<ReturnType<typeof readHeader>>>();
  for (const number of numbers) headers.set(number, await readHeader(files, names.log(number)));
  return headers;
}

/**
 * The snapshot before the current one, when logs that the current one needs are missing and this one misses fewer:
 * so it is when a process that had lost the lock put an old snapshot in the place of a newer one.
 */
async function furtherPrevious(
  { files, names }: SnapshotPlace,
  current: Extract<SnapshotFile, { is: 'good' }>,
  headers: Headers,
): Promise<Base | null> {
  const { databaseId, log } = current.trailer;
  const ours = [...headers].filter(([, header]) => header?.database === databaseId).map(([number]) => number);
  const last = Math.max(log, ...ours);
  const missingFrom = (from: number) => last - from + 1 - ours.filter((number) => number >= from).length;
  if (ours.length === 0 || missingFrom(log) === 0) return null;
  const trailer = await readTrailer(files, names.previous).catch(() => null);
  if (trailer?.databaseId !== databaseId || missingFrom(trailer.log) >= missingFrom(log)) return null;
  const previous = await readSnapshot(files, names.previous);
  if (previous.is !== 'good') return null;
  const message = `${names.snapshot} is older than ${names.previous} and its logs are gone; the latter was used`;
  return goodBase(previous, [{ file: names.snapshot, message, keep: 'aside' }], false);
}

function goodBase(
  { pages, trailer }: Extract<SnapshotFile, { is: 'good' }>,
  findings: readonly FileFinding[],
  isSnapshotGood: boolean,
): Base {
  return { pages, databaseId: trailer.databaseId, log: trailer.log, isSnapshotGood, findings };
}

/** A database without a trailer is taken at its word when SQLite finds nothing wrong with it. */
async function soundUnsigned(file: SnapshotFile): Promise<Pick<Base, 'pages' | 'databaseId' | 'log'> | null> {
  if (file.is !== 'unsigned') return null;
  try {
    const sql = await openSql(Buffer.from(file.pages));
    try {
      if (sql.get('PRAGMA integrity_check', [], (row) => row.text('integrity_check')) !== 'ok') return null;
      return sql.get('SELECT database_id, log FROM store_place', [], (row) => ({
        pages: file.pages,
        databaseId: row.text('database_id'),
        log: row.number('log'),
      }));
    } finally {
      sql.close();
    }
  } catch {
    return null;
  }
}

function broken(file: string, found: SnapshotFile): FileFinding {
  return { file, message: `${file} is damaged: ${why(found)}`, keep: 'aside' };
}

/** What is read from a file that is to be set aside must stay until a new one is made of it. */
function stillNeeded(finding: FileFinding): FileFinding {
  return finding.keep === 'aside' ? { ...finding, keep: 'copy' } : finding;
}

function lost(file: string): FileFinding {
  return { file, message: `${file} is missing; it was rebuilt from the one before it`, keep: 'none' };
}

function why(found: SnapshotFile): string {
  switch (found.is) {
    case 'damaged':
      return found.why;
    case 'foreign':
      return 'it is a SQLite database of another program';
    case 'unsigned':
      return 'its checksum is missing';
    case 'missing':
      return 'it is missing, although its other files are there';
    case 'good':
      return 'it is whole';
  }
}

function refuseNewer({ schema }: SnapshotPlace, path: string, found: SnapshotFile): void {
  if ((found.is === 'good' || found.is === 'unsigned') && found.version > schema) {
    throw unusable(path, 'a newer version of statusd wrote it', 'Use that version, or a later one.');
  }
}

function unusable(path: string, reason: string, hint: string): StatusdError {
  return new StatusdError('store_unusable', `cannot use the database ${path}: ${reason}`, { hint });
}
