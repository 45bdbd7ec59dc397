/** Stores a silence and says what it mutes, and until when. */
import { randomBytes } from 'node:crypto';
import { silences } from '../../db/tables/silences.ts';
import type { Config, Monitor } from '../../engine/config/config.ts';
import { durationText } from '../../engine/core/duration.ts';
import { instantText, rfc3339 } from '../../engine/core/instant.ts';
import { inWords } from '../../engine/core/words.ts';
import { StatusdError } from '../../engine/core/errors.ts';
import { dependents, graphOf } from '../../engine/core/graph.ts';
import { cleanLine, cutText } from '../../engine/core/text.ts';
import { selectMonitors } from '../check/select.ts';
import type { Context } from '../context.ts';
import { durationArgument } from '../duration-argument.ts';
import { exitCodes, type ExitCode } from '../exit.ts';
import { withStore } from '../open-store.ts';
import type { RunOptions } from '../run-options.ts';
import { toJson } from '../terminal/json.ts';

export interface SilenceRun extends RunOptions {
  readonly ids: string;
  readonly duration: string;
  readonly reason: string;
  /** Also without a database or a daemon. */
  readonly isOffline: boolean;
}

const maxSilenceMs = 7 * 86_400_000;
const maxReason = 500;

export async function performSilence(run: SilenceRun, context: Context): Promise<ExitCode> {
  const spanMs = durationArgument(run.duration, {
    maxMs: maxSilenceMs,
    instead: 'What takes longer is a [[maintenance]] window of the configuration.',
  });
  const named = namedIn(run.ids);
  return withStore(
    { configFile: run.configFile, access: 'make', reach: run },
    context,
    async (openedStore) => {
      const { config, redact, store, nowAt } = openedStore;
      const reason = run.reason.trim() === '' ? null : cutText(redact(run.reason.trim()), maxReason, '');
      const ids = chosen(named, config);
      const untilAt = nowAt + spanMs;
      const identity = silences.identity(store.sql, randomBytes(8).toString('hex'));
      const silence = { monitors: ids, untilAt, reason, createdAt: nowAt };
      const id = await silences.create(silence, { write: store.write, identity });
      if (run.isJson) {
        const json = { ids: [id], monitors: ids ?? ['*'], until: rfc3339(untilAt), reason };
        context.stdout.write(`${toJson(json)}\n`);
      } else if (!run.isQuiet) {
        const until = `until ${instantText(untilAt)} (${durationText(spanMs)})`;
        const why = reason === null ? '' : `: ${cleanLine(reason)}`;
        const also = alsoCovered(ids, config.monitors);
        context.stdout.write(
          `Silence ${id}: no alerts of ${ids === null ? 'any monitor' : inWords(ids, 6)} ${until}${why}\n` +
            (also.length === 0 ? '' : `  It covers what depends on them too: ${inWords(also, 6)}.\n`) +
            `  Checks go on and are recorded. \`statusd silence clear ${id}\` ends it.\n`,
        );
      }
      return exitCodes.ok;
    },
  );
}

/** The words of a list; null: all. Throws `usage` when there is none. */
function namedIn(text: string): readonly string[] | null {
  const ids = text
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '');
  // A monitor may be called `all`; whoever means it alone finds everything silent, which is the safer reading.
  if (ids.includes('all')) return null;
  if (ids.length > 0) return ids;
  throw new StatusdError('usage', 'no monitor is named', {
    hint: 'Name ids, separated by commas, or all: statusd silence api,website 1h',
  });
}

/** Ids of monitors, then those of peers, in the order of the configuration; null: all. Throws `not_found`. */
function chosen(
  ids: readonly string[] | null,
  { monitors, peers }: Pick<Config, 'monitors' | 'peers'>,
): readonly string[] | null {
  if (ids === null) return null;
  const known = [...monitors, ...peers.map(({ listen_id: id }) => ({ id, group: null }))];
  return selectMonitors(known, { ids, groups: [] }).map(({ id }) => id);
}

function alsoCovered(ids: readonly string[] | null, monitors: readonly Monitor[]): readonly string[] {
  if (ids === null) return [];
  const graph = graphOf(monitors.map(({ id, depends_on }) => ({ id, dependsOn: depends_on })));
  const covered = new Set(ids.flatMap((id) => dependents(graph, id)));
  return monitors.flatMap(({ id }) => (covered.has(id) && !ids.includes(id) ? [id] : []));
}
