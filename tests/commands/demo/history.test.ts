import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { historyDays, historyOf, seedHistory } from '../../../src/commands/demo/history.ts';
import { dayOf, maintenanceOf, outages, monitorProfiles, spanOf } from '../../../src/commands/demo/past.ts';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { monitors } from '../../../src/db/tables/monitors.ts';
import { incidentUpdates } from '../../../src/db/tables/incident-updates.ts';
import { samples } from '../../../src/db/tables/samples.ts';
import { openReaderStore } from '../../../bench/seeding/open-store.ts';
import { join } from 'node:path';
import { makeFolder } from '../../support/tiny-store.ts';
import { realClock } from '../../support/real-clock.ts';

const dayMs = 86_400_000;
const folder = makeFolder();
after(folder.remove);

describe('the past of the demo', () => {
  it('is over before the present, at whatever time of the day it begins', () => {
    for (const hour of [0, 3, 12, 23.99]) {
      const nowAt = Date.parse('2026-11-22T00:00:00Z') + hour * 3_600_000;
      for (const outage of outages) {
        const { startAt, endAt } = spanOf(outage, nowAt);
        assert.ok(endAt < nowAt - dayMs / 2 && startAt > nowAt - historyDays * dayMs, outage.reason);
      }
      const [past, next] = maintenanceOf(nowAt);
      assert.ok((past?.endAt ?? nowAt) < nowAt && (next?.startAt ?? 0) > nowAt);
      // Each takes about a quarter of a millisecond: an hour of a month for seven monitors, most of them.
      assert.ok(historyOf(nowAt).length < 5500, 'few enough to begin at once');
    }
  });

  it('has samples of every day up to the present, incidents that ended, updates and a note', async () => {
    const file = join(folder.path, 'statusd.db');
    const nowAt = Date.parse('2026-11-22T13:00:00Z');
    await seedHistory(file, { ...realClock, now: () => nowAt });
    const store = await openReaderStore(file);
    try {
      for (const { id, name } of monitorProfiles) {
        assert.equal(monitors.find(store.sql, id)?.name, name);
        const all = samples.list(store.sql, id, { fromAt: nowAt - historyDays * dayMs, toAt: nowAt });
        const downSecs = all.reduce(
          (sum, { status, holdSecs }) => sum + (status === 'down' ? holdSecs : 0),
          0,
        );
        assert.ok(downSecs < 3 * 3600, `${id} was down for ${downSecs} s`);
        const at = all.map((sample) => [sample.at, sample.at + sample.holdSecs * 1000] as const);
        at.slice(1).forEach(([startAt], index) => {
          assert.ok(Math.abs(startAt - (at[index]?.[1] ?? 0)) <= 1000, `${id} has a gap`);
        });
        assert.equal(at[0]?.[0], dayOf(nowAt) - (historyDays - 1) * dayMs);
        assert.ok(nowAt - (at.at(-1)?.[1] ?? 0) < 10_000);
      }
      const { incidents: items } = incidents.list(store.sql, { limit: 100 });
      assert.equal(items.length, outages.length);
      assert.deepEqual(
        items.filter(({ endedAt }) => endedAt === null),
        [],
      );
      const cascade = items.find(({ impacted }) => impacted.length > 0);
      assert.deepEqual(cascade?.impacted, ['api', 'shop']);
      assert.match(cascade.note ?? '', /failed disk/);
      assert.ok(cascade.acknowledged !== null && cascade.acknowledged.at > cascade.confirmedAt);
      assert.equal(items.filter(({ acknowledged }) => acknowledged !== null).length, 1);
      assert.equal(incidentUpdates.of(store.sql, [cascade.uid]).get(cascade.uid)?.length, 3);
    } finally {
      await store.close();
    }
  });
});
