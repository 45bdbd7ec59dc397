import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { samples } from '../../../src/db/tables/samples.ts';
import { monitorTables, openWorld, startAt, upBefore, type World } from '../world.ts';

const config = `rate_limit_burst = 1000\n${monitorTables(['web', 'db'])}`;

describe('a monitor with one failure that nothing confirmed', () => {
  let world: World;
  before(async () => {
    world = await openWorld(config);
    await world.store.write(upBefore(['web', 'db']));
    world.engine.statuses.set('web', 'degraded').set('db', 'up');
    world.engine.failing.add('web');
  });
  after(() => world.close());

  const text = async (path: string, headers: Readonly<Record<string, string>> = {}) =>
    (await world.ask(path, { headers })).text;

  it('is up on badges and icons, as on the page', async () => {
    assert.match(await text('/', { accept: 'text/html' }), /<h1>All systems operational</);
    for (const id of ['web', '_overall'])
      assert.match(await text(`/api/badge/${id}/status`), /<title>[^<]*: up</, id);
    assert.match(await text('/favicon.svg'), /<title>up</);
  });

  it('is degraded there when it is slow or another one is', async () => {
    world.engine.statuses.set('db', 'degraded');
    world.clock.advance(10_000);
    assert.match(await text('/api/badge/web/status'), /: up</);
    assert.match(await text('/api/badge/db/status'), /: degraded</);
    assert.match(await text('/api/badge/_overall/status'), /: degraded</);
  });
});

describe('a monitor whose first check failed, and of which nothing else is known', () => {
  let world: World;
  before(async () => {
    world = await openWorld(config);
    const failure = { status: 'down', latencyMs: null, holdSecs: 60, isHeartbeat: false } as const;
    const at = startAt - 60_000;
    await world.store.write([
      ...upBefore(['db']),
      samples.add({ ...failure, monitor: 'web', at, category: 'timeout', message: null }),
    ]);
    world.engine.statuses.set('web', 'degraded').set('db', 'up');
    world.engine.failing.add('web');
  });
  after(() => world.close());

  const text = async (path: string, accept = 'text/html') =>
    (await world.ask(path, { headers: { accept } })).text;

  it('has no data anywhere on the pages: no bar, no figure', async () => {
    const [row = ''] = /<article class="row [^]*?<\/article>/.exec(await text('/')) ?? [];
    assert.match(row, /id="m-web".*>No data</);
    assert.match(row, /aria-label="Last 90 days: no data"/);
    assert.doesNotMatch(row, /class="u"|0\.00/);
    const page = await text('/monitor/web');
    assert.match(page, /<dt>24 hours<\/dt><dd>–</);
    assert.doesNotMatch(page, /0\.00|class="u"/);
    assert.match(await text('/', 'text/plain'), /^web +no data( +–){5} +\.+$/m);
    assert.match(await text('/api/badge/web/uptime'), /: no data \(the last 24 hours\)</);
  });

  it('has them, all the same, when the failure is confirmed', async () => {
    world.engine.statuses.set('web', 'down');
    world.engine.failing.delete('web');
    const outage = { category: 'timeout', reason: null, cause: null, impacted: [], snapshot: null } as const;
    const at = { startedAt: startAt - 60_000, confirmedAt: startAt };
    await world.store.write([
      incidents.open({ uid: 'out', monitor: 'web', name: 'web', vantage: null, ...outage, ...at }),
    ]);
    world.clock.advance(10_000);
    assert.match(await text('/', 'text/plain'), /^web +DOWN +0\.00%/m);
    assert.match(await text('/api/badge/web/uptime'), /: 0/);
  });
});
