/** Opens, updates and resolves incidents of operators, checked once for commands, HTTP and the live view. */
import { addIncidentUpdate, postmortems } from '../../db/tables/incident-updates.ts';
import { incidents } from '../../db/tables/incidents.ts';
import { recorded, type RecordedIncidentRow } from '../../db/tables/recorded-incidents.ts';
import type { Operation } from '../../db/store/operation.ts';
import type { NumberedWrite } from '../../db/tables/numbered.ts';
import { StatusdError } from '../core/errors.ts';
import { instantText } from '../core/instant.ts';
import {
  type IncidentImpact,
  incidentImpacts,
  incidentStates,
  type IncidentUpdateFacts,
  type OperatorIncidentFacts,
  type OperatorState,
} from '../core/record.ts';
import { boundedText, cleanLine } from '../core/text.ts';
import { counted } from '../core/words.ts';
import { refuseEmpty, wordArgument } from './arguments.ts';
import { characters, limits } from './limits.ts';
import { type Publishing, refusePrivateNames } from './public-text.ts';
import { namedMonitors, namesIn, type Selectable } from './select-monitors.ts';

export interface IncidentRequest {
  readonly title: string;
  /** Empty: none. */
  readonly message: string;
  readonly state: string;
  readonly impact: string;
  /** Ids; none: it is about everything. */
  readonly monitors: readonly string[];
}

/** What is said when nothing else is. */
export const incidentDefaults = { state: 'investigating', impact: 'degraded' } as const;

/** A request that is right in itself. */
export interface CheckedIncident extends Pick<IncidentRequest, 'title' | 'message' | 'monitors'> {
  readonly state: OperatorState;
  readonly impact: IncidentImpact;
}

/** What an update is made with. */
export interface UpdateInputs extends Pick<NumberedWrite, 'write'> {
  readonly redact: (text: string) => string;
  readonly nowAt: number;
  readonly publishing: Publishing;
  /** A name that nothing had before. */
  readonly newUid: () => string;
  /** Who says it; null: not known. */
  readonly author: string | null;
  /** The operations that notify channels of it; absent: none is notified. */
  readonly notices?: (said: SaidOfIncident) => readonly Operation[];
}

/** What is said about an incident that was opened by hand. */
export interface SaidOfIncident
  extends Pick<OperatorIncidentFacts, 'uid' | 'title' | 'impact' | 'monitors' | 'startedAt'> {
  readonly number: number;
  /** The uid of the update. */
  readonly update: string;
  readonly at: number;
  readonly state: OperatorState | null;
  readonly message: string | null;
}

export interface OpenIncidentInputs extends UpdateInputs, NumberedWrite {
  /** The monitors, in the order of the configuration. */
  readonly known: readonly Selectable[];
  /** Readers of the page are mailed nothing about it; default: they are. */
  readonly isQuiet?: boolean;
}

/** Throws `usage`. */
export function checkIncident({ title, message, state, impact, monitors }: IncidentRequest): CheckedIncident {
  refuseEmpty(title, 'title', 'Say in a few words what is wrong.');
  return {
    title,
    message,
    state: wordArgument(state, 'state', incidentStates),
    impact: wordArgument(impact, 'impact', incidentImpacts),
    monitors: namesIn('monitor', monitors),
  };
}

/**
 * Resolves with its number and uid once it is durable, its first update with it; one that is `resolved` is over at once.
 * Throws `not_found` for a monitor that is not known, and `usage` for texts that strangers read and that name what they are
 * not shown.
 */
export async function openIncident(
  { title, message, state, impact, monitors: wanted }: CheckedIncident,
  {
    known,
    identity,
    write,
    redact,
    nowAt,
    newUid,
    author,
    publishing,
    notices = none,
    isQuiet = false,
  }: OpenIncidentInputs,
): Promise<{ readonly id: number; readonly uid: string }> {
  const { uid } = identity;
  const monitors = namedMonitors(known, { ids: wanted, groups: [] }, redact);
  const first = {
    uid: newUid(),
    incident: uid,
    at: nowAt,
    state,
    message: textOrNull(boundedText(redact(message), limits.message, '\n')),
    author,
  };
  const ending = state === 'resolved' ? [incidents.close({ uid, endedAt: nowAt })] : [];
  const incident = { title: boundedText(redact(title), limits.title, ' '), impact, monitors, at: nowAt };
  refusePrivateNames({ title: incident.title, message: first.message ?? '' }, monitors, publishing);
  const id = await recorded.create(incident, {
    identity,
    // What was said first is one record with the incident; a corrected number comes behind it alone.
    write: (operations) => {
      const isOpening = operations.some(([name]) => name === 'incident.declare');
      if (!isOpening) return write(operations);
      const { at, ...opened } = incident;
      const told = { ...opened, ...saidIn(first), uid, number: identity.id, startedAt: at };
      const quiet = isQuiet ? [recorded.quiet({ uid })] : [];
      return write([...operations, ...quiet, addIncidentUpdate(first), ...ending, ...notices(told)]);
    },
  });
  return { id, uid };
}

