/** Checks the database: whether it can be read and written, and which daemon uses it. */
import { access, constants, statfs } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { nodeFiles } from '../../../db/store/files/node.ts';
import { namesOf } from '../../../db/store/files/names.ts';
import { schema } from '../../../db/tables/schema/schema.ts';
import { readOnlyHint } from '../../../db/shared/faults.ts';
import type { SeenNode } from '../../../db/shared/survey.ts';
import type { ProbeContext } from '../../../engine/probes/probe-context.ts';
import { askHealth, readHealth, readUrl } from '../../healthcheck/health.ts';
import { openStore } from '../../../db/store/open-store.ts';
import { optimiseSqliteLate } from '../../../db/store/sql.ts';
import { instantText } from '../../../engine/core/instant.ts';
import { type Examined, fail, type DoctorFinding, type DoctorCheck, ok, warn } from '../finding.ts';
import { openConfigured } from '../../open-store.ts';
import { lossFindings } from './losses.ts';
import { holderOf } from '../../daemon-of-database.ts';
import { listedNodes, nodeIdOf } from '../../nodes/perform.ts';
import type { StorageSettings } from '../../../engine/config/config.ts';
import { secondsText } from '../../../engine/core/duration.ts';
import { StatusdError } from '../../../engine/core/errors.ts';
import { counted } from '../../../engine/core/words.ts';

/** A year of samples takes a few seconds to read. */
export const databaseCheck: DoctorCheck = { name: 'database', patienceMs: 60_000, run: lookAtDatabase };

/** A checkpoint writes the whole database anew beside the old one. */
const scarceBytes = 100 * 1024 * 1024;

async function lookAtDatabase(examined: Examined): Promise<readonly DoctorFinding[]> {
  if (examined.config.storage !== null) return lookAtShared(examined.config.storage, examined);
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
    return [ok(`${file} does not exist yet: the daemon creates it at its first start`), ...aside, ...room];
  return [...(await openFindings(path, examined)), ...aside, ...room];
}

/** Answers beyond it make every alert late. */
const slowMs = 500;

/** Leases are measured without clocks, but other software on this host may count on them. */
const toleratedMs = 2000;

async function lookAtShared(storage: StorageSettings, examined: Examined): Promise<readonly DoctorFinding[]> {
  const { config, ctx } = examined;
  const { surveyShared } = await import('../../shared-database.ts');
  const found = await surveyShared(storage, ctx.clock).catch((error: unknown) => {
    if (error instanceof StatusdError) return error;
    throw error;
  });
  if (found instanceof StatusdError) return [fail(found.message, found.hint ?? '')];
  const { leader, tookMs, aheadMs, historyBytes, isReadOnly } = found;
  const nodes = listedNodes(found, storage.lease_secs * 1000).filter(({ role }) => role !== 'gone');
  const took = `answers in ${tookMs.toFixed(1)} ms`;
  const different = nodes.filter(({ isConfigSame }) => isConfigSame === false).map(({ id }) => id);
  const versions = new Set(nodes.map((node) => node.version));
  const unreachable = nodes.length > 1 ? nodes.filter(({ url }) => isLoopback(url)) : [];
  return [
    tookMs > slowMs
      ? warn(`the database of [storage] ${took}`, 'Every change waits for it: move it closer to the nodes.')
      : ok(`the database of [storage] ${took}`),
    ...(await unwrittenFindings(found.nodes, ctx)),
    ...(await sharedLosses(examined)),
    ...(isReadOnly ? [fail('the database of [storage] accepts no writes', readOnlyHint)] : []),
    leader === null
      ? warn('no node leads', 'Start `statusd serve`.')
      : ok(`${leader} leads, ${counted(nodes.length, 'node')} in all`),
    historyBytes === null
      ? warn(
          'the database of [storage] has no table history: samples stay in the memory of all nodes',
          'Start a node of this version as a user who may create tables there.',
        )
      : ok(`the table history takes ${megabytes(historyBytes)} MB`),
    ...(Math.abs(aheadMs) <= toleratedMs
      ? []
      : [
          warn(
            `the clock of this host is ${secondsText(Math.abs(aheadMs))} ${aheadMs > 0 ? 'ahead of' : 'behind'} that of the database`,
            'Nodes count by the clock of the database; set both by NTP.',
          ),
        ]),
    ...(different.length === 0
      ? []
      : [
          warn(
            `${different.join(', ')} ${different.length === 1 ? 'has' : 'have'} another configuration than ${leader ?? ''}`,
            'Give all nodes the same one: another node would watch and notify differently.',
          ),
        ]),
    ...(versions.size < 2
      ? []
      : [warn(`the nodes are of versions ${[...versions].join(', ')}`, 'Upgrade all nodes to the newest.')]),
    ...(unreachable.length === 0
      ? []
      : [
          warn(
            `${unreachable.map(({ id }) => id).join(', ')} announced an address that leads other nodes to themselves`,
            'Set node.url, unless all nodes run on one machine.',
          ),
        ]),
    ...(nodes.some(({ id }) => id === nodeIdOf(config)) || nodes.length === 0
      ? []
      : [ok(`this host, ${nodeIdOf(config)}, is not among them`)]),
  ];
}

