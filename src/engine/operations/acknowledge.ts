/** Acknowledging an incident: someone is working on it. It comes by a command, over HTTP, or by the link of a message. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Operation } from '../../db/store/operation.ts';
import type { SqlReader } from '../../db/store/sql.ts';
import { decisions } from '../../db/tables/decisions.ts';
import { type IncidentRow, incidents } from '../../db/tables/incidents.ts';
import { meta } from '../../db/tables/meta.ts';
import { outbox } from '../../db/tables/outbox.ts';
import type { RecordedIncidentRow } from '../../db/tables/recorded-incidents.ts';
import { StatusdError } from '../core/errors.ts';
import { instantText } from '../core/instant.ts';
import { ackWithdrawn, type Acknowledgement } from '../core/record.ts';
import { boundedText, cleanLine } from '../core/text.ts';
import { limits } from './limits.ts';
import type { NumberedWrite } from '../../db/tables/numbered.ts';

interface AcknowledgeGround extends Pick<NumberedWrite, 'write'> {
  readonly redact: (text: string) => string;
  readonly nowAt: number;
  /** The open incident that another one is folded into; null: none. */
  readonly rootOf: (incident: RecordedIncidentRow) => IncidentRow | null;
}

export interface AcknowledgeRequest {
  /** Empty: not known. */
  readonly by: string;
  /** Empty: none. */
  readonly reason: string;
}

/** An incident that was asked for, or the root of one. */
interface Concerned {
  readonly incident: IncidentRow;
  /** Those asked for that are folded into this one, where it was not asked for itself; none: it was. */
  readonly dependents: readonly IncidentRow[];
}

export interface Acknowledged extends Concerned {
  readonly acknowledgement: Acknowledgement;
  /** Another one was there before, and stays. */
  readonly isRepeat: boolean;
}

/**
 * Acknowledges incidents, and with each that is folded into another one that other one, whose reminders it is that ring.
 * Resolves once it is durable, the roots first. Who comes second finds the first acknowledgement. Throws `conflict`, and
 * changes nothing, for what is over and for what was opened by hand: nothing reminds of those.
 */
export async function acknowledge(
  asked: readonly RecordedIncidentRow[],
  { by, reason }: AcknowledgeRequest,
  { write, redact, nowAt, rootOf }: AcknowledgeGround,
): Promise<readonly Acknowledged[]> {
  const acknowledgement = {
    at: nowAt,
    by: textOrNull(boundedText(redact(by), limits.title, ' ')),
    reason: textOrNull(boundedText(redact(reason), limits.reason, ' ')),
  };
  const all = withRoots(asked, rootOf).map((one): Acknowledged => {
    const { acknowledged } = one.incident;
    return { ...one, acknowledgement: acknowledged ?? acknowledgement, isRepeat: acknowledged !== null };
  });
  await writeAll(
    all.flatMap(({ incident: { uid }, isRepeat }) =>
      isRepeat ? [] : [incidents.acknowledge({ uid, ...acknowledgement })],
    ),
    write,
  );
  return all;
}

/** What became of one whose acknowledgement was to be withdrawn. */
export interface AckWithdrawal extends Concerned {
  /** It was acknowledged. */
  readonly isCleared: boolean;
}

/**
 * Takes acknowledgements back, of roots as `acknowledge` gives them: without, nothing would ring again. The timelines say
 * so, and what the acknowledgement was. Throws `conflict` as `acknowledge` does.
 */
export async function unacknowledge(
  asked: readonly RecordedIncidentRow[],
  by: AcknowledgeRequest['by'],
  { write, redact, nowAt, rootOf }: AcknowledgeGround,
): Promise<readonly AckWithdrawal[]> {
  const who = boundedText(redact(by), limits.title, ' ');
  const all = withRoots(asked, rootOf);
  await writeAll(
    all.flatMap(({ incident: { uid, monitor, ownFault, acknowledged } }) => {
      if (acknowledged === null) return [];
      const withdrawn = decisions.log({
        at: nowAt,
        monitor,
        incident: uid,
        channel: null,
        event: ownFault === null ? 'down' : 'unknown',
        verdict: 'queued',
        reason: ackWithdrawn,
        detail: withdrawnText(who, acknowledged),
      });
      return [incidents.unacknowledge({ uid }), withdrawn];
    }),
    write,
  );
  return all.map((one) => ({ ...one, isCleared: one.incident.acknowledged !== null }));
}

