/** Acknowledges incidents, or withdraws an acknowledgement. */
import { incidents, type IncidentRow } from '../../db/tables/incidents.ts';
import { recorded, type RecordedIncidentRow } from '../../db/tables/recorded-incidents.ts';
import { StatusdError } from '../../engine/core/errors.ts';
import { instantText } from '../../engine/core/instant.ts';
import { cleanLine } from '../../engine/core/text.ts';
import { inWords } from '../../engine/core/words.ts';
import {
  acknowledge,
  type Acknowledged,
  type AckWithdrawal,
  unacknowledge,
} from '../../engine/operations/acknowledge.ts';
import { quoted } from '../../engine/operations/arguments.ts';
import { openRootOf } from '../../engine/operations/root-incident.ts';
import { everything, monitorsNamed, type Selectable } from '../../engine/operations/select-monitors.ts';
import { criticalAmong, wholeIncident } from '../../engine/views/incident.ts';
import { authorOf, type Context } from '../context.ts';
import { type ExitCode, exitCodes } from '../exit.ts';
import { findIncident, knownIncident, subjectOf } from '../incidents/known.ts';
import { type OpenedStore, withStore } from '../open-store.ts';
import type { RunOptions } from '../run-options.ts';
import { toJson } from '../terminal/json.ts';

export interface AckRun extends RunOptions {
  /** Words as typed: incidents and monitors, then the reason unless --reason has it; none means the one that waits. */
  readonly words: readonly string[];
  /** Null: the words that name nothing are the reason. */
  readonly reason: string | null;
  /** Null: who is logged in. */
  readonly by: string | null;
  /** It is taken back. */
  readonly isCleared: boolean;
  /** Writes without a look at the daemon. */
  readonly isOffline: boolean;
}

export function performAck(run: AckRun, context: Context): Promise<ExitCode> {
  const way = { configFile: run.configFile, access: 'change', reach: run } as const;
  return withStore(way, context, async (openedStore) => {
    const { config, store, redact, nowAt } = openedStore;
    const { wanted, reason } = wantedOf(run, openedStore);
    const by = run.by ?? authorOf(context) ?? '';
    const rootOf = (incident: RecordedIncidentRow) => openRootOf(store.sql, incident);
    const ground = { write: store.write, redact, nowAt, rootOf };
    const done = run.isCleared
      ? (await unacknowledge(wanted, by, ground)).map((one) => ({ ...one, line: clearedText(one) }))
      : (await acknowledge(wanted, { by, reason }, ground)).map((one) => ({
          ...one,
          line: acknowledgedText(one),
        }));
    if (run.isJson) {
      const rows = done.flatMap(({ incident: { uid } }) => recorded.find(store.sql, uid) ?? []);
      const own = { nowAt, isCritical: criticalAmong(config.monitors) };
      context.stdout.write(`${toJson({ incidents: rows.map((row) => wholeIncident(row, own)) })}\n`);
    } else if (!run.isQuiet) {
      const isSomethingLost =
        (reason !== '' || run.by !== null) && done.some((one) => 'isRepeat' in one && one.isRepeat);
      const after = afterwards(run.isCleared, isSomethingLost);
      const none = `No open incident ${run.isCleared ? 'is' : 'waits to be'} acknowledged.\n`;
      const lines = done.map(({ line }) => capital(line));
      context.stdout.write(lines.length === 0 ? none : `${lines.join('\n')}\n  ${after}\n`);
    }
    return exitCodes.ok;
  });
}

function afterwards(isCleared: boolean, isSomethingLost: boolean): string {
  if (isCleared) return 'Reminders and escalations go on.';
  return isSomethingLost
    ? 'The first one is kept: `statusd ack --clear` withdraws it, `statusd incidents update` adds words.'
    : 'Reminders and escalations stop; the recovery is still sent.';
}

function acknowledgedText({ acknowledgement, isRepeat, ...one }: Acknowledged): string {
  const { by, at, reason } = acknowledgement;
  const who = by === null ? '' : ` by ${cleanLine(by)}`;
  const why = reason === null ? '' : `: ${cleanLine(reason)}`;
  return isRepeat
    ? `${nameOf(one)} was acknowledged${who} at ${instantText(at)}${why}`
    : `${nameOf(one)} is acknowledged${who}${why}`;
}

function clearedText({ isCleared, ...one }: AckWithdrawal): string {
  return `${nameOf(one)} ${isCleared ? 'is not acknowledged any more' : 'was not acknowledged'}`;
}

/** `incident 11 (vpn), the cause of docs,`: what was not asked for says why it is there. */
function nameOf({ incident, dependents }: Pick<Acknowledged, 'incident' | 'dependents'>): string {
  const name = `incident ${incident.id} (${subjectOf(incident)})`;
  return dependents.length === 0 ? name : `${name}, the cause of ${inWords(dependents.map(subjectOf), 3)},`;
}