/** None where nothing was written yet, or the database cannot be read now, which another finding says. */
async function sharedLosses(examined: Examined): Promise<readonly DoctorFinding[]> {
  const { config, ctx } = examined;
  const store = await openConfigured(config, 'reader', ctx.clock).catch(() => null);
  return store === null ? [] : lossFindings(store, examined);
}

function megabytes(bytes: number): string {
  return (Math.ceil(bytes / 100_000) / 10).toFixed(1);
}

function isLoopback(url: string): boolean {
  return /^https?:\/\/(?:127\.|localhost\b|\[::1\])/.test(url);
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
      return fail(`the folder ${folder} does not exist`, 'Create it, or correct server.database_path.');
    if (code === 'EROFS')
      return fail(`the folder ${folder} cannot be written: it is read-only`, 'Mount it read-write.');
    return fail(
      `the folder ${folder} cannot be written by this user (${code})`,
      'Run this as the user of the daemon, give that user the folder, or correct server.database_path.',
    );
  }
}

async function openFindings(path: string, examined: Examined): Promise<readonly DoctorFinding[]> {
  const { ctx } = examined;
  optimiseSqliteLate();
  const store = await openStore({ role: 'reader', file: path, schema, files: nodeFiles, clock: ctx.clock });
  const warnings = store.warnings();
  const lost = await lossFindings(store, examined);
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
    ...lost,
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

/** How long a node may take to report its health. */
const answerMs = 5000;

/** How many nodes are asked: those that were seen last. */
const mostAsked = 50;

/**
 * Which nodes cannot write the database: a full disk of its server still takes reads. A node that is not reached is reported
 * by the check of nodes.
 */
async function unwrittenFindings(
  nodes: readonly SeenNode[],
  { trust }: Pick<ProbeContext, 'trust'>,
): Promise<readonly DoctorFinding[]> {
  const asked = nodes.toSorted((a, b) => a.ageMs - b.ageMs).slice(0, mostAsked);
  const findings = await Promise.all(asked.map((node) => unwrittenFinding(node, trust)));
  return findings.flatMap((finding) => finding ?? []);
}

async function unwrittenFinding(
  { id, url: address }: SeenNode,
  trust: ProbeContext['trust'],
): Promise<DoctorFinding | null> {
  try {
    const url = readUrl(address);
    const { body } = readHealth(await askHealth(url, answerMs, trust), url);
    if (body['db_ok'] !== false) return null;
    return fail(
      `${id} cannot write to the database of [storage]`,
      `Its log says why: a full disk of the server, a right that is missing, or no way to it from ${id}.`,
    );
  } catch {
    return null;
  }
}