/** Each once, the roots first. Throws `conflict` for one that nothing reminds of. */
function withRoots(
  asked: readonly RecordedIncidentRow[],
  rootOf: AcknowledgeGround['rootOf'],
): readonly Concerned[] {
  const named = new Map(asked.map((incident) => [incident.uid, open(incident)]));
  const below = new Map<string, { readonly root: IncidentRow; readonly dependents: IncidentRow[] }>();
  for (const incident of named.values()) {
    const root = rootOf(incident);
    if (root === null) continue;
    const known = below.get(root.uid) ?? { root, dependents: [] };
    below.set(root.uid, known);
    known.dependents.push(incident);
  }
  const roots = [...below.values()].map(({ root, dependents }) => {
    return { incident: root, dependents: named.has(root.uid) ? [] : dependents };
  });
  const others = [...named.values()].filter(({ uid }) => !below.has(uid));
  return [...roots, ...others.map((incident) => ({ incident, dependents: [] }))];
}

/** Operations in one transaction: with many monitors thousands may be open, and a record has a bound. */
const atOnce = 500;

async function writeAll(operations: readonly Operation[], write: AcknowledgeGround['write']): Promise<void> {
  for (let from = 0; from < operations.length; from += atOnce)
    await write(operations.slice(from, from + atOnce));
}

/** `Acknowledgement withdrawn (bob). It was acknowledged (ann) at … UTC: restarting it.` */
function withdrawnText(who: string, { by, at, reason }: Acknowledgement): string {
  const named = (name: string) => (name.trim() === '' ? '' : ` (${name})`);
  const why = reason === null ? '' : `: ${reason}`;
  const was = `It was acknowledged${named(by ?? '')} at ${instantText(at)}${why}`;
  return `Acknowledgement withdrawn${named(who)}. ${was.replace(/[.\s]*$/, '.')}`;
}

function open(incident: RecordedIncidentRow): IncidentRow {
  const { id, endedAt } = incident;
  if (incident.monitor === null) {
    throw new StatusdError('conflict', `incident ${id} was opened by hand: it has no reminders`, {
      hint: `\`statusd incidents update ${id} <message>\` records who takes care of it.`,
    });
  }
  if (endedAt !== null) {
    throw new StatusdError('conflict', `incident ${id} has been over since ${instantText(endedAt)}`, {
      hint: `${cleanLine(incident.monitor)} recovered: there is nothing to acknowledge.`,
    });
  }
  return incident;
}

function textOrNull(text: string): string | null {
  return text.trim() === '' ? null : text;
}

/** How long the link of a message works. */
export const linkLastsMs = 86_400_000;

/** What makes the key of the links, where the database has none; none: it has. It stays, so that links survive a restart. */
export function linkKeyOperations(sql: SqlReader): readonly Operation[] {
  return meta.linkKey(sql) === null ? [meta.setLinkKey(randomBytes(32).toString('base64url'))] : [];
}

/**
 * The secret part of the link in a message: the delivery it was made for, which stands for one incident and one channel,
 * until when it works, and a signature of both.
 */
export function ackTokenOf(key: string, deliveryId: string, nowAt: number): string {
  const untilSecs = Math.floor((nowAt + linkLastsMs) / 1000).toString(36);
  return `${deliveryId}~${untilSecs}~${signatureOf(key, deliveryId, untilSecs)}`;
}

const form = /^([A-Za-z0-9_.:-]{1,200})~([0-9a-z]{1,9})~([A-Za-z0-9_-]{43})$/;

export interface LinkedIncident {
  readonly incident: IncidentRow;
  /** The channel that the message went to, under its name of today. */
  readonly channel: string;
}

/** What a link is for; null: it was guessed, altered, is of another database, or too old. */
export function incidentOfLink(sql: SqlReader, token: string, nowAt: number): LinkedIncident | null {
  const [, deliveryId = '', untilSecs = '', signature = ''] = form.exec(token) ?? [];
  const key = meta.linkKey(sql);
  const right = Buffer.from(signatureOf(key ?? '', deliveryId, untilSecs));
  const given = Buffer.from(signature.padEnd(right.length, '.'));
  const untilAt = Number.parseInt(untilSecs, 36) * 1000;
  if (!timingSafeEqual(right, given) || key === null || !(untilAt > nowAt)) return null;
  const row = outbox.find(sql, deliveryId);
  const uid = row?.incident ?? null;
  const incident = uid === null ? null : incidents.find(sql, uid);
  return row === null || incident === null ? null : { incident, channel: row.channel };
}

function signatureOf(key: string, deliveryId: string, untilSecs: string): string {
  return createHmac('sha256', key).update(`acknowledge ${deliveryId} ${untilSecs}`).digest('base64url');
}
