/** The state of confirmation of a monitor between two samples. */
import {
  aCount,
  aFlag,
  aNumber,
  aText,
  document,
  oneOf,
  orAbsent,
  orNull,
  readAs,
  shape,
} from '../../core/decode.ts';
import { categories, type Category } from '../../core/probe.ts';
import { statuses, type Status } from '../../core/status.ts';

/** Checks in a row that saw the same, counted from the instant (epoch ms) of the first. */
export interface Streak {
  readonly count: number;
  readonly sinceAt: number;
}

/** An outage that was confirmed: when it began (its first failure), when it was confirmed. Epoch ms. */
export interface OpenIncident {
  readonly startedAt: number;
  readonly confirmedAt: number;
}

/** Checks in a row that a fault of this host prevented. */
interface BlockedStreak extends Streak {
  /** Of the latest one: when it was, and what prevented it (ownFaultKey). */
  readonly latestAt: number;
  readonly ownFault: string;
}

/** A time in which a monitor cannot be checked, confirmed; `ownFault` is its cause (ownFaultKey). */
export interface OpenUnknown extends OpenIncident {
  readonly ownFault: string;
}

/** An open incident as the state holds it. */
interface HeldIncident extends OpenIncident {
  /** Whether it was taken from the record without the streaks that led to it: see resume. */
  readonly isReattached: boolean;
}

/** Why a check failed, as far as reasons are compared: numbers in the words are masked. */
export interface Said {
  readonly category: Category | null;
  readonly words: string;
}

/** Why the checks of an outage fail. */
export interface SaidOfOutage {
  /** As the record of the incident has it. */
  readonly latest: Said;
  /** What the last failing check said instead, since an instant (epoch ms); null: it said the same. */
  readonly next: (Said & { readonly sinceAt: number }) | null;
}

/**
 * Plain JSON, so that it can be stored with every sample. `status` is the one shown; it is `down` exactly while
 * there is an incident. An incident and a confirmed degradation never stand side by side.
 */
export interface MonitorState {
  readonly version: 1;
  readonly status: Status;
  /** Failed checks in a row; null when the last answer ended them. */
  readonly failures: Streak | null;
  /** Answers in a row that lead out of the incident or the degradation; 0 when there is neither. */
  readonly recoveries: number;
  /** Degraded answers without a healthy one between them. */
  readonly slow: Streak | null;
  /** Unknown samples in a row. */
  readonly unknowns: Streak | null;
  /** Those of them whose cause is to be reported when it lasts. */
  readonly blocked: BlockedStreak | null;
  /** It cannot be checked, and an incident of kind unknown says so. Never beside an outage. */
  readonly unchecked: OpenUnknown | null;
  readonly incident: HeldIncident | null;
  /** Why the checks of the incident fail; null: there is no incident, or that is not known. */
  readonly said: SaidOfOutage | null;
  /** Degraded for as many checks as confirm one down: what alert_on_degraded notifies of. */
  readonly degradation: OpenIncident | null;
  /** The instant of the last sample that said something about the target; null before the first. */
  readonly knownAt: number | null;
}

/** The state of a monitor nothing is known of. */
export const freshState: MonitorState = {
  version: 1,
  status: 'unknown',
  failures: null,
  recoveries: 0,
  slow: null,
  unknowns: null,
  blocked: null,
  unchecked: null,
  incident: null,
  said: null,
  degradation: null,
  knownAt: null,
};

const aStreak = {
  count: shape('a number of checks', (value): value is number => aCount(value) && value > 0),
  sinceAt: aNumber,
};
const anOutage = { startedAt: aNumber, confirmedAt: aNumber };
const words = { category: orNull(oneOf(categories)), words: aText };
const aState = document({
  version: shape('1', (value): value is 1 => value === 1),
  status: oneOf(statuses),
  failures: orNull(document(aStreak)),
  recoveries: aCount,
  slow: orNull(document(aStreak)),
  unknowns: orNull(document(aStreak)),
  // A document of a version before these has none of them.
  blocked: orAbsent(orNull(document({ ...aStreak, latestAt: aNumber, ownFault: aText }))),
  unchecked: orAbsent(orNull(document({ ...anOutage, ownFault: aText }))),
  incident: orNull(document({ ...anOutage, isReattached: aFlag })),
  said: orAbsent(
    orNull(document({ latest: document(words), next: orNull(document({ ...words, sinceAt: aNumber })) })),
  ),
  degradation: orNull(document(anOutage)),
  knownAt: orNull(aNumber),
});

/**
 * The state in a stored document, or null when it is none of this version or contradicts itself: then begin
 * with `freshState` and `resume` the incident that the record has open.
 */
export function readState(stored: unknown): MonitorState | null {
  const state = readAs(stored, aState);
  if (state === null) return null;
  const { status, failures, recoveries, slow, unknowns, incident, degradation, knownAt } = state;
  const { blocked = null, unchecked = null, said = null } = state;
  if ((incident !== null) !== (status === 'down')) return null;
  if (incident !== null && (degradation !== null || unchecked !== null)) return null;
  return {
    version: 1,
    status,
    failures,
    recoveries,
    slow,
    unknowns,
    blocked,
    unchecked,
    incident,
    said,
    degradation,
    knownAt,
  };
}
