/** Takes banners down and says how many. */
import { announcements } from '../../db/tables/announcements.ts';
import { clearNumbered, type ClearRun } from '../clear-numbered.ts';
import type { Context } from '../context.ts';
import type { ExitCode } from '../exit.ts';

export function performAnnounceClear(run: ClearRun, context: Context): Promise<ExitCode> {
  return clearNumbered(run, context, {
    noun: ['banner', 'banners'],
    none: 'No banners to take down.',
    done: 'Took down',
    list: 'statusd announce list',
    active: (sql, at) => announcements.active(sql, at).map(({ id }) => id),
    operations: (id, at, sql) => [announcements.sweep({ at }), announcements.clear({ id, sql })],
    answer: announcements.clear.answer,
  });
}
