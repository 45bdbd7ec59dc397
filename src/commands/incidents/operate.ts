/** Opens, updates, resolves and shows incidents. */
import { randomBytes } from 'node:crypto';
import { decisions } from '../../db/tables/decisions.ts';
import { incidentUpdates, postmortems } from '../../db/tables/incident-updates.ts';
import { recorded, type RecordedIncidentRow } from '../../db/tables/recorded-incidents.ts';
import { outbox } from '../../db/tables/outbox.ts';
import { durationText } from '../../engine/core/duration.ts';
import { cleanLine, cleanLines } from '../../engine/core/text.ts';
import { inWords } from '../../engine/core/words.ts';
import {
  checkIncident,
  checkUpdate,
  type IncidentRequest,
  openIncident,
  type UpdateInputs,
  updateIncident,
  type UpdateRequest,
} from '../../engine/operations/incident.ts';
import { incidentUpdateOperations } from '../../engine/monitoring/alert-operations.ts';
import { explain, explainDeclared, type Explanation } from '../../engine/views/explain.ts';
import { criticalAmong, headerLines, type IncidentView, wholeIncident } from '../../engine/views/incident.ts';
import { authorOf, type Context } from '../context.ts';
import { type ExitCode, exitCodes } from '../exit.ts';
import { saidAbout } from '../../serve/scope/explanation.ts';
import { gatherFacts } from '../explain/gather.ts';
import { messageJson, momentJson } from '../../engine/views/explain-json.ts';
import { explanationText, textsOf } from '../explain/render.ts';
import { type OpenedStore, withStore } from '../open-store.ts';
import type { RunOptions } from '../run-options.ts';
import { toJson } from '../terminal/json.ts';
import { openTerminalOutput, type TerminalOutput } from '../terminal/output.ts';
import { foldedLine, knownIncident, subjectOf } from './known.ts';

interface WritingRun extends RunOptions {
  /** Writes without a look at the daemon. */
  readonly isOffline: boolean;
  /** Also where a text names what strangers are not shown. */
  readonly isForced: boolean;
}

export interface IncidentOpenRun extends WritingRun, IncidentRequest {
  /** Readers who subscribed are mailed nothing about it. */
  readonly isUnmailed: boolean;
}

export function performOpen(run: IncidentOpenRun, context: Context): Promise<ExitCode> {
  // What is wrong with the command line is reported before anything is opened.
  const checked = checkIncident(run);
  const way = { configFile: run.configFile, access: 'make', reach: run } as const;
  return withStore(way, context, async (openedStore) => {
    const { store, config } = openedStore;
    const identity = recorded.identity(store.sql, newUid());
    const { id, uid } = await openIncident(checked, {
      ...groundOf(openedStore, context, run),
      known: config.monitors,
      identity,
      isQuiet: run.isUnmailed,
    });
    if (run.isJson) context.stdout.write(`${toJson(viewOf(uid, openedStore))}\n`);
    else if (!run.isQuiet) {
      const isOver = checked.state === 'resolved';
      const ending = isOver ? '' : `, \`statusd incidents resolve ${id}\` ends it`;
      context.stdout.write(
        `Incident ${id} is on the status page${isOver ? ', resolved' : ''}: ${cleanLine(checked.title)}\n` +
          `  \`statusd incidents update ${id} <message>\` adds to it${ending}.\n`,
      );
    }
    return exitCodes.ok;
  });
}

export interface IncidentUpdateRun extends WritingRun, UpdateRequest {
  readonly incident: string;
}

export function performUpdate(run: IncidentUpdateRun, context: Context): Promise<ExitCode> {
  const checked = checkUpdate(run);
  const way = { configFile: run.configFile, access: 'change', reach: run } as const;
  return withStore(way, context, async (openedStore) => {
    const incident = knownIncident(run.incident, openedStore);
    const said = await updateIncident(incident, checked, groundOf(openedStore, context, run));
    if (run.isJson) context.stdout.write(`${toJson(viewOf(incident.uid, openedStore))}\n`);
    else if (!run.isQuiet)
      context.stdout.write(`${updatedText(incident, said)}\n${foldedLine(incident, openedStore)}`);
    return exitCodes.ok;
  });
}

function updatedText(
  incident: RecordedIncidentRow,
  { state, message, at }: Awaited<ReturnType<typeof updateIncident>>,
): string {
  const name = `incident ${incident.id} (${subjectOf(incident)})`;
  const words = message === null ? '' : `: ${cleanLine(message)}`;
  if (state === 'resolved') return `Resolved ${name} after ${durationText(at - incident.startedAt)}${words}`;
  return `Added to ${name}${state === null ? '' : `, ${state}`}${words}`;
}

