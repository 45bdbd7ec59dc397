/** Acknowledges incidents, or withdraws an acknowledgement. */
import { incidents } from '../../db/tables/incidents.ts';
import { recorded, type RecordedIncidentRow } from '../../db/tables/recorded-incidents.ts';
import { StatusdError } from '../../engine/core/errors.ts';
import { instantText } from '../../engine/core/instant.ts';
import { cleanLine } from '../../engine/core/text.ts';
import { inWords } from '../../engine/core/words.ts';
import { acknowledge, type Acknowledged, unacknowledge } from '../../engine/operations/acknowledge.ts';
import { wholeIncident } from '../../engine/views/incident.ts';
import { authorOf, type Context } from '../context.ts';
import { type ExitCode, exitCodes } from '../exit.ts';
import { findIncident, knownIncident, subjectOf } from '../incidents/known.ts';
import { type OpenedStore, withStore } from '../open-store.ts';
import type { RunOptions } from '../run-options.ts';
import { toJson } from '../terminal/json.ts';

export interface AckRun extends RunOptions {
  /** As typed; null: the one that waits for it. */
  readonly incident: string | null;
  readonly reason: string;
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
    const { store, redact, nowAt } = openedStore;
    const wanted = wantedOf(run, openedStore);
    const lines: string[] = [];
    let isSomethingLost = false;
    const by = run.by ?? authorOf(context) ?? '';
    for (const incident of wanted) {
      const name = `incident ${incident.id} (${subjectOf(incident)})`;
      const ground = { write: store.write, redact, nowAt };
      if (run.isCleared) {
        const isCleared = await unacknowledge(incident, by, ground);
        lines.push(isCleared ? `${name} is not acknowledged any more` : `${name} was not acknowledged`);
      } else {
        const said = await acknowledge(incident, { by, reason: run.reason }, ground);
        isSomethingLost ||= said.isRepeat && (run.reason !== '' || run.by !== null);
        lines.push(acknowledgedText(name, said));
      }
    }
    if (run.isJson) {
      const rows = wanted.flatMap(({ uid }) => recorded.find(store.sql, uid) ?? []);
      context.stdout.write(`${toJson({ incidents: rows.map((row) => wholeIncident(row, nowAt)) })}\n`);
    } else if (!run.isQuiet) {
      const after = afterwards(run.isCleared, isSomethingLost);
      const none = `No open incident ${run.isCleared ? 'is' : 'waits to be'} acknowledged.\n`;
      context.stdout.write(lines.length === 0 ? none : `${lines.map(capital).join('\n')}\n  ${after}\n`);
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

function acknowledgedText(name: string, { acknowledgement, isRepeat }: Acknowledged): string {
  const { by, at, reason } = acknowledgement;
  const who = by === null ? '' : ` by ${cleanLine(by)}`;
  const why = reason === null ? '' : `: ${cleanLine(reason)}`;
  return isRepeat
    ? `${name} was acknowledged${who} at ${instantText(at)}${why}`
    : `${name} is acknowledged${who}${why}`;
}

const capital = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** Throws `usage` when none is named and it is not clear which, `not_found` when there is none of that name. */
function wantedOf(
  { incident: word, isCleared }: AckRun,
  openedStore: OpenedStore,
): readonly RecordedIncidentRow[] {
  const open = incidents.listOpen(openedStore.store.sql);
  const waiting = open.filter(({ acknowledged }) => (acknowledged === null) !== isCleared);
  if (word === 'all') return waiting;
  if (word === null) {
    if (waiting.length < 2) return waiting;
    const names = inWords(
      waiting.map(({ id, monitor }) => `${id} (${cleanLine(monitor)})`),
      6,
    );
    throw new StatusdError('usage', `which incident? ${names} are ${isCleared ? 'acknowledged' : 'open'}`, {
      hint: 'Name one by its number or its monitor, or say `all`.',
    });
  }
  const ofMonitor = open.find(({ monitor }) => monitor === word);
  if (ofMonitor !== undefined) return [ofMonitor];
  if (findIncident(word, openedStore) === null && openedStore.config.monitors.some(({ id }) => id === word)) {
    throw new StatusdError('not_found', `${cleanLine(word)} has no open incident`, {
      hint: '`statusd incidents --open` lists those there are.',
    });
  }
  return [knownIncident(word, openedStore)];
}
