import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { monitorTables, openWorld, startAt, upBefore, type World } from '../world.ts';

const config = `rate_limit_burst = 1000\n${monitorTables(['web', 'db'])}`;

describe('the spans of time in a report', () => {
  let world: World;
  before(async () => {
    world = await openWorld(config);
    const startedAt = startAt - 90_000;
    await world.store.write([
      ...upBefore(['web', 'db']),
      incidents.open({
        ...{ uid: 'short', monitor: 'web', name: 'web', startedAt, confirmedAt: startedAt },
        ...{ category: 'timeout', reason: null, cause: null, impacted: [], snapshot: null, vantage: null },
      }),
      incidents.close({ uid: 'short', endedAt: startedAt + 30_680 }),
    ]);
  });
  after(() => world.close());

  it('are cut to the second on the page as in plain text, and no mean is longer than the whole', async () => {
    const ask = async (accept: string) =>
      (await world.ask('/report/2026-06', { headers: { accept } })).text
        .replace(/<style>.*?<\/style>/s, '')
        .replace(/<[^>]*>/g, ' ');
    const page = (await ask('text/html')).replace(/[\s\u00a0]+/g, ' ');
    assert.match(page, /Downtime 30 sec Mean per service 15 sec/);
    assert.match(page, /Together .* 1 30 sec mean 15 sec 30 sec/);
    assert.match(await ask('text/plain'), /30s with at least one outage,\s+15s mean over monitors/);
  });
});
