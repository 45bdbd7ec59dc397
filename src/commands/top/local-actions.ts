/** Does on the local database what an operator asked for on the screen, as the commands of that name do it. */
import { Writable } from 'node:stream';
import { StatusdError } from '../../engine/core/errors.ts';
import { cleanLine } from '../../engine/core/text.ts';
import type { Context } from '../context.ts';
import type { Reach } from '../open-store.ts';
import type { RunOptions } from '../run-options.ts';
import { bannerTyped, type OperatorAction, silenceTyped, updateTyped } from '../../tui/prompt.ts';
import type { Done } from './source.ts';

/** `lastIncident`: the uid of the last one of a monitor; null: there is none. */
export type LocalActions = (
  action: OperatorAction,
  lastIncident: (monitor: string) => string | null,
) => Promise<Done>;

export function localActions(configFile: string | null, context: Context): LocalActions {
  const options: RunOptions & Reach = {
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
          await performSilence({ ...options, monitors: action.monitor, ...silenceTyped(action.text) }, quiet);
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
        case 'update': {
          const { performUpdate } = await import('../incidents/operate.ts');
          await performUpdate({ ...options, incident: action.incident, ...updateTyped(action.text) }, quiet);
          return;
        }
        case 'annotate': {
          const incident = lastIncident(action.monitor);
          if (incident === null)
            throw new StatusdError('not_found', `there is no incident of ${action.monitor} on record`);
          const { performAnnotate } = await import('../annotate/perform.ts');
          await performAnnotate({ ...options, incident, note: action.text }, quiet);
        }
      }
    });
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
    return { text: cleanLine(printed.trim().replace(/\s*\n\s*/g, ' ')), isBad: false };
  } catch (error) {
    if (!(error instanceof StatusdError)) throw error;
    return {
      text: cleanLine(`${error.message}${error.hint === null ? '' : `. ${error.hint}`}`),
      isBad: true,
    };
  }
}
