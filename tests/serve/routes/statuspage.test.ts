import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { incidentUpdates, postmortems } from '../../../src/db/tables/incident-updates.ts';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { maintenances } from '../../../src/db/tables/maintenances.ts';
import { declareIncident } from '../../../src/db/tables/recorded-incidents.ts';
import { monitorTables, openWorld, startAt, upBefore, type World } from '../world.ts';

const hour = 3_600_000;

const config = `
auth_token = "operator-token"
base_url = "https://status.example.org"
rate_limit_burst = 100000

[page]
title = "Our status"

[[monitors]]
id = "web"
name = "Website"
group = "Front"
target = "https://example.com"

[[monitors]]
id = "app"
name = "App"
group = "Front"
target = "https://app.example.com"

[[monitors]]
id = "db"
name = "Database"
target = "https://db.example.com"
description = "Where the data is"
`;

interface Answer {
  readonly page: Record<string, unknown>;
  readonly status: Record<string, unknown>;
  readonly components: readonly (Record<string, unknown> & { readonly name: string })[];
  readonly incidents: readonly Event[];
  readonly scheduled_maintenances: readonly (Event & Record<string, unknown>)[];
}

interface Event {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly impact: string;
  readonly resolved_at: string | null;
  readonly components: readonly { readonly id: string }[];
  readonly incident_updates: readonly { readonly status: string; readonly body: string }[];
}

