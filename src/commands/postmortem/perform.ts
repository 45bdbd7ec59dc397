/** Prints the skeleton of a post-mortem, or stores one. */
import { addAbortSignal } from 'node:stream';
import { decode } from '../../engine/config/source.ts';
import { StatusdError } from '../../engine/core/errors.ts';
import { keepPostmortem } from '../../engine/operations/incident.ts';
import { limits } from '../../engine/operations/limits.ts';
import { decisions } from '../../db/tables/decisions.ts';
import { saidAbout } from '../../serve/scope/explanation.ts';
import { postmortemSkeleton, publicPostmortemFacts } from '../../engine/views/postmortem.ts';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodes } from '../exit.ts';
import { readWholeFile } from '../import/read-whole-file.ts';
import { knownIncident, subjectOf } from '../incidents/known.ts';
import { gatherShown } from '../incidents/operate.ts';
import { withStore } from '../open-store.ts';
import type { RunOptions } from '../run-options.ts';
import { toJson } from '../terminal/json.ts';

export interface PostmortemRun extends RunOptions {
  readonly incident: string;
  /** Null: the skeleton is printed; `-`: standard input. */
  readonly file: string | null;
  /** The skeleton has everything on record. */
  readonly isInternal: boolean;
  /** Also where the text names what strangers are not shown. */
  readonly isForced: boolean;
  /** Writes without a look at the daemon. */
  readonly isOffline: boolean;
}

/** UTF-8 has at most so many bytes a character. */
const maxBytes = 4 * limits.postmortem;

export async function performPostmortem(run: PostmortemRun, context: Context): Promise<ExitCode> {
  const { file, isJson, isQuiet, configFile } = run;
  if (file === null) return printSkeleton(run, context);
  const written = await writtenText(file, context);
  return withStore({ configFile, access: 'change', reach: run }, context, async (openedStore) => {
    const { store, config, redact, nowAt } = openedStore;
    const publishing = { config, isForced: run.isForced };
    const incident = knownIncident(run.incident, openedStore);
    const text = await keepPostmortem(incident, written, {
      write: store.write,
      redact,
      nowAt,
      publishing,
    });
    const { id, uid } = incident;
    if (isJson) context.stdout.write(`${toJson({ id, uid, postmortem: text })}\n`);
    else if (!isQuiet) {
      const done = text === null ? 'Removed the post-mortem of' : 'Kept the post-mortem of';
      context.stdout.write(`${done} incident ${id} (${subjectOf(incident)}).\n`);
    }
    return exitCodes.ok;
  });
}

/** Throws `usage` for what is no text. */
async function writtenText(file: string, context: Context): Promise<string> {
  if (file === '')
    throw new StatusdError('usage', 'the name of the file is empty', {
      hint: 'Name a file, or `-` for standard input.',
    });
  const text = decode(file === '-' ? await readAll(context) : await readWholeFile(file, { maxBytes }));
  if (typeof text === 'string') return text;
  const { line, column, message, hint } = text;
  const name = file === '-' ? 'standard input' : file;
  throw new StatusdError('usage', `${name}:${line}:${column}: ${message}`, {
    hint: `${hint.charAt(0).toUpperCase()}${hint.slice(1)}${hint.endsWith('?') ? '' : '.'} The post-mortem of the incident is as it was.`,
  });
}

function printSkeleton({ incident: word, configFile, isJson, isInternal }: PostmortemRun, context: Context) {
  return withStore({ configFile, access: 'read' }, context, (openedStore) => {
    const { config, nowAt, store } = openedStore;
    const names = new Map(config.monitors.map(({ id, name }) => [id, name]));
    const nameOf = (id: string) => names.get(id) ?? id;
    const { row, incident, explanation } = gatherShown(word, openedStore, nameOf);
    const record = isInternal
      ? {
          incident,
          timeline: explanation.timeline,
          messages: explanation.messages.filter((message) => message.incident === row.uid),
        }
      : publicPostmortemFacts(
          {
            facts: row,
            ...saidAbout(store.sql, row, nowAt),
            decisions: decisions.ofIncident(store.sql, row.uid),
          },
          { monitors: config.monitors, nowAt, nameOf },
        );
    const markdown = postmortemSkeleton({ ...record, nameOf });
    const { id, uid } = row;
    context.stdout.write(isJson ? `${toJson({ id, uid, markdown })}\n` : markdown);
    return Promise.resolve(exitCodes.ok);
  });
}

/** What was read by an interrupt is thrown away: with what pipes it in, half a text would end as a whole one. */
async function readAll({ stdin, interrupt }: Context): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of addAbortSignal(interrupt, stdin)) {
      const bytes = Buffer.from(chunk as Uint8Array | string);
      size += bytes.length;
      if (size > maxBytes) throw new StatusdError('usage', `standard input is longer than ${maxBytes} bytes`);
      chunks.push(bytes);
    }
  } finally {
    interrupt.throwIfAborted();
  }
  return Buffer.concat(chunks);
}
