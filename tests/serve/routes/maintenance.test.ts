import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { incidentUpdates } from '../../../src/db/tables/incident-updates.ts';
import { maintenances } from '../../../src/db/tables/maintenances.ts';
import { samples } from '../../../src/db/tables/samples.ts';
import { meta } from '../../../src/db/tables/meta.ts';
import { keepMaintenance, plannedMaintenance } from '../../../src/engine/operations/planned-maintenance.ts';
import { openWorld, startAt, type World } from '../world.ts';

const minute = 60_000;
const hour = 60 * minute;
const bearer = { authorization: 'Bearer operator-token' };

const config = `
auth_token = "operator-token"
rate_limit_burst = 100000

[page]
history_days = 3

[[monitors]]
id = "web"
name = "Website"
group = "Front"
target = "https://example.com"
slo_uptime = 99.9

[[monitors]]
id = "db"
name = "Database"
target = "https://db.example.com"
slo_uptime = 99.9

[[monitors]]
id = "hidden"
target = "https://hidden.example.com"
public = false
`;

interface Planned {
  readonly id: number | null;
  readonly uid: string;
  readonly title: string;
  readonly monitors: readonly string[];
  readonly start: string;
  readonly end: string;
  readonly state: string;
  readonly source: string;
}

describe('maintenance by HTTP', () => {
  let world: World;
  before(async () => {
    world = await openWorld(config);
  });
  after(() => world.close());

  const post = (body: object, headers: Record<string, string> = bearer) =>
    world.ask('/api/maintenance', {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const listed = async () =>
    ((await world.ask('/api/maintenance', { headers: bearer })).json() as { maintenances: Planned[] })
      .maintenances;

  it('is planned, listed, shown and cancelled by the operator', async () => {
    const reply = await post({ title: 'Upgrade', monitors: ['db', 'hidden'], duration: '2h' });
    assert.equal(reply.status, 201, reply.text);
    const planned = reply.json() as Planned;
    assert.deepEqual(
      [planned.title, planned.monitors, planned.start, planned.end, planned.state, planned.source],
      ['Upgrade', ['db', 'hidden'], '2026-06-07T12:00:00Z', '2026-06-07T14:00:00Z', 'active', 'operator'],
    );
    assert.deepEqual(
      (await listed()).map(({ uid }) => uid),
      [planned.uid],
    );
    const page = await world.ask('/', { headers: { accept: 'text/html' } });
    assert.match(page.text, /Upgrade<\/bdi> <span class="soft">\(Database\)/);
    const summary = (await world.ask('/api/summary')).json() as {
      readonly maintenances: unknown;
      readonly monitors: readonly { readonly id: string; readonly maintenance: boolean }[];
    };
    assert.deepEqual(summary.maintenances, [
      { title: 'Upgrade', start: planned.start, end: planned.end, monitors: ['db'] },
    ]);
    assert.deepEqual(
      summary.monitors.map(({ id, maintenance }) => [id, maintenance]),
      [
        ['web', false],
        ['db', true],
      ],
    );
    world.clock.advance(10 * minute);
    const ended = await world.ask(`/api/maintenance/${planned.id}`, { method: 'DELETE', headers: bearer });
    assert.deepEqual([ended.status, ended.json()], [200, { cancelled: 1 }]);
    assert.deepEqual(await listed(), []);
    assert.deepEqual(
      maintenances.list(world.store.sql).map(({ startAt: from, endAt }) => endAt - from),
      [10 * minute],
    );
    const again = await world.ask(`/api/maintenance/${planned.uid}`, { method: 'DELETE', headers: bearer });
    assert.equal(again.status, 404);
  });

  it('is gone when it is cancelled before it begins', async () => {
    const { uid } = (await post({ groups: ['Front'], start: '2h', duration: '1h' })).json() as Planned;
    assert.deepEqual(
      (await listed()).map(({ title, monitors, state }) => [title, monitors, state]),
      [['Maintenance', ['web'], 'planned']],
    );
    const reply = await world.ask(`/api/maintenance/${uid}`, { method: 'DELETE', headers: bearer });
    assert.deepEqual(reply.json(), { cancelled: 1 });
    assert.ok(maintenances.list(world.store.sql).every((row) => row.uid !== uid));
  });

  it('is named as without a title when its title shows nothing', async () => {
    const { uid, title } = (
      await post({
        title: '\u200b \u2060',
        monitors: ['all'],
        start: '2h',
        duration: '1h',
      })
    ).json() as Planned;
    assert.equal(title, 'Maintenance');
    assert.equal(
      (await world.ask(`/api/maintenance/${uid}`, { method: 'DELETE', headers: bearer })).status,
      200,
    );
  });

  it('covers everything for `all`, and what is named by name or group', async () => {
    for (const [names, covered] of [
      [['all'], ['*']],
      [
        ['Database', 'front'],
        ['web', 'db'],
      ],
    ] as const) {
      const planned = (await post({ monitors: names, start: '2h', duration: '1h' })).json() as Planned;
      assert.deepEqual(planned.monitors, covered);
      await world.ask(`/api/maintenance/${planned.uid}`, { method: 'DELETE', headers: bearer });
    }
  });

  it('takes times without an offset for those of the zone that is named', async () => {
    const startOf = async (start: string, more: object = {}) => {
      const asked = { monitors: ['all'], start, duration: '1h', ...more };
      const planned = (await post(asked)).json() as Planned;
      await world.ask(`/api/maintenance/${planned.uid}`, { method: 'DELETE', headers: bearer });
      return planned.start;
    };
    const berlin = { timezone: 'Europe/Berlin' };
    assert.equal(await startOf('22:00'), '2026-06-07T22:00:00Z');
    assert.equal(await startOf('22:00', berlin), '2026-06-07T20:00:00Z');
    assert.equal(await startOf('22:00 UTC', berlin), '2026-06-07T22:00:00Z');
    assert.equal(await startOf('2026-12-01 22:00', berlin), '2026-12-01T21:00:00Z');
    assert.equal(await startOf('2026-12-01T22:00:00+05:00', berlin), '2026-12-01T17:00:00Z');
  });

  it('is refused when it makes no sense, and for clients other than the operator', async () => {
    const refusals: readonly (readonly [object, number, RegExp])[] = [
      [{}, 400, /either a duration or an end/],
      [{ duration: '1h', end: '2h' }, 400, /either a duration or an end/],
      [{ monitors: ['all'], duration: '60d' }, 400, /too long/],
      [{ monitors: ['all'], start: 'soon', duration: '1h' }, 400, /'soon' is no time/],
      [{ monitors: ['all'], start: '2026-06-01T00:00:00Z', duration: '1h' }, 400, /is over/],
      [{ monitors: ['all'], start: '3h', end: '2h' }, 400, /The end is not after the start/],
      [{ monitors: ['web'], duration: '1h', timezone: 'Mars' }, 400, /no time zone 'Mars'/],
      // To cover everything has to be asked for.
      [{ duration: '1h' }, 400, /No monitor is named\. Name monitors .* or all\./],
      [{ monitors: [], groups: [], duration: '1h' }, 400, /No monitor is named/],
      [{ monitors: ['nothing'], duration: '1h' }, 404, /no monitor 'nothing'/],
      [{ groups: ['Fronts'], duration: '1h' }, 404, /no group 'Fronts'/],
      // Taken for nothing said, each of these would cover everything.
      [{ monitors: [''], duration: '1h' }, 400, /No monitor is named/],
      [{ monitors: ['web', ' '], duration: '1h' }, 400, /The name of a monitor is empty/],
      [{ monitors: ['web'], groups: [' '], duration: '1h' }, 400, /The name of a group is empty/],
      [{ monitor: ['web'], duration: '1h' }, 400, /monitor is an unknown field; did you mean monitors\?/],
      [{ ids: ['web'], duration: '1h' }, 400, /ids is an unknown field; there are title, monitors, /],
    ];
    for (const [body, status, says] of refusals) {
      const reply = await post(body);
      assert.deepEqual([reply.status, says.test(reply.text)], [status, true], reply.text);
    }
    assert.deepEqual(await listed(), []);
    assert.equal((await post({ monitors: ['web'], duration: '1h' }, {})).status, 401);
    assert.equal((await world.ask('/api/maintenance')).status, 401);
    assert.equal((await world.ask('/api/maintenance/1', { method: 'DELETE' })).status, 401);
  });

  it('of the configuration is listed, and cancelled there alone', async () => {
    await world.reload(
      `${config}[[maintenance]]\ntitle = "Nightly"\nschedule = "30 3 * * *"\nduration = "1h"\nmonitors = ["web"]\n`,
    );
    const [first, second] = await listed();
    assert.deepEqual(
      [first?.title, first?.id, first?.source, first?.start, second?.start],
      ['Nightly', null, 'schedule', '2026-06-08T03:30:00Z', '2026-06-09T03:30:00Z'],
    );
    const reply = await world.ask(`/api/maintenance/${first?.uid}`, { method: 'DELETE', headers: bearer });
    assert.equal(reply.status, 409);
    const { maintenances: shown } = (await world.ask('/api/summary')).json() as { maintenances: unknown[] };
    assert.equal(shown.length, 7);
  });
});

/** Samples of a minute each over two hours, down from 10:30 to 11:15 of the day. */
async function failing(world: World, id: string): Promise<void> {
  const from = startAt - 3 * hour;
  const downAt = [startAt - 90 * minute, startAt - 45 * minute] as const;
  const steps = Array.from({ length: 180 }, (_, index) => from + index * minute);
  await world.store.write([
    ...steps.map((at) =>
      samples.add({
        monitor: id,
        at,
        status: at >= downAt[0] && at < downAt[1] ? 'down' : 'up',
        latencyMs: 5,
        holdSecs: 90,
        isHeartbeat: false,
        category: null,
        message: null,
      }),
    ),
    incidents.open({
      uid: `of-${id}`,
      monitor: id,
      name: id,
      startedAt: downAt[0],
      confirmedAt: downAt[0] + minute,
      category: 'timeout',
      reason: null,
      cause: null,
      impacted: [],
      snapshot: null,
      vantage: null,
    }),
    incidents.close({ uid: `of-${id}`, endedAt: downAt[1] }),
  ]);
}

describe('the feed', () => {
  const inTwo = (window: string) => openWorld(`${config}[[maintenance]]\ntitle = "Upgrade"\n${window}`);
  const down = async (world: World, monitor: string) => {
    await world.store.write([
      incidents.open({
        uid: `of-${monitor}`,
        monitor,
        name: monitor,
        startedAt: startAt - minute,
        confirmedAt: startAt,
        category: 'timeout',
        reason: null,
        cause: null,
        impacted: [],
        snapshot: null,
        vantage: null,
      }),
    ]);
  };
  const feed = async (world: World) => (await world.ask('/history.atom')).text;

  it('has no outage that lasts under maintenance, as page and mails, until it is over or an operator writes of it', async () => {
    const iso = (at: number) => new Date(at).toISOString();
    const world = await inTwo(
      `start = "${iso(startAt - hour)}"\nend = "${iso(startAt + hour)}"\nmonitors = ["web"]\n`,
    );
    await down(world, 'web');
    await down(world, 'db');
    assert.doesNotMatch(await feed(world), /incidents\/of-web/);
    assert.match(await feed(world), /incidents\/of-db/, 'an outage beside it is shown');
    assert.doesNotMatch(await feed(world), /urn:[^<]*<\/id><title>[^<]*Website[^<]*down/);
    await world.store.write([
      incidentUpdates.add({
        uid: 'said',
        incident: 'of-web',
        at: startAt + 1,
        state: 'identified',
        message: 'It takes longer.',
        author: 'Ann',
      }),
    ]);
    assert.match(await feed(world), /incidents\/of-web/);
    await world.close();
  });

  it('has it again when the maintenance is over and it lasts', async () => {
    const iso = (at: number) => new Date(at).toISOString();
    const world = await inTwo(
      `start = "${iso(startAt - 2 * hour)}"\nend = "${iso(startAt - hour)}"\nmonitors = ["web"]\n`,
    );
    await down(world, 'web');
    assert.match(await feed(world), /incidents\/of-web/);
    await world.close();
  });
});

describe('time under maintenance', () => {
  let world: World;
  before(async () => {
    world = await openWorld(
      `${config}[[maintenance]]\ntitle = "Upgrade"\nstart = "2026-06-07T10:30:00Z"\nend = "2026-06-07T11:00:00Z"\nmonitors = ["db"]\n`,
    );
    await failing(world, 'web');
    await failing(world, 'db');
  });
  after(() => world.close());

  it('counts for no uptime, no coverage and no budget: page, API and report agree to the second', async () => {
    const { monitors } = (await world.ask('/api/summary')).json() as {
      readonly monitors: readonly {
        readonly id: string;
        readonly uptime_24h_permille: number;
        readonly error_budget_minutes_left: number;
        readonly history: readonly { readonly uptime_permille: number | null }[];
      }[];
    };
    const [web, db] = monitors;
    // 45 of 180 minutes down; of the other, 15 of 150.
    assert.deepEqual([web?.uptime_24h_permille, db?.uptime_24h_permille], [750, 900]);
    assert.deepEqual([web?.history.at(-1)?.uptime_permille, db?.history.at(-1)?.uptime_permille], [750, 900]);
    assert.deepEqual([web?.error_budget_minutes_left, db?.error_budget_minutes_left], [-1.8, 28.1]);
    const report = (await world.ask('/report/2026-06', { headers: { accept: 'text/plain' } })).text;
    assert.match(report, /Website +75\.00% +\S+ +1 +45m +45m/);
    assert.match(report, /Database +90\.00% +\S+ +1 +15m +15m/);
    assert.match(report, /30m of maintenance left out/);
    const badge = await world.ask('/api/badge/db/uptime?window=7d');
    assert.match(badge.text, /90\.0/);
    const metrics = (await world.ask('/metrics')).text;
    assert.match(metrics, /statusd_monitor_uptime_ratio\{id="db"[^}]*\} 0\.9\n/);
  });

  it('planned afterwards for other hours leaves the figures as they are', async () => {
    await world.ask('/api/maintenance', {
      method: 'POST',
      headers: { ...bearer, 'content-type': 'application/json' },
      body: JSON.stringify({ monitors: ['web'], duration: '1h', start: '1h' }),
    });
    const { monitors } = (await world.ask('/api/summary')).json() as {
      readonly monitors: readonly { readonly uptime_24h_permille: number }[];
    };
    assert.equal(monitors[0]?.uptime_24h_permille, 750);
  });
});

describe('the windows of a schedule', () => {
  const nightly = (duration: string) =>
    `${config}[[maintenance]]\nschedule = "0 11 * * *"\nduration = "${duration}"\nmonitors = ["web"]\n`;
  let world: World;
  before(async () => {
    world = await openWorld(nightly('30m'));
  });
  after(() => world.close());

  const planned = () =>
    plannedMaintenance(world.store.sql, world.loaded().config, world.clock.now()).map(
      ({ startAt: from, endAt }) =>
        [new Date(from).toISOString().slice(0, 16), (endAt - from) / minute] as const,
    );
  const keep = async () => {
    const { sql } = world.store;
    for (const step of keepMaintenance(sql, world.loaded().config, world.clock.now()))
      await world.store.write([step]);
  };

  it('were planned when they were first seen in the configuration', async () => {
    const single = `${nightly('30m')}[[maintenance]]\ntitle = "Once"\nstart = "2026-06-20T11:00:00Z"\nend = "2026-06-20T13:00:00Z"\n`;
    const seen = await openWorld(single);
    const { sql } = seen.store;
    const created = () =>
      plannedMaintenance(sql, seen.loaded().config, seen.clock.now()).map(({ createdAt }) => createdAt);
    assert.deepEqual(new Set(created()), new Set([null]));
    const seenAt = seen.clock.now();
    for (const step of keepMaintenance(sql, seen.loaded().config, seenAt)) await seen.store.write([step]);
    seen.clock.advance(24 * hour);
    assert.deepEqual(keepMaintenance(sql, seen.loaded().config, seenAt), []);
    assert.deepEqual(new Set(created()), new Set([seenAt]));
    for (const step of keepMaintenance(sql, seen.loaded().config, seen.clock.now()))
      await seen.store.write([step]);
    assert.deepEqual(
      maintenances.list(sql).map(({ createdAt }) => createdAt),
      [seenAt],
    );
    await seen.reload(config);
    for (const step of keepMaintenance(sql, seen.loaded().config, seen.clock.now()))
      await seen.store.write([step]);
    assert.equal(meta.get(sql, 'maintenance_seen'), null);
    await seen.close();
  });

  it('count from when they were first seen, and what took place stays when the schedule changes', async () => {
    assert.equal(planned()[0]?.[0], '2026-06-08T11:00', 'the one of this morning was not announced');
    await keep();
    assert.deepEqual(keepMaintenance(world.store.sql, world.loaded().config, world.clock.now()), []);
    world.clock.advance(24 * hour);
    assert.deepEqual(planned()[0], ['2026-06-08T11:00', 30]);
    await keep();
    assert.deepEqual(maintenances.list(world.store.sql).length, 1);
    await world.reload(nightly('2h'));
    await keep();
    assert.deepEqual(planned().slice(0, 2), [
      ['2026-06-08T11:00', 30],
      ['2026-06-08T11:00', 120],
    ]);
    world.clock.advance(25 * hour);
    await keep();
    await world.reload(config);
    await keep();
    assert.deepEqual(planned(), [
      ['2026-06-08T11:00', 30],
      ['2026-06-08T11:00', 120],
      ['2026-06-09T11:00', 120],
    ]);
  });
});

describe('a window of the configuration with a beginning and an end', () => {
  const single = (title: string, from: string, to: string) =>
    `${config}[[maintenance]]\ntitle = "${title}"\nstart = "2026-06-${from}:00Z"\nend = "2026-06-${to}:00Z"\nmonitors = ["web"]\n`;
  let world: World;
  beforeEach(async () => {
    world = await openWorld(single('Move', '08T13:00', '08T15:00'));
  });
  afterEach(() => world.close());

  const keep = async () => {
    const { sql } = world.store;
    for (const step of keepMaintenance(sql, world.loaded().config, world.clock.now()))
      await world.store.write([step]);
  };
  const to = async (instant: string) => {
    world.clock.advance(Date.parse(`2026-06-${instant}:00Z`) - world.clock.now());
    await keep();
  };
  const planned = () =>
    plannedMaintenance(world.store.sql, world.loaded().config, world.clock.now()).map(
      ({ title, startAt, endAt }) =>
        `${title} ${[startAt, endAt].map((at) => new Date(at).toISOString().slice(8, 16)).join(' to ')}`,
    );
  const reload = async (text: string) => {
    await world.reload(text);
    await keep();
  };

  it('stays when it is over and leaves the file', async () => {
    await keep();
    await to('08T14:00');
    await to('08T15:00');
    assert.deepEqual(planned(), ['Move 08T13:00 to 08T15:00']);
    await reload(config);
    assert.deepEqual(planned(), ['Move 08T13:00 to 08T15:00']);
  });

  it('stays as far as it lasted when it leaves the file before its end, and goes on when it comes back', async () => {
    await keep();
    await to('08T14:00');
    await reload(config);
    assert.deepEqual(planned(), ['Move 08T13:00 to 08T14:00']);
    await reload(single('Move', '08T13:00', '08T15:00'));
    assert.deepEqual(planned(), ['Move 08T13:00 to 08T14:00', 'Move 08T13:00 to 08T15:00']);
    await to('08T16:00');
    await reload(config);
    assert.deepEqual(planned(), ['Move 08T13:00 to 08T14:00', 'Move 08T13:00 to 08T15:00']);
  });

  it('is no fact when it leaves the file before it begins, or was over when it was first seen', async () => {
    await keep();
    await reload(config);
    await to('08T16:00');
    assert.deepEqual(planned(), []);
    await reload(single('Late', '08T13:00', '08T15:00'));
    assert.deepEqual(planned(), ['Late 08T13:00 to 08T15:00']);
    await reload(config);
    assert.deepEqual(planned(), []);
  });

  it('is kept where nothing ran at its end and the file was changed meanwhile', async () => {
    await keep();
    await to('08T13:30');
    world.clock.advance(48 * hour);
    await reload(config);
    assert.deepEqual(planned(), ['Move 08T13:00 to 08T15:00']);
  });
});

describe('maintenance by a schedule', () => {
  const table = (title: string, schedule: string) =>
    `[[maintenance]]\ntitle = "${title}"\nschedule = "${schedule}"\nduration = "20m"\nmonitors = ["web"]\n`;
  let world: World;
  before(async () => {
    world = await openWorld(`${config}${table('Backup', '50 * * * *')}${table('Vacuum', '0 3 * * *')}`);
    const keep = async () => {
      const { sql } = world.store;
      for (const step of keepMaintenance(sql, world.loaded().config, world.clock.now()))
        await world.store.write([step]);
    };
    await keep();
    world.clock.advance(4 * hour + 55 * minute);
    await keep();
  });
  after(() => world.close());

  const count = async (path: string, part: RegExp, headers: Readonly<Record<string, string>> = {}) =>
    (await world.ask(path, { headers })).text.match(part)?.length ?? 0;

  it('is shown while it is under way and the next time, on pages, in their text and in the feed', async () => {
    for (const path of ['/', '/status/Front']) {
      assert.equal(await count(path, /<bdi>Backup/g, { accept: 'text/html' }), 2, path);
      assert.equal(await count(path, /<bdi>Vacuum/g, { accept: 'text/html' }), 1, path);
      assert.equal(await count(path, /MAINTENANCE  Backup/g, { accept: 'text/plain' }), 2, path);
      assert.equal(await count(path, /MAINTENANCE  Vacuum/g, { accept: 'text/plain' }), 1, path);
    }
    assert.equal(await count('/history.atom', /<title>[^<]*: Backup/g), 2);
    assert.equal(await count('/history.atom', /<title>[^<]*: Vacuum/g), 1);
  });

  it('is whole in the calendar and in the API', async () => {
    assert.ok((await count('/maintenance.ics', /SUMMARY[^\r]*Backup/g)) > 10);
    assert.ok((await count('/api/summary', /"title":"Backup"/g)) > 10);
  });
});

describe('maintenance without a title', () => {
  it('is called that in the language of the page', async () => {
    const window = `[[maintenance]]\nstart = "2026-06-07T11:00:00Z"\nend = "2026-06-07T13:00:00Z"\n`;
    const world = await openWorld(config.replace('[page]\n', '[page]\nlanguage = "de"\n') + window);
    for (const [path, words] of [
      ['/', /<b>Wartung läuft:<\/b> <bdi>Wartung<\/bdi>/],
      ['/history', /<bdi>Wartung<\/bdi>/],
      ['/history.atom', /<title>Wartung läuft: Wartung<\/title>/],
      ['/maintenance.ics', /SUMMARY:Wartung\r/],
    ] as const)
      assert.match((await world.ask(path, { headers: { accept: 'text/html' } })).text, words, path);
    await world.close();
  });
});
