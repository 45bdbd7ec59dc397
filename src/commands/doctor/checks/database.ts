/** Looks at the database: whether it can be read and written, and who uses it. */
import { access, constants, statfs } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { nodeFiles } from '../../../db/store/files/node.ts';
import { namesOf } from '../../../db/store/files/names.ts';
import { schema } from '../../../db/tables/schema/schema.ts';
import { openStore } from '../../../db/store/open-store.ts';
import { instantText } from '../../../engine/core/instant.ts';
import { type Examined, fail, type DoctorFinding, type DoctorCheck, ok, warn } from '../finding.ts';
import { holderOf } from '../../daemon-of-database.ts';

/** A year of samples takes a few seconds to read. */
export const databaseLook: DoctorCheck = { name: 'database', patienceMs: 60_000, run: lookAtDatabase };

/** A checkpoint writes the whole database anew beside the old one. */
const scarceBytes = 100 * 1024 * 1024;

async function lookAtDatabase(examined: Examined): Promise<readonly DoctorFinding[]> {
  const file = examined.config.server.database_path;
  const path = await nodeFiles.resolve(file);
  const folder = dirname(path);
  const fault = await folderFault(folder);
  if (fault !== null) return [fault];
  const entries = await nodeFiles.list(folder);
  const isThere = entries.includes(basename(path)) || namesOf(path).logNumbers(entries).length > 0;
  const room = await roomFinding(folder);
  const aside = asideFindings(path, entries);
  if (!isThere)
    return [ok(`there is none at ${file} yet: the daemon makes it at its first start`), ...aside, ...room];
  return [...(await openFindings(path, examined)), ...aside, ...room];
}

/** A file stays in quarantine until it was looked at. */
function asideFindings(path: string, entries: readonly string[]): readonly DoctorFinding[] {
  return namesOf(path)
    .asides(entries)
    .map((file) =>
      warn(
        `${file} is damaged and was set aside: changes in it may be missing from the database`,
        'Restore a backup if something is missing; then move that file away, or delete it.',
      ),
    );
}

async function folderFault(folder: string): Promise<DoctorFinding | null> {
  try {
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    const { code = 'it failed' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT')
      return fail(`the folder ${folder} does not exist`, 'Make it, or correct server.database_path.');
    if (code === 'EROFS')
      return fail(`the folder ${folder} cannot be written: it is read-only`, 'Mount it so that it can.');
    return fail(
      `the folder ${folder} cannot be written by this user (${code})`,
      'Run this as the user of the daemon, give that user the folder, or correct server.database_path.',
    );
  }
}

async function openFindings(path: string, { ctx }: Examined): Promise<readonly DoctorFinding[]> {
  const store = await openStore({ role: 'reader', file: path, schema, files: nodeFiles, clock: ctx.clock });
  const warnings = store.warnings();
  await store.close();
  const holder = await holderOf(path);
  const user =
    holder === null
      ? 'no daemon uses it'
      : `in use by the daemon with pid ${holder.pid} since ${instantText(holder.sinceAt)}`;
  const elsewhere = holder?.isElsewhere === true ? ' in another container or on another host' : '';
  return [
    ok(`${path} opens, ${user}${elsewhere}`),
    ...warnings.map(({ message }) =>
      warn(message, 'The daemon repairs what it can at its start, and sets the rest aside.'),
    ),
  ];
}

async function roomFinding(folder: string): Promise<readonly DoctorFinding[]> {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  if (free >= scarceBytes) return [];
  const message = `the disk of ${folder} has ${Math.floor(free / 1024 / 1024)} MiB left`;
  const cure = 'Make room, or keep less: alerts.default_retention_days.';
  return [free === 0 ? fail(message, cure) : warn(message, cure)];
}
