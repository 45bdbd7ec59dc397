/** Ends silences and says how many. */
import { silences } from '../../db/tables/silences.ts';
import { clearNumbered, type ClearRun } from '../clear-numbered.ts';
import type { Context } from '../context.ts';
import type { ExitCode } from '../exit.ts';

export function performSilenceClear(run: ClearRun, context: Context): Promise<ExitCode> {
  return clearNumbered(run, context, {
    noun: ['silence', 'silences'],
    none: 'No silences to end.',
    done: 'Ended',
    list: 'statusd silence list',
    active: (sql, at) => silences.active(sql, at).map(({ id }) => id),
    operations: (id, at, sql) => [silences.sweep({ at }), silences.clear({ id, sql })],
    answer: silences.clear.answer,
  });
}