export interface UpdateRequest {
  /** Empty: none. */
  readonly message: string;
  /** Null: it stays what it is. */
  readonly state: string | null;
}

export interface CheckedUpdate extends Pick<UpdateRequest, 'message'> {
  readonly state: OperatorState | null;
}

/** Throws `usage`. Only what resolves an incident may say nothing. */
export function checkUpdate({ message, state: typed }: UpdateRequest): CheckedUpdate {
  const state = typed === null ? null : wordArgument(typed, 'state', incidentStates);
  if (state !== 'resolved') refuseEmpty(message, 'message', 'Say in a sentence or two what is known.');
  return { message, state };
}

/**
 * Adds an update; `resolved` ends an incident that was opened by hand. Resolves with it once it is durable. Throws
 * `conflict` when the state does not fit: a monitor's incident ends with the outage, and one that is over has one state;
 * `usage` for a message that strangers read and that names what they are not shown.
 */
export async function updateIncident(
  incident: RecordedIncidentRow,
  { message, state }: CheckedUpdate,
  { write, redact, nowAt, newUid, author, publishing, notices = none }: UpdateInputs,
): Promise<IncidentUpdateFacts> {
  if (state !== null) refuseState(incident, state);
  const update = {
    uid: newUid(),
    incident: incident.uid,
    at: nowAt,
    state,
    message: textOrNull(boundedText(redact(message), limits.message, '\n')),
    author,
  };
  refusePrivateNames({ message: update.message ?? '' }, aboutOf(incident), publishing);
  const ending = state === 'resolved' ? [incidents.close({ uid: incident.uid, endedAt: nowAt })] : [];
  const told =
    incident.monitor === null ? notices({ ...incident, ...saidIn(update), number: incident.id }) : [];
  await write([addIncidentUpdate(update), ...ending, ...told]);
  return update;
}

/** The monitors that an incident is about; none: everything. */
function aboutOf(incident: RecordedIncidentRow): readonly string[] {
  return incident.monitor === null ? incident.monitors : [incident.monitor];
}

function none(): readonly Operation[] {
  return [];
}

function saidIn({ uid: update, at, state, message }: IncidentUpdateFacts) {
  return { update, at, state, message };
}

function refuseState(incident: RecordedIncidentRow, state: OperatorState): void {
  const { id, endedAt } = incident;
  if (endedAt !== null) {
    throw new StatusdError('conflict', `incident ${id} has been over since ${instantText(endedAt)}`, {
      hint: 'An update without a state can still be added.',
    });
  }
  if (state !== 'resolved' || incident.monitor === null) return;
  const monitor = cleanLine(incident.monitor);
  const is = incident.ownFault === null ? 'is down' : 'cannot be checked';
  throw new StatusdError('conflict', `incident ${id} cannot be resolved by hand: ${monitor} ${is}`, {
    hint: `It is resolved by itself when ${monitor} recovers; until then add updates.`,
  });
}

/**
 * Keeps a post-mortem (empty: clears it). Throws `usage` for one that is too long, or that strangers read and that names what
 * they are not shown.
 */
export async function keepPostmortem(
  incident: RecordedIncidentRow,
  written: string,
  { write, redact, nowAt, publishing }: Pick<UpdateInputs, 'write' | 'redact' | 'nowAt' | 'publishing'>,
): Promise<string | null> {
  const text = textOrNull(boundedText(redact(written), Infinity, '\n'));
  if (text !== null && text.length > limits.postmortem) {
    throw new StatusdError('usage', `the post-mortem has ${counted(text.length, 'character')}`, {
      hint: `At most ${characters(limits.postmortem)} are kept; link to a longer text.`,
    });
  }
  refusePrivateNames({ 'post-mortem': text ?? '' }, aboutOf(incident), publishing);
  await write([postmortems.set({ incident: incident.uid, text, at: nowAt })]);
  return text;
}

function textOrNull(text: string): string | null {
  return text === '' ? null : text;
}
