/** Carries out actions of the live view on the local database, with the code of the commands of the same name. */
import { Writable } from 'node:stream';
import { StatusdError } from '../../engine/core/errors.ts';
import { cleanLine } from '../../engine/core/text.ts';
import type { Context } from '../context.ts';
import { monitors } from '../../db/tables/monitors.ts';
import { refuseUnasked } from '../../engine/operations/check-now.ts';
import { theMonitorNamed } from '../../engine/operations/select-monitors.ts';
import { isDaemonRunning } from '../daemon-of-database.ts';
import { type DaemonReach, withStore } from '../open-store.ts';
import type { RunOptions } from '../run-options.ts';
import {
  acknowledgeTyped,
  bannerTyped,
  noteTyped,
  type OperatorAction,
  silencedWord,
  silenceTyped,
  updateTyped,
} from '../../tui/prompt.ts';
import type { Done } from './source.ts';

/** `lastIncident`: the uid of the last one of a monitor; null: there is none. */
export type LocalActions = (
  action: OperatorAction,
  lastIncident: (monitor: string) => string | null,
) => Promise<Done>;

export function localActions(configFile: string | null, context: Context): LocalActions {
  const options: RunOptions & DaemonReach = {
    configFile,
    isJson: false,
    isQuiet: false,
    isColourRefused: true,
    isOffline: false,
  };
  return (action, lastIncident) =>
    done(context, async (quiet) => {
      switch (action.kind) {
        case 'silence': {
          const { performSilence } = await import('../silence/perform.ts');
          const monitors = [silencedWord(action.monitor)];
          await performSilence({ ...options, ...silenceTyped(action.text), monitors }, quiet);
          return;
        }
        case 'unsilence': {
          const { performSilenceClear } = await import('../silence/perform.ts');
          await performSilenceClear({ ...options, ids: [String(action.id)], isAll: false }, quiet);
          return;
        }
        case 'announce': {
          const { performAnnounce } = await import('../announce/perform.ts');
          await performAnnounce({ ...options, ...bannerTyped(action.text), body: '', until: null }, quiet);
          return;
        }
        case 'unannounce': {
          const { performAnnounceClear } = await import('../announce/perform.ts');
          await performAnnounceClear({ ...options, ids: [String(action.id)], isAll: false }, quiet);
          return;
        }
        case 'check': {
          await askForCheck(action.monitor, configFile, quiet);
          return;
        }
        case 'update': {
          const { performUpdate } = await import('../incidents/operate.ts');
          await performUpdate({ ...options, incident: action.incident, ...updateTyped(action.text) }, quiet);
          return;
        }
        case 'acknowledge':
        case 'unacknowledge': {
          const { performAck } = await import('../ack/perform.ts');
          const isCleared = action.kind === 'unacknowledge';
          const typed = acknowledgeTyped(action.kind === 'acknowledge' ? action.text : '');
          await performAck({ ...options, words: [action.incident], ...typed, isCleared }, quiet);
          return;
        }
        case 'annotate': {
          const incident = lastIncident(action.monitor);
          if (incident === null)
            throw new StatusdError('not_found', `there is no incident of ${action.monitor} on record`);
          const { performAnnotate } = await import('../annotate/perform.ts');
          await performAnnotate({ ...options, incident, ...noteTyped(action.text) }, quiet);
        }
      }
    });
}

/** Asks the daemon through the log of the database, which it follows. */
async function askForCheck(id: string, configFile: string | null, context: Context): Promise<void> {
  const way = { configFile, access: 'change' } as const;
  await withStore(way, context, async ({ config, store, nowAt }) => {
    refuseUnasked(theMonitorNamed(config.monitors, id));
    if (!(await isDaemonRunning(config)))
      throw new StatusdError('daemon_unreachable', `${id} is not checked: no daemon is running`, {
        hint: 'Start `statusd serve`.',
      });
    await store.write([monitors.askForCheck({ id, at: nowAt })]);
  });
  context.stdout.write(`${id} is being checked\n`);
}

/** What the command would print, in one line. Damage it would report on stderr was reported when the screen opened. */
async function done(context: Context, work: (quiet: Context) => Promise<void>): Promise<Done> {
  let printed = '';
  const stdout = new Writable({
    write: (chunk: Buffer, _, finished) => {
      printed += chunk.toString();
      finished();
    },
  });
  const stderr = new Writable({
    write: (_chunk, _, finished) => {
      finished();
    },
  });
  try {
    await work({ ...context, stdout, stderr });
    return { text: cleanLine(printed.trim().replace(/[.]?\s*\n\s*/g, '. ')), isBad: false };
  } catch (error) {
    if (!(error instanceof StatusdError)) throw error;
    return {
      text: cleanLine(`${error.message}${error.hint === null ? '' : `. ${error.hint}`}`),
      isBad: true,
    };
  }
}
