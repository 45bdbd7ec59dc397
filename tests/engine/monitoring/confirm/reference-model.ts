/**
 * What confirming should do, told a second time: nothing is counted on the way, every question is answered by
 * reading the whole history backwards.
 */
import type { CheckPolicy, ConfirmSample } from '../../../../src/engine/core/sample.ts';
import type { Transition } from '../../../../src/engine/monitoring/confirm/transition.ts';
import type { Status } from '../../../../src/engine/core/status.ts';

interface Outage {
  readonly startedAt: number;
  readonly confirmedAt: number;
}

interface Entry {
  readonly saw: 'well' | 'slow' | 'bad' | 'gone' | 'overdue' | 'nothing';
  /** Why nothing was seen, when that is to be reported. */
  readonly fault: string | null;
  /** Whether it came so long after the last one with a fault that those before do not count. */
  readonly isAfterFaultGap: boolean;
  readonly at: number;
  /** Whether it came so long after the one before that nothing earlier counts. */
  readonly isAfterGap: boolean;
  /** Whether it left the monitor down. */
  isDown: boolean;
  /** Whether trouble began or ended with it. */
  isTurn: boolean;
}

export interface Model {
  readonly status: () => Status;
  readonly open: () => Outage | null;
  readonly step: (sample: ConfirmSample, policy: CheckPolicy) => Transition[];
  /** As after a crash that left only the incident record. */
  readonly forget: () => void;
}

