/** Puts the outages that Uptime Kuma recorded on the incident record, as incidents that are over. */
import type { Operation } from '../../../db/store/operation.ts';
import { incidents } from '../../../db/tables/incidents.ts';
import { monitors } from '../../../db/tables/monitors.ts';
import type { Redact } from '../../../engine/config/redact.ts';
import { kumaUid } from '../../../engine/core/past-uid.ts';
import { cleanLine, cutText } from '../../../engine/core/text.ts';
import type { OpenedStore } from '../../open-store.ts';
import type { KumaOutage, PastOutages } from './outages.ts';

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

export interface OutageOwner {
  readonly id: string;
  readonly name: string;
  readonly past: PastOutages;
}

/** How many incidents one record of the log holds. */
const atOnce = 100;

const reasonLength = 500;

/**
 * Each is opened and closed in one transaction, so nobody ever sees it open: what is told, held back or owed follows
 * from open incidents alone. `owner` is in the store already, which knows since when it is watched here.
 */
export async function keepOutages(
  owner: OutageOwner,
  { store, redact }: Pick<OpenedStore, 'store' | 'redact'>,
): Promise<KeptOutages> {
  const { id, past } = owner;
  const { tooOld, tooMany, unfinished } = past;
  const watchedSinceAt = monitors.find(store.sql, id)?.firstSeenAt ?? 0;
  const before = past.outages.filter(({ endedAt }) => endedAt <= watchedSinceAt);
  const fresh = before.filter(
    (outage) => incidents.find(store.sql, kumaUid(id, outage.confirmedAt)) === null,
  );
  let kept = 0;
  for (let start = 0; start < fresh.length; start += atOnce) {
    const step = fresh.slice(start, start + atOnce);
    const answers = await store.write(step.flatMap((outage) => operationsOf(owner, outage, redact)));
    // What could be closed had been opened: while another incident of the monitor is open, none is.
    kept += answers.filter((answer) => answer === true).length;
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

function operationsOf({ id, name }: OutageOwner, outage: KumaOutage, redact: Redact): Operation[] {
  const { startedAt, confirmedAt, endedAt, message } = outage;
  const uid = kumaUid(id, confirmedAt);
  const reason = cutText(cleanLine(redact(message)).trim(), reasonLength);
  return [
    incidents.open({
      uid,
      monitor: id,
      name,
      startedAt,
      confirmedAt,
      category: null,
      reason: reason === '' ? null : reason,
      cause: null,
      impacted: [],
      snapshot: null,
      vantage: null,
    }),
    incidents.close({ uid, endedAt }),
  ];
}
