/** What confirming remembers of a monitor from one sample to the next. */
import { statuses, type Status } from '../../core/status.ts';

/** Checks in a row that saw the same, counted from the instant (epoch ms) of the first. */
export interface Streak {
  readonly count: number;
  readonly sinceAt: number;
}

/** An outage that was confirmed: when it began (its first failure), when it was believed. Epoch ms. */
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
  /** Those of them whose cause is to be reported: a standstill of this host is none. */
  readonly blocked: BlockedStreak | null;
  /** It cannot be checked, and an incident of kind unknown says so. Never beside an outage. */
  readonly unchecked: OpenUnknown | null;
  readonly incident: HeldIncident | null;
  /** Degraded for as many checks as confirm one down: what alert_on_degraded tells. */
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
  degradation: null,
  knownAt: null,
};

/**
 * The state in a stored document, or null when it is none of this version or contradicts itself: then begin
 * with `freshState` and `resume` the incident that the record has open.
 */
export function readState(document: unknown): MonitorState | null {
  if (!isRecord(document) || document['version'] !== 1) return null;
  const { status, failures, recoveries, slow, unknowns, incident, degradation, knownAt } = document;
  // A document of a version before these has none of them.
  const { blocked = null, unchecked = null } = document;
  if (!isStatus(status) || !isCount(recoveries)) return null;
  if (!isStreak(failures) || !isStreak(slow) || !isStreak(unknowns)) return null;
  if (!isBlocked(blocked) || !isUnchecked(unchecked)) return null;
  if (!isHeldIncident(incident) || !isOutage(degradation)) return null;
  if (knownAt !== null && !isInstant(knownAt)) return null;
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
    degradation,
    knownAt,
  };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isStatus(value: unknown): value is Status {
  return statuses.some((status) => status === value);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isInstant(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function isStreak(value: unknown): value is Streak | null {
  if (value === null) return true;
  return isRecord(value) && isCount(value['count']) && value['count'] > 0 && isInstant(value['sinceAt']);
}

function isBlocked(value: unknown): value is BlockedStreak | null {
  if (!isStreak(value)) return false;
  if (value === null) return true;
  const { latestAt, ownFault } = value as Partial<BlockedStreak>;
  return isInstant(latestAt) && typeof ownFault === 'string';
}

function isUnchecked(value: unknown): value is OpenUnknown | null {
  return isOutage(value) && (value === null || typeof (value as OpenUnknown).ownFault === 'string');
}

function isOutage(value: unknown): value is OpenIncident | null {
  if (value === null) return true;
  return isRecord(value) && isInstant(value['startedAt']) && isInstant(value['confirmedAt']);
}

function isHeldIncident(value: unknown): value is HeldIncident | null {
  return isOutage(value) && (value === null || typeof (value as HeldIncident).isReattached === 'boolean');
}