describe('the API of Statuspage', () => {
  let world: World;
  before(async () => {
    world = await openWorld(config);
    const outage = (uid: string, monitor: string, startedAt: number) =>
      incidents.open({
        uid,
        monitor,
        name: monitor === 'web' ? 'Website' : 'Database',
        startedAt,
        confirmedAt: startedAt + 60_000,
        category: 'timeout',
        reason: 'a secret address',
        cause: null,
        impacted: [],
        snapshot: null,
        vantage: null,
      });
    const plan = (uid: string, fromHours: number) =>
      maintenances.add({
        id: null,
        uid,
        title: `Work ${uid}`,
        monitors: ['db'],
        startAt: startAt + fromHours * hour,
        endAt: startAt + (fromHours + 1) * hour,
        createdAt: startAt - 9 * hour,
      });
    await world.store.write([
      outage('over', 'db', startAt - 5 * hour),
      incidents.close({ uid: 'over', endedAt: startAt - 4 * hour }),
      postmortems.set({ incident: 'over', text: 'Why', at: startAt }),
      outage('open', 'web', startAt - hour),
      incidentUpdates.add({
        uid: 'said',
        incident: 'open',
        at: startAt - hour / 2,
        state: 'identified',
        message: 'We know why.',
        author: 'a secret name',
      }),
      declareIncident({
        id: 9,
        uid: 'hand',
        title: 'Slow mail',
        impact: 'degraded',
        monitors: [],
        at: startAt,
      }),
      plan('past', -3),
      plan('now', -0.5),
      plan('later', 30),
    ]);
    world.engine.statuses.set('web', 'down').set('app', 'up').set('db', 'up');
  });
  after(() => world.close());

  const read = async (path: string): Promise<Answer> => {
    const reply = await world.ask(`/api/v2/${path}`);
    assert.equal(reply.status, 200, reply.text);
    assert.match(reply.headers.get('cache-control') ?? '', /^public, max-age=5/);
    assert.doesNotMatch(reply.text, /secret/);
    return reply.json() as Answer;
  };

  it('says who it is and how everything is', async () => {
    const { page, status } = await read('status.json');
    assert.deepEqual(Object.keys(page), ['id', 'name', 'url', 'time_zone', 'updated_at']);
    assert.deepEqual(
      [page['name'], page['url'], page['time_zone'], page['updated_at']],
      ['Our status', 'https://status.example.org', 'Etc/UTC', '2026-06-07T12:00:00Z'],
    );
    assert.deepEqual(status, { indicator: 'major', description: 'Partial System Outage' });
  });

  it('lists groups as components with their own', async () => {
    const { components } = await read('components.json');
    assert.deepEqual(
      components.map(({ name, status, group, position }) => [name, status, group, position]),
      [
        ['Front', 'partial_outage', true, 1],
        ['Website', 'major_outage', false, 2],
        ['App', 'operational', false, 3],
        ['Database', 'under_maintenance', false, 4],
      ],
    );
    assert.deepEqual(components[0]?.['components'], ['web', 'app']);
    assert.equal(components[1]?.['group_id'], components[0]['id']);
    assert.equal(components[3]?.['description'], 'Where the data is');
  });

  it('lists incidents with their updates, the newest first, and why they began as the page and the feed say', async () => {
    const { incidents: all } = await read('incidents.json');
    assert.deepEqual(
      all.map(({ id, name, status, impact }) => [id, name, status, impact]),
      [
        ['hand', 'Slow mail', 'investigating', 'minor'],
        ['open', 'Website is down', 'identified', 'major'],
        ['over', 'Database is down', 'postmortem', 'major'],
      ],
    );
    assert.deepEqual(
      all[1]?.incident_updates.map(({ status, body }) => [status, body]),
      [
        ['identified', 'We know why.'],
        ['investigating', 'Website is down. It did not answer in time.'],
      ],
    );
    assert.deepEqual(
      all[2]?.components.map(({ id }) => id),
      ['db'],
    );
    const { incidents: open } = await read('incidents/unresolved.json');
    assert.deepEqual(
      open.map(({ id }) => id),
      ['hand', 'open'],
    );
  });

  it('lists maintenance that was, is and comes', async () => {
    const ids = async (path: string) =>
      (await read(path)).scheduled_maintenances.map(({ id, status }) => [id, status]);
    assert.deepEqual(await ids('scheduled-maintenances.json'), [
      ['later', 'scheduled'],
      ['now', 'in_progress'],
      ['past', 'completed'],
    ]);
    assert.deepEqual(await ids('scheduled-maintenances/upcoming.json'), [['later', 'scheduled']]);
    assert.deepEqual(await ids('scheduled-maintenances/active.json'), [['now', 'in_progress']]);
    const [later] = (await read('scheduled-maintenances/upcoming.json')).scheduled_maintenances;
    assert.deepEqual(
      [later?.['scheduled_for'], later?.['scheduled_until']],
      ['2026-06-08T18:00:00Z', '2026-06-08T19:00:00Z'],
    );
    const plannedAt = new Date(startAt - 9 * hour).toISOString().replace('.000', '');
    assert.deepEqual([later?.['created_at'], later?.['updated_at']], [plannedAt, plannedAt]);
  });

  it('sums it all up', async () => {
    const summary = await read('summary.json');
    assert.deepEqual(Object.keys(summary), [
      'page',
      'components',
      'incidents',
      'scheduled_maintenances',
      'status',
    ]);
    assert.deepEqual(
      summary.incidents.map(({ id }) => id),
      ['hand', 'open'],
    );
    assert.deepEqual(
      summary.scheduled_maintenances.map(({ id }) => id),
      ['now', 'later'],
    );
  });

  it('stays the same, tag and all, while nothing changes', async () => {
    for (const path of ['status.json', 'summary.json', 'incidents.json', 'scheduled-maintenances.json']) {
      const first = await world.ask(`/api/v2/${path}`);
      world.clock.advance(5000);
      const headers = { 'if-none-match': first.headers.get('etag') ?? '' };
      assert.equal((await world.ask(`/api/v2/${path}`, { headers })).status, 304, path);
    }
  });

  it('is shown beside feeds, history and calendar of a group and a monitor', async () => {
    const text = async (path: string) => (await world.ask(path)).text;
    const whole = await text('/history.atom');
    assert.match(
      whole,
      /<title>Our status: History<\/title>.*href="https:\/\/status\.example\.org\/maintenance\.ics"/s,
    );
    assert.match(whole, /<title>Maintenance now: Work now<\/title>/);
    assert.match(whole, /<title>Maintenance is over: Work past<\/title>/);
    const front = await text('/history.atom?group=Front');
    assert.match(front, /<title>Our status: History of Front<\/title>/);
    assert.match(front, /href="https:\/\/status\.example\.org\/history\.atom\?group=Front"/);
    assert.match(front, /Website is down/);
    assert.doesNotMatch(front, /Database|Work|Slow mail/);
    const db = await text('/history.atom?monitor=db');
    assert.match(db, /History of Database.*Work now/s);
    assert.doesNotMatch(db, /Website/);
    assert.equal((await world.ask('/history.atom?group=Nothing')).status, 404);
    assert.equal((await world.ask('/history.atom?monitor=nothing')).status, 404);
    const page = await world.ask('/history?group=Front', { headers: { accept: 'text/html' } });
    assert.match(page.text, /History of <bdi>Front<\/bdi>/);
    assert.doesNotMatch(page.text, /Work past/);
    const lines = await world.ask('/history?monitor=db', { headers: { accept: 'text/plain' } });
    assert.match(lines.text, /Maintenance: Work past \(Database\), to 2026-06-07 10:00\./);
    const calendar = await world.ask('/maintenance.ics');
    assert.equal(calendar.headers.get('content-type'), 'text/calendar; charset=utf-8');
    assert.deepEqual(
      calendar.text.match(/SUMMARY:.*/g),
      ['SUMMARY:Work past\r', 'SUMMARY:Work now\r', 'SUMMARY:Work later\r'].map((line) => line.trim()),
    );
  });
});

