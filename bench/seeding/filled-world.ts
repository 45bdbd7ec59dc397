/** Fills the database that nodes share with rollups of months of checks, of more monitors than samples can be made up for. */
import { randomUUID } from 'node:crypto';
import { fillWorld } from '../../src/db/shared/fill.ts';
import { dayOfHour, hourOf, hourSecs } from '../../src/db/samples/slots.ts';
import { openReplica, type Replica } from '../../src/db/store/replica.ts';
import type { Operation } from '../../src/db/store/operation.ts';
import { planMoves } from '../../src/db/tables/retention/move.ts';
import { planUpkeep } from '../../src/db/tables/retention/plan.ts';
import { retentionOf } from '../../src/db/tables/retention/retention.ts';
import { planWeeks } from '../../src/db/tables/retention/weeks.ts';
import { monitors } from '../../src/db/tables/monitors.ts';
import { samples } from '../../src/db/tables/samples.ts';
import { schema } from '../../src/db/tables/schema/schema.ts';
import type { Config } from '../../src/engine/config/config.ts';
import { realClock } from '../../tests/support/real-clock.ts';
import { chanceOf } from './chance.ts';
import { episodesOf, gapsOf } from './episodes.ts';
import { seedMonitors } from './monitor.ts';
import { Series } from './series.ts';

export interface FilledWorldOptions {
  readonly url: string;
  readonly config: Config;
  readonly days: number;
  /** Epoch ms: the history ends with the hour before it. */
  readonly now: number;
}

/** How many monitors have samples of their own; the others have the rollups of one of them. */
const patterns = 50;

/** The hours that stay in memory with `history_hours` as it is by default. */
const keptHours = 48;

/** Answers how many bytes of the database in memory a monitor takes. The table `history` stays empty. */
export async function fillRollups({ url, config, days, now }: FilledWorldOptions): Promise<number> {
  const replica = await patternsOf(config, days, now);
  const before = hourOf(now / 1000) - keptHours;
  copyPatterns(replica);
  const bytes = await fillWorld(
    { url, space: 'statusd', schema, clock: realClock },
    {
      replica,
      before,
      keptHoursOf: () => [],
      interrupt: new AbortController().signal,
      onProgress: () => undefined,
    },
  );
  replica.sql.close();
  return bytes / config.monitors.length;
}

/** Those monitors alone have a history in the database that is answered. */
async function patternsOf(config: Config, days: number, now: number): Promise<Replica> {
  const replica = await openReplica(null, schema, randomUUID());
  const thisHour = hourOf(now / 1000);
  const before = thisHour - keptHours;
  writePatterns(replica, { config, fromHour: thisHour - days * 24, thisHour });
  for (;;) {
    const moves = planMoves(replica.sql, { before, hours: 5000, monitors: patterns, keptHoursOf: () => [] });
    if (moves.length === 0) break;
    applyAll(
      replica,
      moves.map(({ operation }) => operation),
    );
  }
  for (const operation of planWeeks(replica.sql, before)) applyAll(replica, [operation]);
  for (;;) {
    const steps = planUpkeep(replica.sql, now, { retention: retentionOf(90, new Map()), limit: 100 });
    if (steps.length === 0) break;
    applyAll(replica, steps);
  }
  return replica;
}

function applyAll(replica: Replica, operations: readonly Operation[]): void {
  const outcome = replica.apply('transaction', operations);
  if ('error' in outcome) throw outcome.error;
}

function writePatterns(
  replica: Replica,
  span: { readonly config: Config; readonly fromHour: number; readonly thisHour: number },
): void {
  const { config, fromHour, thisHour } = span;
  const fromSecs = fromHour * hourSecs;
  const toSecs = thisHour * hourSecs;
  applyAll(replica, monitors.sync(replica.sql, config.monitors, fromSecs * 1000));
  const chance = (name: string) => chanceOf(1, name);
  const watched = seedMonitors({ ...config, monitors: config.monitors.slice(0, patterns) }, (id) =>
    chance(`phase ${id}`).share(),
  );
  const episodes = episodesOf(watched, { fromSecs, toSecs }, chance);
  const gaps = gapsOf({ fromSecs, toSecs }, chance('gaps'));
  for (const monitor of watched) {
    const series = new Series(monitor, {
      episodes: episodes.get(monitor.id) ?? [],
      gaps,
      chance: chance(`series ${monitor.id}`),
      fromSecs,
    });
    for (let day = dayOfHour(fromHour); day <= dayOfHour(thisHour); day += 1)
      applyAll(
        replica,
        samples.addHistory(monitor.id, series.take(Math.min(toSecs, (day + 1) * 24 * hourSecs))),
      );
  }
}

/** Every monitor gets what the one that has its place among the patterns has, in the order in which nodes write it. */
function copyPatterns({ sql }: Replica): void {
  const stride = 2 ** 20;
  const columnsOf = (table: string) =>
    sql.all('SELECT name FROM pragma_table_info(?) ORDER BY cid', [table], (row) => row.text('name'));
  const tables = [
    'packed_hours',
    'hourly',
    'daily',
    'hourly_days',
    'hourly_weeks',
    'daily_weeks',
    'latency_weeks',
  ];
  for (const table of tables) {
    const rest = columnsOf(table).slice(1).join(', ');
    sql.script(
      `CREATE TEMP TABLE pattern AS SELECT * FROM ${table}; DELETE FROM ${table};
       INSERT INTO ${table} (slot, ${rest})
         SELECT slot - slot % ${stride} + key AS at, ${rest} FROM pattern JOIN monitors
           ON monitors.key % ${patterns} = pattern.slot % ${stride} % ${patterns} ORDER BY at;
       DROP TABLE pattern;`,
    );
  }
  const taken = [
    'oldest_hour',
    'packed_before',
    'pruned_before',
    'tail_secs',
    'tail_status',
    'tail_hold_secs',
    'samples',
    'last_secs',
    'last_status',
    'last_latency_ms',
  ];
  sql.script(
    `UPDATE monitors SET (${taken.join(', ')}) = (SELECT ${taken.join(', ')} FROM monitors pattern
       WHERE pattern.key <= ${patterns} AND pattern.key % ${patterns} = monitors.key % ${patterns})
     WHERE key > ${patterns}`,
  );
}
