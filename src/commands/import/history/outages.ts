/** Stores the outages recorded by another program as incidents. */
import type { Operation } from '../../../db/store/operation.ts';
import { incidents } from '../../../db/tables/incidents.ts';
import { monitors } from '../../../db/tables/monitors.ts';
import type { Redact } from '../../../engine/config/redact.ts';
import { pastUid, type PastProgram } from '../../../engine/core/past-uid.ts';
import { cleanLine, cutText } from '../../../engine/core/text.ts';
import type { OpenedStore } from '../../open-store.ts';

export interface ImportedOutage {
  /** When its first check failed, as far as that is still on record. */
  readonly startedAt: number;
  /** When it was called down, which stays the same however often old checks are deleted. */
  readonly confirmedAt: number;
  readonly endedAt: number;
  /** The start of what was wrong, as it was said; may be empty. */
  readonly message: string;
  /** What an operator noted about it; empty or absent: nothing. */
  readonly note?: string;
  /** The monitor that it was because of; absent: none that the configuration has. */
  readonly cause?: string | null;
  /** The monitors that were down because of it. */
  readonly impacted?: readonly string[];
}

export interface ImportedOutages<Outage = ImportedOutage> {
  /** In the order they began. */
  readonly outages: readonly Outage[];
  /** How many are left out because they ended before `sinceAt`. */
  readonly tooOld: number;
  /** How many are left out because there are more than `maxOutages`. */
  readonly tooMany: number;
  /** Those that were going on when the other program looked last: nobody knows their end. */
  readonly unfinished: number;
}

/** A monitor that flaps for a year is a story of its own; the last of them show it well enough. */
export const maxOutages = 1000;

/** Leaves out what is too old or too much; `ended` is in the order they began. */
export function recentOutages<Outage extends Pick<ImportedOutage, 'endedAt'>>(
  ended: readonly Outage[],
  { sinceAt, unfinished }: { readonly sinceAt: number; readonly unfinished: number },
): ImportedOutages<Outage> {
  const recent = ended.filter(({ endedAt }) => endedAt >= sinceAt);
  const outages = recent.slice(-maxOutages);
  return {
    outages,
    tooOld: ended.length - recent.length,
    tooMany: recent.length - outages.length,
    unfinished,
  };
}

/** What became of the outages of one monitor: how many are on record now, and how many are not, and why. */
export interface KeptOutages {
  readonly kept: number;
  readonly leftOut: LeftOut;
}

export interface LeftOut {
  /** Brought in before. */
  readonly known: number;
  /** They ended when statusd was watching itself, and has its own. */
  readonly watched: number;
  readonly unfinished: number;
  readonly tooOld: number;
  readonly tooMany: number;
  /** The monitor is down now, and the record holds one at a time that is not over. */
  readonly waiting: number;
}

interface OutageOwner {
  readonly id: string;
  readonly name: string;
  readonly program: PastProgram;
  readonly past: ImportedOutages;
}

/** How many incidents one record of the log holds. */
const atOnce = 100;

const reasonLength = 500;

/**
 * Each is opened and closed in one transaction, so it is never seen open: what is sent, held back or pending follows
 * from open incidents alone. `owner` is in the store already, which knows since when it is watched here.
 */
export async function keepOutages(
  owner: OutageOwner,
  { store, redact, nowAt }: Pick<OpenedStore, 'store' | 'redact' | 'nowAt'>,
): Promise<KeptOutages> {
  const { id, past, program } = owner;
  const { tooOld, tooMany, unfinished } = past;
  const watchedSinceAt = monitors.find(store.sql, id)?.firstSeenAt ?? 0;
  const before = past.outages.filter(({ endedAt }) => endedAt <= watchedSinceAt);
  const fresh = before.filter(
    (outage) => incidents.find(store.sql, pastUid(program, id, outage.confirmedAt)) === null,
  );
  let kept = 0;
  for (let start = 0; start < fresh.length; start += atOnce) {
    const step = fresh.slice(start, start + atOnce);
    const groups = step.map((outage) => operationsOf(owner, outage, { redact, nowAt }));
    const answers = await store.write(groups.flat());
    // What could be closed had been opened: while another incident of the monitor is open, none is.
    let read = 0;
    for (const group of groups) {
      if (answers[read + 1] === true) kept++;
      read += group.length;
    }
  }
  return {
    kept,
    leftOut: {
      known: before.length - fresh.length,
      watched: past.outages.length - before.length,
      unfinished,
      tooOld,
      tooMany,
      waiting: fresh.length - kept,
    },
  };
}

interface Keeping {
  readonly redact: Redact;
  readonly nowAt: number;
}

/** Opens it, closes it, then notes what there is to note. */
function operationsOf(
  { id, name, program }: OutageOwner,
  outage: ImportedOutage,
  { redact, nowAt }: Keeping,
): Operation[] {
  const { startedAt, confirmedAt, endedAt, message, cause = null, impacted = [] } = outage;
  const uid = pastUid(program, id, confirmedAt);
  const line = (text: string) => cutText(cleanLine(redact(text)).trim(), reasonLength);
  const reason = line(message);
  const note = line(outage.note ?? '');
  return [
    incidents.open({
      uid,
      monitor: id,
      name,
      startedAt,
      confirmedAt,
      category: null,
      reason: reason === '' ? null : reason,
      cause,
      impacted,
      snapshot: null,
      vantage: null,
    }),
    incidents.close({ uid, endedAt }),
    ...(note === '' ? [] : [incidents.annotate({ uid, note, at: nowAt })]),
  ];
}