function groundOf(
  { store, config, redact, nowAt }: OpenedStore,
  context: Pick<Context, 'env'>,
  { isForced }: Pick<WritingRun, 'isForced'>,
): UpdateInputs {
  return {
    publishing: { config, isForced },
    write: store.write,
    redact,
    nowAt,
    newUid,
    author: authorOf(context),
    notices: (said) => incidentUpdateOperations(said, outbox.channelsOfOpened(store.sql, said.uid)),
  };
}

function newUid(): string {
  return randomBytes(8).toString('hex');
}

/** As it is now. */
function viewOf(uid: string, { store: { sql }, config, nowAt }: OpenedStore): IncidentView | null {
  const row = recorded.find(sql, uid);
  const own = { nowAt, isCritical: criticalAmong(config.monitors) };
  return row === null ? null : wholeIncident(row, own, incidentUpdates.of(sql, [uid]).get(uid));
}

export interface IncidentShowRun extends RunOptions {
  readonly incident: string;
}

/** Everything about one. */
export interface IncidentShown {
  readonly row: RecordedIncidentRow;
  readonly incident: IncidentView;
  readonly explanation: Explanation;
  readonly postmortem: string | null;
}

/** `nameOf`: as for `explain`. Throws `not_found`. */
export function gatherShown(
  word: string,
  openedStore: OpenedStore,
  nameOf?: (id: string) => string,
): IncidentShown {
  const { store, nowAt } = openedStore;
  const row = knownIncident(word, openedStore);
  const said = saidAbout(store.sql, row, nowAt);
  const explanation =
    row.monitor === null
      ? explainDeclared(row, {
          nowAt,
          ...said,
          decisions: decisions.ofIncident(store.sql, row.uid),
          deliveries: outbox.ofIncident(store.sql, row.uid),
        })
      : explain(gatherFacts(`#${row.id}`, openedStore), nameOf);
  return {
    row,
    incident: wholeIncident(
      row,
      { nowAt, isCritical: criticalAmong(openedStore.config.monitors) },
      said.updates,
    ),
    explanation,
    postmortem: postmortems.find(store.sql, row.uid)?.text ?? null,
  };
}

export function performShow(run: IncidentShowRun, context: Context): Promise<ExitCode> {
  return withStore({ configFile: run.configFile, access: 'read' }, context, async (openedStore) => {
    const shown = gatherShown(run.incident, openedStore);
    const { incident, explanation, postmortem } = shown;
    if (run.isJson) {
      const { headline, timeline, messages, next } = explanation;
      const json = {
        ...incident,
        summary: headline,
        timeline: timeline.map(momentJson),
        messages: messages.map(messageJson),
        next,
        postmortem,
      };
      context.stdout.write(`${toJson(json)}\n`);
    } else {
      const output = await openTerminalOutput(context, run.isColourRefused, textsOf(explanation));
      const listing = { nowAt: openedStore.nowAt, isQuiet: run.isQuiet };
      const text = explanationText(explanation, listing, output);
      context.stdout.write(run.isQuiet ? text : text + restText(shown, output));
    }
    return exitCodes.ok;
  });
}

/** State and impact, the answer that failed, the post-mortem. */
function restText({ incident, postmortem }: IncidentShown, { paint }: TerminalOutput): string {
  const { state, impact, snapshot, impacted } = incident;
  const standing = [
    `  state: ${state}`,
    `  impact: ${impact}`,
    ...(impacted.length === 0 ? [] : [`  affected with it: ${cleanLine(inWords(impacted))}`]),
  ];
  const answer =
    snapshot === undefined || snapshot === null
      ? []
      : [
          snapshot.status_line,
          ...headerLines(snapshot.headers, snapshot.more_headers),
          '',
          ...cleanLines(snapshot.body),
        ];
  const section = (heading: string, lines: readonly string[]) =>
    lines.length === 0 ? '' : `\n${paint.bold(heading)}\n${lines.join('\n')}\n`;
  return [
    section('State', standing),
    section(
      'The answer that failed',
      answer.map((line) => `  ${cleanLine(line)}`.trimEnd()),
    ),
    section(
      'Post-mortem',
      postmortem === null ? [] : cleanLines(postmortem).map((line) => `  ${line}`.trimEnd()),
    ),
  ].join('');
}
