import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Json } from '../../../src/db/store/operation.ts';
import { alertStates } from '../../../src/db/tables/alert-states.ts';
import { channels } from '../../../src/db/tables/channels.ts';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { moveHours } from '../../../src/db/tables/retention/move.ts';
import { packHours, samples } from '../../../src/db/tables/samples.ts';
import { StatusdError } from '../../../src/engine/core/errors.ts';
import { freshState } from '../../../src/engine/monitoring/confirm/state.ts';
import { openWorld, startAt, type World } from '../world.ts';

const config = `
auth_token = "operator-token"
rate_limit_burst = 1000

[page]
title = "Example"
history_days = 3

[[channels]]
name = "ops"
type = "webhook"
url = "https://hooks.example.com/ops"

[[incidents]]
title = "Notice"

[[monitors]]
id = "web"
group = "front"
target = "https://example.com"
degraded_over_ms = 500

[[monitors]]
id = "api"
group = "front"
target = "https://api.example.com"
public_error_detail = true

[[monitors]]
id = "quiet"
target = "https://quiet.example.com"
`;

const headers = { authorization: 'Bearer operator-token' };
const minute = 60_000;

async function fill({ store, engine }: World): Promise<void> {
  const checks = Array.from({ length: 120 }, (_, index) =>
    samples.add({
      monitor: 'web',
      at: startAt - (120 - index) * minute,
      status: index === 119 ? 'down' : 'up',
      latencyMs: index === 119 ? null : 100 + index,
      holdSecs: 90,
      isHeartbeat: false,
      category: index === 119 ? 'status' : null,
      message: index === 119 ? 'it answered 503, expected 2xx' : null,
    }),
  );
  const incident = (uid: string, monitor: string, minutesAgo: number) =>
    incidents.open({
      uid,
      monitor,
      name: monitor,
      startedAt: startAt - minutesAgo * minute,
      confirmedAt: startAt - (minutesAgo - 1) * minute,
      category: 'status',
      reason: 'it answered 503, expected 2xx',
      cause: null,
      impacted: [],
      snapshot: { statusLine: 'HTTP/1.1 503 No', headers: [['server', 'x']], body: 'sorry' },
      vantage: null,
    });
  await store.write([
    ...checks,
    incident('one', 'web', 30),
    incidents.close({ uid: 'one', endedAt: startAt - 20 * minute }),
    incident('two', 'web', 10),
    incident('three', 'api', 5),
    incident('four', 'removed', 4),
    alertStates.save({
      monitor: 'api',
      at: startAt,
      state: JSON.parse(JSON.stringify({ ...freshState, status: 'degraded' })) as Json,
    }),
    channels.failed({ channel: 'ops', at: startAt - 90_000, error: 'refused' }),
  ]);
  engine.statuses.set('web', 'down');
}

interface Summary {
  readonly [key: string]: unknown;
  readonly monitors: readonly Readonly<Record<string, unknown>>[];
  readonly incidents: readonly Readonly<Record<string, unknown>>[];
}

