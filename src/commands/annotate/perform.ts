/** Stores the note of an incident and says who will read it. */
import { incidents, type IncidentRow } from '../../db/tables/incidents.ts';
import type { Config } from '../../engine/config/config.ts';
import { minuteText } from '../../engine/core/instant.ts';
import { cleanLine, cutText } from '../../engine/core/text.ts';
import type { Context } from '../context.ts';
import { exitCodes, type ExitCode } from '../exit.ts';
import { knownIncident } from '../incidents/known.ts';
import { withStore } from '../open-store.ts';
import type { RunOptions } from '../run-options.ts';
import { toJson } from '../terminal/json.ts';

export interface AnnotateRun extends RunOptions {
  readonly incident: string;
  readonly note: string;
  /** Writes without a look at the daemon. */
  readonly isOffline: boolean;
}

const maxNote = 2000;

export function performAnnotate(run: AnnotateRun, context: Context): Promise<ExitCode> {
  const { stdout, clock } = context;
  return withStore(
    { configFile: run.configFile, access: 'change', reach: run },
    context,
    async (openedStore) => {
      const incident = knownIncident(run.incident, openedStore);
      const note = run.note.trim() === '' ? null : cutText(openedStore.redact(run.note.trim()), maxNote, '');
      const { id, uid, monitor } = incident;
      await openedStore.store.write([incidents.annotate({ uid, note, at: clock.now() })]);
      const reach = reachOf(monitor, openedStore.config);
      if (run.isJson) stdout.write(`${toJson({ id, uid, monitor, note, is_public: reach !== 'private' })}\n`);
      else if (!run.isQuiet) stdout.write(said(incident, note, reach));
      return exitCodes.ok;
    },
  );
}

/** Who may read about a monitor. One that is configured no more does not say; assume the most. */
type Reach = 'public' | 'private' | 'not_configured';

function reachOf(monitor: string, { monitors }: Config): Reach {
  const configured = monitors.find(({ id }) => id === monitor);
  if (configured === undefined) return 'not_configured';
  return configured.public ? 'public' : 'private';
}

function said({ id, monitor, startedAt }: IncidentRow, note: string | null, reach: Reach): string {
  const incident = `incident ${id} (${cleanLine(monitor)}, ${minuteText(startedAt)} UTC)`;
  if (note === null) return `Cleared the note of ${incident}.\n`;
  return `Noted on ${incident}: ${cleanLine(note)}\n  ${readersOf(monitor, reach)}\n`;
}

function readersOf(monitor: string, reach: Reach): string {
  switch (reach) {
    case 'public':
      return 'The note is public: everyone sees it in the history and the feed.';
    case 'private':
      return `The note is not public: ${cleanLine(monitor)} is private, so only authenticated viewers see it.`;
    case 'not_configured':
      return `${cleanLine(monitor)} is not configured any more; take the note for public.`;
  }
}