const capital = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

interface Wanted {
  readonly wanted: readonly RecordedIncidentRow[];
  /** Empty: none. */
  readonly reason: string;
}

/** Throws `usage` when none is named and it is not clear which, `not_found` when there is none of that name. */
function wantedOf({ words, reason: given, isCleared }: AckRun, openedStore: OpenedStore): Wanted {
  const { sql } = openedStore.store;
  const open = incidents.listOpen(sql);
  const isWaiting = ({ acknowledged }: IncidentRow) => (acknowledged === null) !== isCleared;
  const [first, ...rest] = words;
  if (first === undefined) {
    const roots = new Map(open.map((one) => openRootOf(sql, one) ?? one).map((one) => [one.uid, one]));
    return { wanted: onlyOne([...roots.values()].filter(isWaiting), isCleared), reason: given ?? '' };
  }
  if (first === everything) {
    if (given !== null && rest.length > 0) throw beside(rest[0] ?? '');
    return { wanted: open.filter(isWaiting), reason: given ?? rest.join(' ') };
  }
  const naming: Naming = { open, openedStore, known: nameable(open, openedStore) };
  const isSubject = (word: string) => isMonitor(word, naming) || findIncident(word, openedStore) !== null;
  // A reason may begin with the name of a monitor: only one that is down is meant, unless nothing else follows.
  const firstOther = rest.findIndex(
    (word) => !(isMonitor(word, naming) && incidentsOf(word, naming).length > 0),
  );
  const isAllNamed = given !== null || firstOther === -1 || rest.every(isSubject);
  const count = isAllNamed ? rest.length : firstOther;
  const wanted = [first, ...rest.slice(0, count)].flatMap((word) => named(word, naming));
  return { wanted: unique(wanted), reason: given ?? rest.slice(count).join(' ') };
}

function onlyOne(waiting: readonly IncidentRow[], isCleared: boolean): readonly IncidentRow[] {
  if (waiting.length < 2) return waiting;
  const names = inWords(
    waiting.map(({ id, monitor }) => `${id} (${cleanLine(monitor)})`),
    6,
  );
  throw new StatusdError('usage', `which incident? ${names} are ${isCleared ? 'acknowledged' : 'open'}`, {
    hint: 'Name one by its number or its monitor, or say `all`.',
  });
}

function beside(word: string): StatusdError {
  return new StatusdError('usage', `\`all\` and ${quoted(word)} cannot be acknowledged together`, {
    hint: '`all` covers every open incident: leave the others out.',
  });
}

interface Naming {
  readonly open: readonly IncidentRow[];
  readonly openedStore: OpenedStore;
  /** Every monitor of the configuration, and whatever else has an open incident. */
  readonly known: readonly Selectable[];
}

function nameable(open: readonly IncidentRow[], { config }: OpenedStore): readonly Selectable[] {
  const isConfigured = new Set(config.monitors.map(({ id }) => id));
  const others = open.filter(({ monitor }) => !isConfigured.has(monitor));
  return [...config.monitors, ...others.map(({ monitor, name }) => ({ id: monitor, name, group: null }))];
}

/** Whether a word is the id of a monitor, or the name of one alone, in the same letters. */
function isMonitor(word: string, { known }: Naming): boolean {
  return known.some(({ id }) => id === word) || known.filter(({ name }) => name === word).length === 1;
}

/** The open incidents of the monitors that a word names. */
function incidentsOf(word: string, { known, open }: Naming): readonly IncidentRow[] {
  const ids = new Set(monitorsNamed(known, word).map(({ id }) => id));
  return open.filter(({ monitor }) => ids.has(monitor));
}

/** An id precedes a number, a uid and `last`, and these precede a name. Throws `not_found`. */
function named(word: string, naming: Naming): readonly RecordedIncidentRow[] {
  const { open, known, openedStore } = naming;
  const ofMonitor = open.find(({ monitor }) => monitor === word);
  if (ofMonitor !== undefined) return [ofMonitor];
  const incident = findIncident(word, openedStore);
  if (incident !== null) return [incident];
  if (monitorsNamed(known, word).length === 0) return [knownIncident(word, openedStore)];
  const found = incidentsOf(word, naming);
  if (found.length > 0) return found;
  throw new StatusdError('not_found', `${cleanLine(word)} has no open incident`, {
    hint: 'Nothing was changed. `statusd incidents --open` lists those there are.',
  });
}

function unique(rows: readonly RecordedIncidentRow[]): readonly RecordedIncidentRow[] {
  return [...new Map(rows.map((row) => [row.uid, row])).values()];
}
