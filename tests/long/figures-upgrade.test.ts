/**
 * The figures of a database of version 9, which knew no closed months, no days with maintenance and no windows of the file
 * that took effect, from the moment on in which the program of today opens it. Its samples are kept since they began: nobody
 * can know what maintenance took of days whose samples were deleted before.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { copyReplica } from '../../src/db/store/backup.ts';
import { namesOf } from '../../src/db/store/files/names.ts';
import { nodeFiles } from '../../src/db/store/files/node.ts';
import { openFiles } from '../../src/db/store/open.ts';
import { closedMonths } from '../../src/db/tables/closed-months.ts';
import { schema } from '../../src/db/tables/schema/schema.ts';
import { allDifferences, momentOf } from '../figures/moment.ts';
import { Oracle } from '../figures/oracle.ts';
import { Recording } from '../figures/record.ts';
import { beginsAt, day, denseEndsAt, endsAt, makeWorld, utc } from '../figures/world.ts';
import { openWorld, type World } from '../serve/world.ts';
import { realClock } from '../support/real-clock.ts';
import { openRealStore } from '../support/real-store.ts';
import { makeFolder } from '../support/tiny-store.ts';
import { takeBackToVersion9 } from '../support/as-version9.ts';

const upgradedAt = beginsAt + 40 * day;
const instants: readonly (readonly [title: string, at: number])[] = [
  ['at the upgrade', upgradedAt],
  ['just after the end of a month, in an outage under maintenance', utc('2026-11-01T00:02:00')],
  ['two days after the end of that month', utc('2026-11-03T00:05:00')],
  ['at the end of seventy days', denseEndsAt],
  ['a hundred days later', endsAt],
];

/** Copies a database that nobody has open as version 9 kept it. */
async function copyAsVersion9(from: string, to: string): Promise<void> {
  const names = namesOf(from);
  const common = { files: nodeFiles, schema, clock: realClock };
  const { replica, current } = await openFiles({ ...common, names, mode: 'read', isOwner: false });
  await current?.reader.file.close();
  takeBackToVersion9(replica.sql);
  // Windows of schedules were recorded, those of single tables were not.
  replica.sql.script("DELETE FROM meta WHERE name = 'maintenance_begun'");
  replica.sql.script("DELETE FROM maintenances WHERE title = 'Move'");
  replica.sql.script('PRAGMA user_version = 9');
  await copyReplica(replica, to, nodeFiles);
  replica.sql.close();
}

describe('figures of a database of version 9 that is opened by the program of today', () => {
  const folder = makeFolder();
  const made = makeWorld(Number(process.env['STATUSD_SEED'] ?? 50));
  let recording: Recording;
  let world: World;
  before(async () => {
    const opening = (name: string) => ({
      openStore: () => openRealStore(folder.at(name), { role: 'daemon' as const }),
    });
    const earlier = await openWorld(made.toml, opening('earlier.db'));
    recording = new Recording(earlier, made);
    recording.retentionDays = 60;
    await recording.goOn(upgradedAt);
    await earlier.close();
    await copyAsVersion9(folder.at('earlier.db'), folder.at('statusd.db'));
    world = await openWorld(made.toml, opening('statusd.db'));
    world.clock.advance(upgradedAt - world.clock.now());
    recording.goOnIn(world);
    recording.retentionDays = 30;
  });
  after(async () => {
    await world.close();
    folder.remove();
  });

  it('are what their definitions say, at once and from then on', async () => {
    const oracle = new Oracle(made);
    assert.deepEqual(closedMonths.list(world.store.sql), []);
    for (const [title, nowAt] of instants) {
      await recording.goOn(nowAt);
      assert.deepEqual(allDifferences(await momentOf({ world, made, oracle }, { title, nowAt })), []);
    }
    const closed = closedMonths.list(world.store.sql).map(({ month }) => month);
    for (const month of ['2026-09', '2026-10', '2026-11']) assert.ok(closed.includes(month), month);
  });
});
