/** Does on the local database what an operator asked for on the screen, as the commands of that name do it. */
import { Writable } from 'node:stream';
import { StatusdError } from '../../engine/core/errors.ts';
import { cleanLine } from '../../engine/core/text.ts';
import type { Context } from '../context.ts';
import type { Reach } from '../open-store.ts';
import type { RunOptions } from '../run-options.ts';
import { bannerTyped, type Done, silenceTyped, type SummarySource } from './source.ts';

export interface LocalActions extends Pick<SummarySource, 'silence' | 'announce'> {
  readonly annotate: (incident: string, note: string) => Promise<Done>;
}

export function localActions(configFile: string | null, context: Context): LocalActions {
  const options: RunOptions & Reach = {
    configFile,
    isJson: false,
    isQuiet: false,
    isColourRefused: true,
    isOffline: false,
  };
  return {
    silence: (monitor, text) =>
      done(context, async (quiet) => {
        const { performSilence } = await import('../silence/perform.ts');
        await performSilence({ ...options, monitors: monitor, ...silenceTyped(text) }, quiet);
      }),
    announce: (text) =>
      done(context, async (quiet) => {
        const { performAnnounce } = await import('../announce/perform.ts');
        await performAnnounce({ ...options, ...bannerTyped(text), body: '', until: null }, quiet);
      }),
    annotate: (incident, note) =>
      done(context, async (quiet) => {
        const { performAnnotate } = await import('../annotate/perform.ts');
        await performAnnotate({ ...options, incident, note }, quiet);
      }),
  };
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
