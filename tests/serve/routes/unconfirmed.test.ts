import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { monitorTables, openWorld, upBefore, type World } from '../world.ts';

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