describe('a component of which nothing is known', () => {
  const shown = async (world: World) => {
    const { status, components } = (await world.ask('/api/v2/summary.json')).json() as Answer;
    return [status['indicator'], status['description'], ...components.map((each) => each['status'])];
  };
  const tables = monitorTables(['web', 'db']);

  it('is operational before its first check: nothing is wrong with it, and a program would alert', async () => {
    const world = await openWorld(tables);
    try {
      assert.deepEqual(await shown(world), ['none', 'No Data Yet', 'operational', 'operational']);
      await world.store.write(upBefore(['db']));
      world.engine.statuses.set('db', 'up');
      world.clock.advance(10_000);
      assert.deepEqual(await shown(world), ['none', 'All Systems Operational', 'operational', 'operational']);
    } finally {
      await world.close();
    }
  });

  it('is degraded when it was checked, and what came of that is that it failed or could not be asked', async () => {
    const world = await openWorld(tables);
    try {
      await world.store.write(upBefore(['web', 'db']));
      world.engine.statuses.set('db', 'unknown').set('web', 'unknown');
      const degraded = 'degraded_performance';
      assert.deepEqual(await shown(world), ['minor', 'Status Unknown', degraded, degraded]);
    } finally {
      await world.close();
    }
  });
});

describe('maintenance of a configuration that was just loaded', () => {
  it('was not planned in the future', async () => {
    const inDays = (days: number) => new Date(startAt + days * 24 * hour).toISOString();
    const world = await openWorld(`${config}
[[maintenance]]
title = "New disks"
start = "${inDays(2)}"
end = "${inDays(3)}"

[[maintenance]]
schedule = "0 3 * * *"
duration = "1h"
`);
    const reply = await world.ask('/api/v2/scheduled-maintenances/upcoming.json');
    const { scheduled_maintenances: windows } = reply.json() as Answer;
    assert.ok(windows.length > 2);
    const instants = windows.flatMap((each) => [each['created_at'], each['updated_at']]);
    assert.deepEqual(
      instants.filter((at) => !(Date.parse(String(at)) <= startAt)),
      [],
    );
    await world.close();
  });
});