describe('what is read', () => {
  let world: World;
  before(async () => {
    world = await openWorld(config);
    await fill(world);
  });
  after(() => world.close());

  const summary = async (asked = {}) => (await world.ask('/api/summary', asked)).json() as Summary;
  const record = async (query: string, asked = {}) =>
    (await world.ask(`/api/incidents${query}`, asked)).json() as {
      readonly incidents: readonly Readonly<Record<string, unknown>>[];
      readonly next: string | null;
    };
  const uids = ({ incidents: list }: { readonly incidents: readonly Readonly<Record<string, unknown>>[] }) =>
    list.map(({ uid }) => uid);

  it('is a summary with the status that the engine shows, or that was stored last', async () => {
    const { monitors, ...rest } = await summary();
    assert.deepEqual(
      monitors.map(({ id, status }) => [id, status]),
      [
        ['web', 'down'],
        ['api', 'degraded'],
        ['quiet', 'unknown'],
      ],
    );
    assert.deepEqual(
      [rest['title'], rest['overall'], rest['overall_label'], rest['generated_at']],
      ['Example', 'down', 'Partial outage', '2026-06-07T12:00:00Z'],
    );
    assert.deepEqual(rest['groups'], [{ name: 'front', ids: ['web', 'api'] }]);
    assert.deepEqual(uids({ incidents: rest.incidents }), ['three', 'two']);
    const [web] = monitors;
    assert.equal(web?.['last_checked'], '2026-06-07T11:59:00Z');
    assert.equal(web['last_error'], 'status');
    assert.equal((web['history'] as unknown[]).length, 3);
    assert.ok((web['uptime_24h_permille'] as number) < 1000);
  });

  it('hides from the public why it failed, unless the monitor says otherwise', async () => {
    const [three, two] = (await summary()).incidents;
    assert.deepEqual([two?.['error'], two?.['reason'], 'snapshot' in (two ?? {})], ['status', null, false]);
    assert.equal(three?.['error'], 'it answered 503, expected 2xx');
    assert.deepEqual(three['snapshot'], {
      status_line: 'HTTP/1.1 503 No',
      headers: [['server', 'x']],
      body: 'sorry',
    });
    assert.equal('id' in three, false);
    const known = await summary({ headers });
    assert.equal(
      known.incidents.find(({ uid }) => uid === 'two')?.['error'],
      'it answered 503, expected 2xx',
    );
    assert.deepEqual(known['channels'], [
      { name: 'ops', failing: false, consecutive_failures: 1, failing_for_secs: 90 },
    ]);
  });

  it('is the incident record in pages, newest first', async () => {
    const first = await record('?limit=2');
    assert.deepEqual(uids(first), ['three', 'two']);
    const second = await record(`?limit=2&before=${first.next}`);
    assert.deepEqual([uids(second), second.next], [['one'], null]);
    assert.deepEqual(uids(await record('?open=true&monitor=web')), ['two']);
    assert.deepEqual(uids(await record('?open=false')), ['one']);
    assert.deepEqual(uids(await record('?monitor=nobody')), []);
    const one = (await record('?open=false')).incidents[0];
    assert.deepEqual([one?.['ended_at'], one?.['duration_secs']], ['2026-06-07T11:40:00Z', 600]);
  });

  it('shows the record of monitors that are no longer configured to the operator alone', async () => {
    assert.deepEqual(uids(await record('', { headers })), ['four', 'three', 'two', 'one']);
    assert.deepEqual(uids(await record('?monitor=removed', { headers })), ['four']);
    assert.deepEqual(uids(await record('?monitor=removed')), []);
  });

  it('refuses a cursor and bounds that are none', async () => {
    for (const query of ['?before=yesterday', '?limit=0', '?limit=201', '?open=maybe']) {
      assert.equal((await world.ask(`/api/incidents${query}`)).status, 400, query);
    }
  });

  it('is the latency of a monitor, oldest first', async () => {
    const points = (await world.ask('/api/monitors/web/latency?hours=1')).json() as {
      t: number;
      latency_ms: number;
    }[];
    assert.equal(points[0]?.t, (startAt - 59 * minute) / 1000);
    assert.deepEqual(points.at(-1), { t: (startAt - 2 * minute) / 1000, latency_ms: 218 });
    const times = points.map(({ t }) => t);
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b),
    );
    assert.deepEqual((await world.ask('/api/monitors/quiet/latency')).json(), []);
    assert.equal((await world.ask('/api/monitors/nobody/latency')).status, 404);
    for (const hours of ['0', '721', '1.5', 'all']) {
      assert.equal((await world.ask(`/api/monitors/web/latency?hours=${hours}`)).status, 400);
    }
  });

  it('is no half of it while samples that are not in memory cannot be read', async () => {
    const read = () => Promise.reject(new StatusdError('store_unusable', 'older history cannot be read now'));
    const away = await openWorld(config, {
      store: (store) => ({ ...store, archive: { read, keeper: null } }),
    });
    await fill(away);
    const hour = startAt / 3_600_000;
    await away.store.write([
      packHours({ monitor: 'web', hour: hour - 2 }),
      moveHours({ monitor: 'web', before: hour - 1, rewrites: 0, kept: [] }),
    ]);
    try {
      assert.equal((await away.ask('/api/monitors/web/latency?hours=1')).status, 200);
      const reply = await away.ask('/api/monitors/web/latency?hours=24');
      assert.equal(reply.status, 503);
      assert.equal(reply.headers.get('retry-after'), '5');
      assert.match(reply.text, /Older history cannot be read at the moment\./);
      assert.equal((await away.ask('/monitor/web')).status, 200);
    } finally {
      await away.close();
    }
  });

  it('follows a reload at once', async () => {
    await world.reload(
      config.replace('title = "Example"', 'title = "Other"').replace('id = "quiet"', 'id = "new"'),
    );
    const { title, monitors } = await summary();
    assert.equal(title, 'Other');
    assert.deepEqual(
      monitors.map(({ id }) => id),
      ['web', 'api', 'new'],
    );
  });
});

describe('what a healthy heartbeat said', () => {
  it('is shown where an error would be, for those who would see the detail of one', async () => {
    const world = await openWorld(`auth_token = "operator-token"

[[monitors]]
id = "backup"
kind = "push"

[[monitors]]
id = "told"
kind = "push"
public_error_detail = true
`);
    try {
      const beat = async (monitor: string) => {
        await world.store.write([
          samples.add({
            monitor,
            at: startAt - 1000,
            status: 'up',
            latencyMs: null,
            holdSecs: 90,
            isHeartbeat: true,
            category: null,
            message: 'copied 12 GB',
          }),
        ]);
      };
      for (const id of ['backup', 'told']) {
        await beat(id);
        world.engine.statuses.set(id, 'up');
      }
      // What is shown is two seconds behind at most.
      world.clock.advance(3000);
      const operator = { authorization: 'Bearer operator-token' };
      const errors = async (headers: Readonly<Record<string, string>>) => {
        const { monitors } = (await world.ask('/api/summary', { headers })).json() as Summary;
        return monitors.map((monitor) => monitor['last_error']);
      };
      assert.deepEqual(await errors(operator), ['copied 12 GB', 'copied 12 GB']);
      assert.deepEqual(await errors({}), [null, 'copied 12 GB']);
      const page = async (headers: Readonly<Record<string, string>>) =>
        (await world.ask('/', { headers: { accept: 'text/html', ...headers } })).text.split('copied 12 GB')
          .length - 1;
      assert.deepEqual([await page(operator), await page({})], [2, 1]);
    } finally {
      await world.close();
    }
  });
});