export function modelOf(): Model {
  let history: Entry[] = [];
  let status: Status = 'unknown';
  let down: (Outage & { readonly isFound: boolean }) | null = null;
  let dull: Outage | null = null;
  let blind: Outage | null = null;

  /** Entries that `counts` accepts, back to the first it refuses; those it passes over are null. */
  const tail = (counts: (entry: Entry) => boolean | null, stopsAtTurn = false): Entry[] => {
    const found: Entry[] = [];
    for (const entry of history.toReversed()) {
      if (stopsAtTurn && entry.isTurn) break;
      const answer = counts(entry);
      if (answer === false) break;
      if (answer === true) found.push(entry);
      if (entry.isAfterGap) break;
    }
    return found;
  };
  const silent = (entry: Entry) => (entry.saw === 'nothing' ? null : false);
  const passedOver = (entry: Entry) => (entry.saw === 'overdue' ? null : silent(entry));

  const step = (sample: ConfirmSample, policy: CheckPolicy): Transition[] => {
    const saw = whatIsSeen(sample, policy);
    const last = history.findLast((entry) => entry.saw !== 'nothing');
    const lastAt = last === undefined ? null : (arrivals.get(last) ?? null);
    const isAfterGap =
      saw !== 'nothing' &&
      lastAt !== null &&
      policy.forgetAfterMs !== null &&
      sample.at - lastAt > policy.forgetAfterMs;
    const at = sample.kind === 'missed' ? Math.min(sample.at, sample.dueAt) : sample.at;
    const fault = sample.kind === 'check' && saw === 'nothing' ? (sample.ownFault ?? null) : null;
    const lastFault = history.findLast((each) => each.fault !== null);
    const isAfterFaultGap =
      lastFault !== undefined &&
      policy.forgetAfterMs !== null &&
      sample.at - (arrivals.get(lastFault) ?? 0) > policy.forgetAfterMs;
    const entry: Entry = { saw, fault, isAfterFaultGap, at, isAfterGap, isDown: false, isTurn: false };
    arrivals.set(entry, sample.at);
    history.push(entry);
    const notified: Transition[] = [];
    if (blind !== null && saw !== 'nothing') {
      const endedAt = Math.max(blind.confirmedAt, sample.at);
      notified.push({
        kind: 'unknown_ended',
        startedAt: blind.startedAt,
        confirmedAt: blind.confirmedAt,
        endedAt,
      });
      blind = null;
    }
    if (fault !== null && blind === null && down === null) {
      const faults: Entry[] = [];
      for (const each of history.toReversed()) {
        if (each.saw !== 'nothing') break;
        if (each.fault === null) continue;
        faults.push(each);
        if (each.isAfterFaultGap) break;
      }
      if (faults.length >= policy.failThreshold) {
        const startedAt = faults.at(-1)?.at ?? at;
        blind = { startedAt, confirmedAt: Math.max(startedAt, sample.at) };
        notified.push({ kind: 'unknown_confirmed', ...blind, ownFault: fault });
      }
    }

    const bad = tail((each) =>
      each.saw === 'bad' || each.saw === 'gone' ? true : each.saw === 'overdue' ? null : silent(each),
    );
    const dulls = tail((each) => {
      if (each.saw === 'slow') return true;
      if (each.saw === 'overdue') return null;
      if (each.saw === 'bad') return each.isDown ? false : null;
      return silent(each);
    });
    const isBad = saw === 'bad' && bad.length >= policy.failThreshold;
    if (down === null && (isBad || saw === 'gone')) {
      if (dull !== null) {
        const endedAt = Math.max(dull.confirmedAt, sample.at);
        notified.push({ kind: 'degraded_ended', startedAt: dull.startedAt, endedAt, by: 'outage' });
        dull = null;
      }
      const startedAt = bad.at(-1)?.at ?? at;
      const outage = { startedAt, confirmedAt: Math.max(startedAt, sample.at) };
      notified.push({ kind: 'incident_opened', ...outage });
      down = { ...outage, isFound: false };
      entry.isTurn = true;
    } else if (down !== null && (saw === 'well' || saw === 'slow')) {
      const answers = tail(
        (each) => (each.saw === 'well' || each.saw === 'slow' ? true : passedOver(each)),
        true,
      );
      if (answers.length >= (down.isFound ? 1 : policy.recoverThreshold)) {
        const { startedAt, confirmedAt } = down;
        notified.push({
          kind: 'incident_closed',
          startedAt,
          confirmedAt,
          endedAt: Math.max(confirmedAt, sample.at),
        });
        down = null;
        entry.isTurn = true;
      }
    } else if (dull !== null && saw === 'well') {
      const answers = tail((each) => (each.saw === 'well' ? true : passedOver(each)), true);
      if (answers.length >= policy.recoverThreshold) {
        const endedAt = Math.max(dull.confirmedAt, sample.at);
        notified.push({ kind: 'degraded_ended', startedAt: dull.startedAt, endedAt, by: 'recovery' });
        dull = null;
      }
    }
    if (down === null && dull === null && saw === 'slow' && dulls.length >= policy.failThreshold) {
      const startedAt = dulls.at(-1)?.at ?? at;
      dull = { startedAt, confirmedAt: Math.max(startedAt, sample.at) };
      notified.push({ kind: 'degraded_confirmed', ...dull });
      entry.isTurn = true;
    }
    entry.isDown = down !== null;

    const before = status;
    if (down !== null) status = 'down';
    else if (saw === 'nothing') {
      let blanks = 0;
      for (const each of history.toReversed()) {
        if (each.saw !== 'nothing') break;
        blanks++;
      }
      if (blanks >= policy.failThreshold) status = 'unknown';
    } else status = saw === 'well' && dull === null ? 'up' : 'degraded';
    if (status !== before) notified.push({ kind: 'status_changed', from: before, to: status, at: sample.at });
    return notified;
  };

  const arrivals = new WeakMap<Entry, number>();
  return {
    status: () => status,
    open: () => (down === null ? null : { startedAt: down.startedAt, confirmedAt: down.confirmedAt }),
    step,
    forget: () => {
      history = [];
      dull = null;
      if (down !== null) down = { ...down, isFound: true };
      status = down === null ? 'unknown' : 'down';
    },
  };
}

function whatIsSeen(sample: ConfirmSample, { degradedOverMs }: CheckPolicy): Entry['saw'] {
  if (sample.kind === 'late') return 'overdue';
  if (sample.kind === 'missed') return 'gone';
  if (sample.outcome === 'unknown') return 'nothing';
  if (sample.outcome === 'failed') return 'bad';
  if (sample.outcome === 'degraded') return 'slow';
  return (sample.latencyMs ?? 0) > (degradedOverMs ?? Infinity) ? 'slow' : 'well';
}
