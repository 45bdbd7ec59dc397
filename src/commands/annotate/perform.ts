/** Stores the note of an incident and prints who can read it. */
import { type RecordedIncidentRow } from '../../db/tables/recorded-incidents.ts';
import { minuteText } from '../../engine/core/instant.ts';
import { cleanLine } from '../../engine/core/text.ts';
import { annotate, type NoteReach } from '../../engine/operations/annotate.ts';
import type { Context } from '../context.ts';
import { exitCodes, type ExitCode } from '../exit.ts';
import { foldedLine, knownIncident, subjectOf } from '../incidents/known.ts';
import { withStore } from '../open-store.ts';
import type { RunOptions } from '../run-options.ts';
import { toJson } from '../terminal/json.ts';

export interface AnnotateRun extends RunOptions {
  readonly incident: string;
  readonly note: string;
  /** Also where it names what strangers are not shown. */
  readonly isForced: boolean;
  /** Writes without a look at the daemon. */
  readonly isOffline: boolean;
}

export function performAnnotate(run: AnnotateRun, context: Context): Promise<ExitCode> {
  const { stdout, clock } = context;
  return withStore(
    { configFile: run.configFile, access: 'change', reach: run },
    context,
    async (openedStore) => {
      const incident = knownIncident(run.incident, openedStore);
      const { id, uid, monitor } = incident;
      const { redact, config, store } = openedStore;
      const publishing = { config, isForced: run.isForced };
      const ground = { write: store.write, redact, publishing, nowAt: clock.now() };
      const { note, reach } = await annotate(incident, run.note, ground);
      if (run.isJson) stdout.write(`${toJson({ id, uid, monitor, note, is_public: reach !== 'private' })}\n`);
      else if (!run.isQuiet) stdout.write(said(incident, note, reach) + foldedLine(incident, openedStore));
      return exitCodes.ok;
    },
  );
}

function said(row: RecordedIncidentRow, note: string | null, reach: NoteReach): string {
  const incident = `incident ${row.id} (${subjectOf(row)}, ${minuteText(row.startedAt)} UTC)`;
  if (note === null) return `Cleared the note of ${incident}.\n`;
  return `Noted on ${incident}: ${cleanLine(note)}\n  ${readersOf(row, reach)}\n`;
}

function readersOf(incident: RecordedIncidentRow, reach: NoteReach): string {
  const about = incident.monitor === null ? 'what it is about' : cleanLine(incident.monitor);
  switch (reach) {
    case 'public':
      return 'The note is public: everyone sees it in the history and the feed.';
    case 'private':
      return `The note is not public: ${about} is private, so only authenticated viewers see it.`;
    case 'not_configured':
      return `${about} is not configured any more; take the note for public.`;
  }
}
