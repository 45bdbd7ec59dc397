import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { incidentUpdates } from '../../../src/db/tables/incident-updates.ts';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { maintenances } from '../../../src/db/tables/maintenances.ts';
import { monitorTables, openWorld, startAt, type World } from '../world.ts';

const config = `
auth_token = "operator-token"
rate_limit_burst = 1000
${monitorTables(['web', 'db', 'app'], { app: 'depends_on = ["db"]' })}
[[maintenance]]
title = "New disks"
start = "2026-06-07T11:00:00Z"
end = "2026-06-07T13:00:00Z"
monitors = ["db"]
`;

const down = (monitor: string) =>
  incidents.open({
    ...{ uid: `of-${monitor}`, monitor, name: monitor, startedAt: startAt - 60_000, confirmedAt: startAt },
    ...{ category: 'timeout', reason: null, cause: null, impacted: [], snapshot: null, vantage: null },
  });

describe('a monitor that is down under maintenance', () => {
  let world: World;
  before(async () => {
    world = await openWorld(config);
    await world.store.write([down('db'), down('app')]);
    world.engine.statuses.set('web', 'up').set('db', 'down').set('app', 'down');
  });
  after(() => world.close());

  const text = async (path: string, headers: Readonly<Record<string, string>> = {}) =>
    (await world.ask(path, { headers })).text;
  const listings = [
    ['/history', { accept: 'text/html' }],
    ['/history', { accept: 'text/plain' }],
    ['/monitor/db', { accept: 'text/html' }],
    ['/monitor/db', { accept: 'text/plain' }],
    ['/api/v2/incidents.json', {}],
    ['/api/v2/incidents/unresolved.json', {}],
    ['/api/v2/summary.json', {}],
  ] as const;
  const isListed = /of-db|db DOWN for/;

  it('is that on badges and icons, as on the page, and so is what depends on it', async () => {
    for (const id of ['db', 'app', '_overall'])
      assert.match(await text(`/api/badge/${id}/status`), /<title>[^<]*: maintenance<.*#245fc4/s, id);
    assert.match(await text('/api/badge/web/status'), /<title>web: up</);
    assert.match(await text('/favicon.svg'), /<title>maintenance<.*#2f6fde/s);
    assert.equal((await world.ask('/favicon.ico')).status, 200);
  });

  it('is no open incident in the history, on its page and in the API of Statuspage', async () => {
    for (const [path, headers] of listings) assert.doesNotMatch(await text(path, headers), isListed, path);
  });

  it('has the maintenance on its page, and what begins within 7 days, as on the page of all', async () => {
    const plan = (title: string, days: number) =>
      maintenances.add({
        id: days,
        uid: title,
        title,
        startAt: startAt + days * 86_400_000,
        endAt: startAt + days * 86_400_000 + 3_600_000,
        monitors: ['db'],
        createdAt: startAt,
      });
    await world.store.write([plan('Soon', 6), plan('Far', 8)]);
    for (const path of ['/', '/monitor/db'])
      for (const accept of ['text/html', 'text/plain']) {
        const shown = await text(path, { accept });
        assert.match(shown, /New disks/, `${path} ${accept}`);
        assert.match(shown, /Soon/, `${path} ${accept}`);
        assert.doesNotMatch(shown, /Far/, `${path} ${accept}`);
      }
    assert.doesNotMatch(await text('/monitor/web', { accept: 'text/html' }), /New disks|Soon/);
    assert.match(await text('/maintenance.ics'), /Far/);
  });

  it('does not hide that others are down', async () => {
    world.engine.statuses.set('web', 'degraded');
    world.clock.advance(10_000);
    assert.match(await text('/api/badge/_overall/status'), /: degraded</);
    world.engine.statuses.set('web', 'down');
    world.clock.advance(10_000);
    assert.match(await text('/api/badge/_overall/status'), /: down</);
    world.engine.statuses.set('web', 'up');
  });

  it('is one when an operator writes of it', async () => {
    const said = { incident: 'of-db', at: startAt, state: 'identified', author: null } as const;
    await world.store.write([incidentUpdates.add({ uid: 'said', ...said, message: 'It takes longer.' })]);
    world.clock.advance(10_000);
    for (const [path, headers] of listings) assert.match(await text(path, headers), isListed, path);
  });

  it('is no outage in the history once it is over, and what is left of one beyond the maintenance is', async () => {
    const over = (uid: string, monitor: string, [from, to]: readonly [number, number]) => [
      incidents.open({
        ...{ uid, monitor, name: monitor, startedAt: startAt + from * 60_000, confirmedAt: startAt },
        ...{ category: 'timeout', reason: null, cause: null, impacted: [], snapshot: null, vantage: null },
      }),
      incidents.close({ uid, endedAt: startAt + to * 60_000 }),
    ];
    await world.store.write([
      incidents.close({ uid: 'of-db', endedAt: startAt + 1 }),
      ...over('covered', 'db', [-59, -50]),
      ...over('before', 'db', [-61, -50]),
      ...over('other', 'web', [-40, -30]),
    ]);
    world.clock.advance(10_000);
    const pages = [['/', { accept: 'text/html' }], ...listings.slice(0, -2), ['/history.atom', {}]] as const;
    for (const [path, headers] of pages) {
      const shown = await text(path, headers);
      assert.doesNotMatch(shown, /incidents\/covered|11:01  db was down/, path);
      assert.match(shown, /incidents\/before|10:59\D+db was down|10:59/, path);
    }
  });
});
