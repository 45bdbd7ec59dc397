import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Operation } from '../../src/db/store/operation.ts';
import { closedMonths } from '../../src/db/tables/closed-months.ts';
import { decisions } from '../../src/db/tables/decisions.ts';
import { addEvent } from '../../src/db/tables/events.ts';
import { incidentUpdates, postmortems } from '../../src/db/tables/incident-updates.ts';
import { maintenances } from '../../src/db/tables/maintenances.ts';
import { incidents } from '../../src/db/tables/incidents.ts';
import { declareIncident } from '../../src/db/tables/recorded-incidents.ts';
import { producerAlerts } from '../../src/db/tables/producer-alerts.ts';
import { samples } from '../../src/db/tables/samples.ts';
import { silences } from '../../src/db/tables/silences.ts';
import type { Store } from '../../src/db/store/store.ts';
import { schema } from '../../src/db/tables/schema/schema.ts';
import { MonthCloser } from '../../src/engine/monitoring/month-closer.ts';
import { routes } from '../../src/serve/routes/all.ts';
import { openTestNode } from '../support/nodes.ts';
import { type Postgres, skipWithoutPostgres, startPostgres } from '../support/postgres.ts';
import { mailConfig, readerLink, readerWrites } from '../support/reader.ts';
import { openWorld, startAt, type World } from './world.ts';

const common = `
auth_token = "operator-token"
base_url = "https://status.example.org"
group_tokens = { infra = "infra-token" }
rate_limit_burst = 100000
${mailConfig.tail}`;

const shared = `
[[peers]]
id = "node-b"
listen_token = "token-of-b"
expect_every_secs = 60

[[monitors]]
id = "web"
name = "Website"
group = "public"
target = "https://example.com"
slo_uptime = 99.9
depends_on = [DEPENDS]

[[monitors]]
id = "job"
kind = "push"
push_token = "job-token"
group = "infra"

[[maintenance]]
title = "For some"
start = "2026-06-07T11:00:00Z"
end = "2026-06-07T13:00:00Z"
monitors = ["job"HIDDEN]

[[maintenance]]
title = "Each day"
schedule = "0 15 * * *"
duration = "1h"
monitors = ["web"]

[[maintenance]]
title = "Each day"
schedule = "0 18 * * *"
duration = "1h"
monitors = ["web"HIDDEN]
`;

const hidden = `
[[monitors]]
id = "hidden"
name = "Hidden database"
kind = "push"
push_token = "hidden-token"
group = "infra"
public = false

[[monitors]]
id = "alone"
name = "In a group of its own"
target = "https://alone.example.com"
group = "secret group"
public = false

[[maintenance]]
title = "For nobody to know"
start = "2026-06-07T11:00:00Z"
end = "2026-06-07T13:00:00Z"
monitors = ["hidden", "alone"]
`;

const withHidden = `${common}${shared.replace('DEPENDS', '"hidden"').replaceAll('HIDDEN', ', "hidden"')}${hidden}`;
const without = `${common}${shared.replace('DEPENDS', '').replaceAll('HIDDEN', '')}`;

/** Every address that exists, with what strangers may try on it. */
const paths = [
  '/',
  '/?refresh=60',
  '/?token=infra-token',
  '/status/infra',
  '/status/public',
  '/status/secret%20group',
  '/status/nothing',
  '/monitor/web',
  '/monitor/hidden',
  '/monitor/alone',
  '/monitor/job?token=infra-token',
  '/incidents/u1',
  '/incidents/u2',
  '/incidents/u3',
  '/incidents/u4',
  '/incidents/nothing',
  '/report',
  '/history/',
  '/favicon.ico',
  '/logo',
  '/logo-dark',
  '/apple-touch-icon.png',
  '/history',
  '/history?monitor=hidden',
  '/history?monitor=web',
  '/history?before=1780831800000-u3',
  '/history?before=nonsense',
  '/history.atom',
  '/subscribe',
  '/subscribe?token=infra-token',
  `/subscribe/${readerLink}`,
  '/subscribe/nothing',
  `/unsubscribe/${readerLink}`,
  '/unsubscribe/nothing',
  '/ack/nothing',
  '/history.atom?monitor=web',
  '/history.atom?monitor=hidden',
  '/history.atom?group=infra',
  '/history.atom?group=secret+group',
  '/history.atom?group=nothing',
  '/history?group=infra',
  '/history?group=secret+group',
  '/history?group=infra&monitor=web',
  '/maintenance.ics',
  '/maintenance.ics?token=infra-token',
  '/api/maintenance',
  '/api/maintenance/1',
  '/api/v2/status.json',
  '/api/v2/summary.json',
  '/api/v2/components.json',
  '/api/v2/incidents.json',
  '/api/v2/incidents/unresolved.json',
  '/api/v2/scheduled-maintenances.json',
  '/api/v2/scheduled-maintenances/upcoming.json',
  '/api/v2/scheduled-maintenances/active.json',
  '/report/2026-06',
  '/report/2026-06?group=infra',
  '/report/2026-06?group=secret+group',
  '/report/2026-05',
  '/report/2026-04',
  '/report/2026-13',
  '/favicon.svg',
  '/metrics',
  '/api/badge/hidden/status',
  '/api/badge/hidden/uptime?token=operator-token',
  '/api/badge/alone/status?style=nonsense',
  '/api/badge/web/status',
  '/api/badge/job/uptime?style=flat-square',
  '/api/monitors/hidden/heatmap.svg',
  '/api/monitors/web/heatmap.svg',
  '/api/openapi.json',
  '/healthz',
  '/api/summary',
  '/api/summary?token=infra-token',
  '/api/live',
  '/api/live?monitors=hidden,web',
  '/api/monitors/hidden/explain',
  '/api/monitors/web/explain',
  '/api/incidents',
  '/api/incidents?limit=1',
  '/api/incidents?open=true',
  '/api/incidents?monitor=hidden',
  '/api/incidents?monitor=web',
  '/api/incidents/u1',
  '/api/incidents/u3',
  '/api/incidents/1',
  '/api/incidents/o1',
  '/api/incidents/o2',
  '/api/incidents/o3',
  '/api/incidents/nothing',
  '/api/incidents/u1/updates',
  '/api/incidents/u3/updates',
  '/api/event',
  '/api/monitors/web/latency',
  '/api/monitors/hidden/latency',
  '/api/monitors/alone/latency?hours=720',
  '/api/monitors/hidden/latency?hours=0',
  '/api/monitors/hidden/alert',
  '/api/monitors/web/alert',
  '/api/push/hidden',
  '/api/push/hidden?status=strange',
  '/api/push/hidden/?status=strange',
  '/api/push/hidden?token=job-token',
  '/api/push/alone',
  '/api/push/job',
  '/api/push/node-b',
  '/api/push/node-b?token=hidden-token',
  '/api/peer/probe',
  '/api/node/checks',
  '/api/silence?monitors=hidden&duration=1h',
  '/api/announce?title=x',
  '/api/monitors/hidden',
  '/hidden',
];

async function fill(world: World, hasHidden: boolean): Promise<void> {
  const incident = (
    uid: string,
    monitor: string,
    { minutesAgo, cause = null }: { readonly minutesAgo: number; readonly cause?: string | null },
  ) =>
    incidents.open({
      uid,
      monitor,
      name: monitor,
      startedAt: startAt - minutesAgo * 60_000,
      confirmedAt: startAt - minutesAgo * 60_000 + 1000,
      category: 'timeout',
      reason: `no answer from ${monitor}`,
      cause: hasHidden ? cause : null,
      impacted: monitor === 'hidden' ? ['web'] : hasHidden ? ['hidden'] : [],
      snapshot: null,
      vantage: null,
    });
  const sample = (monitor: string, status: 'up' | 'down') =>
    samples.add({
      monitor,
      at: startAt - 30_000,
      status,
      latencyMs: 20,
      holdSecs: 120,
      isHeartbeat: false,
      category: status === 'up' ? null : 'timeout',
      message: status === 'up' ? null : 'no answer from 10.0.0.1',
    });
  const alert = (monitor: string, title: string) =>
    producerAlerts.raise({
      monitor,
      at: startAt - 60_000,
      severity: 'error',
      title,
      message: null,
      tags: { from: 'cron' },
      dedupKey: null,
      windowSecs: 0,
      deliveries: [],
    });
  const decision = (monitor: string) =>
    decisions.log({
      at: startAt,
      monitor,
      incident: null,
      channel: null,
      event: 'down',
      verdict: 'spared',
      reason: 'folded',
      detail: null,
    });
  const old = (monitor: string, daysAgo: number) =>
    samples.add({
      monitor,
      at: startAt - daysAgo * 86_400_000,
      status: 'down',
      latencyMs: 77,
      holdSecs: 3600,
      isHeartbeat: false,
      category: null,
      message: null,
    });
  const silence = (monitors: string[]) =>
    silences.add({ monitors, untilAt: startAt + 60_000, reason: null, createdAt: startAt });
  const planned = (uid: string, monitors: string[]) =>
    maintenances.add({
      id: uid === 'm1' ? 1 : 2,
      uid,
      title: `Planned ${uid}`,
      monitors,
      startAt: startAt + 3_600_000,
      endAt: startAt + 7_200_000,
      createdAt: startAt - 60_000,
    });
  /** Opened by hand, with what was said. */
  const declared = (id: number, uid: string, monitors: readonly string[]) => [
    declareIncident({
      id,
      uid,
      title: `By hand ${uid}`,
      impact: 'major',
      monitors,
      at: startAt - id * 60_000,
    }),
    said(`${uid}-first`, uid),
  ];
  const said = (uid: string, about: string) =>
    incidentUpdates.add({
      uid,
      incident: about,
      at: startAt - 30_000,
      state: 'identified',
      message: `Said about ${about}`,
      author: hasHidden ? 'somebody of the hidden one' : 'somebody',
    });
  const secret = [
    ...declared(15, 'o2', ['hidden', 'alone']),
    postmortems.set({ incident: 'o2', text: 'Why the hidden one failed', at: startAt }),
    addEvent({
      id: 7,
      uid: 'e1',
      title: 'deploy of the hidden one',
      monitors: ['hidden'],
      at: startAt - 60_000,
    }),
    incident('u1', 'hidden', { minutesAgo: 50 }),
    incident('u2', 'alone', { minutesAgo: 40 }),
    sample('hidden', 'down'),
    sample('alone', 'down'),
    old('hidden', 70),
    old('alone', 3),
    alert('hidden', 'An alert of the hidden one'),
    decision('hidden'),
    silence(['hidden', 'alone']),
    planned('m1', ['hidden', 'alone']),
    said('s1', 'u1'),
    said('s2', 'u2'),
  ];
  await world.store.write([
    ...readerWrites(startAt),
    ...(hasHidden ? secret : []),
    incident('u3', 'web', { minutesAgo: 30, cause: 'hidden' }),
    incident('u4', 'job', { minutesAgo: 20 }),
    sample('web', 'down'),
    sample('job', 'up'),
    old('web', 2),
    alert('web', 'An alert of the website'),
    silence(['job']),
    planned('m2', hasHidden ? ['web', 'hidden'] : ['web']),
    said('s3', 'u3'),
    ...declared(25, 'o1', hasHidden ? ['web', 'hidden'] : ['web']),
    ...declared(35, 'o3', []),
    addEvent({
      id: 8,
      uid: 'e2',
      title: 'deploy',
      monitors: hasHidden ? ['web', 'hidden'] : ['web'],
      at: startAt - 31 * 60_000,
    }),
    postmortems.set({ incident: 'u3', text: 'Why the website failed', at: startAt }),
  ]);
  world.engine.statuses.set('web', 'down').set('job', 'up');
  if (hasHidden) world.engine.statuses.set('hidden', 'down').set('alone', 'down');
}

/** An hour of failed checks and the outage that they confirmed. */
function outageOfMay(monitor: string, dayOfMay: number): readonly Operation[] {
  const startedAt = Date.UTC(2026, 4, dayOfMay, 10);
  const sample = { monitor, latencyMs: null, isHeartbeat: false, message: null };
  const uid = `may-${monitor}`;
  return [
    samples.add({ ...sample, at: startedAt, status: 'down', holdSecs: 3600, category: 'timeout' }),
    samples.add({ ...sample, at: startedAt + 3_600_000, status: 'up', holdSecs: 3600, category: null }),
    incidents.open({
      uid,
      monitor,
      name: monitor,
      startedAt,
      confirmedAt: startedAt + 1000,
      category: 'timeout',
      reason: null,
      cause: null,
      impacted: [],
      snapshot: null,
      vantage: null,
    }),
    incidents.close({ uid, endedAt: startedAt + 3_600_000 }),
  ];
}

async function closeMonths({ store, clock, loaded }: World): Promise<void> {
  const closer = new MonthCloser({
    store,
    clock: { sleep: () => Promise.resolve() },
    config: () => loaded().config,
    signal: new AbortController().signal,
  });
  while (await closer.close(clock.now()));
}

describe('a private monitor', () => {
  isMissing((toml) => openWorld(toml));
});

describe('a private monitor, of nodes that share a database', { skip: skipWithoutPostgres }, () => {
  let postgres: Postgres;
  before(async () => {
    postgres = await startPostgres();
  });
  after(() => postgres.stop());

  isMissing(async (toml) => {
    const url = await postgres.database();
    return openWorld(toml, { openStore: () => openStandby(url) });
  });
});

/** The store of a node that stands by; closing it ends the one that leads, too. */
async function openStandby(url: string): Promise<Store> {
  const open = (id: string) => openTestNode(id, { url, schema, leaseMs: 60_000 });
  const leader = await open('leader');
  await leader.leads;
  const standby = await open('standby');
  assert.equal(standby.standing().role, 'standby');
  const close = async () => {
    await standby.close();
    await leader.close();
  };
  return new Proxy(standby, {
    get: (store, key): unknown => (key === 'close' ? close : Reflect.get(store, key)),
  });
}

/** `open` makes a world of this configuration, with nothing in its store. */
function isMissing(open: (toml: string) => Promise<World>): void {
  let first: World;
  let second: World;
  before(async () => {
    [first, second] = await Promise.all([open(withHidden), open(without)]);
    await Promise.all([fill(first, true), fill(second, false)]);
  });
  after(async () => {
    await Promise.all([first.close(), second.close()]);
  });

  /** Everything of an answer that a stranger sees; only the name of the request is its own. */
  async function seen(
    world: World,
    path: string,
    { method = 'GET', asking = {} }: { readonly method?: string; readonly asking?: object } = {},
  ): Promise<unknown> {
    const common = {
      'x-push-token': 'guess',
      'x-request-id': 'same',
      'x-forwarded-for': '203.0.113.1',
    };
    const { status, headers, text } = await world.ask(path, { method, headers: { ...common, ...asking } });
    return { status, text, headers: [...headers].filter(([name]) => name !== 'date') };
  }

  it('is missing for the public, byte for byte, on every route and with every method', async () => {
    for (const path of paths) {
      for (const method of ['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS', 'PUT']) {
        const [a, b] = [await seen(first, path, { method }), await seen(second, path, { method })];
        assert.deepEqual(a, b, `${method} ${path}`);
      }
    }
  });

  const forms = {
    page: { accept: 'text/html,*/*;q=0.8' },
    text: { 'user-agent': 'curl/8.5.0' },
    openmetrics: { accept: 'application/openmetrics-text' },
    group: { authorization: 'Bearer infra-token', accept: 'text/html' },
    known: { 'if-none-match': '*' },
  };

  it('is missing in every form of an answer, for the tag of it too', async () => {
    for (const path of paths.filter((each) => !each.startsWith('/status/infra'))) {
      for (const [form, asking] of Object.entries(forms)) {
        const [a, b] = [await seen(first, path, { asking }), await seen(second, path, { asking })];
        assert.deepEqual(a, b, `${form} of ${path}`);
      }
    }
  });

  it('is missing when those have read before who may see it', async () => {
    const [watched, other] = await Promise.all([open(withHidden), open(without)]);
    try {
      await Promise.all([fill(watched, true), fill(other, false)]);
      for (const path of [
        '/',
        '/monitor/web',
        '/incidents/u3',
        '/status/infra',
        '/status/public',
        '/api/summary',
        '/report/2026-06',
      ]) {
        for (const token of ['operator-token', 'infra-token']) {
          for (const place of [
            { query: '', headers: { authorization: `Bearer ${token}` } },
            { query: `?token=${token}`, headers: {} },
          ]) {
            const headers = { ...place.headers, accept: 'text/html' };
            assert.equal((await watched.ask(`${path}${place.query}`, { headers })).status, 200);
          }
        }
      }
      for (const path of paths) {
        const asking = forms.page;
        const [a, b] = [await seen(watched, path, { asking }), await seen(other, path, { asking })];
        assert.deepEqual(a, b, path);
      }
    } finally {
      await Promise.all([watched.close(), other.close()]);
    }
  });

  it('is missing before and after a month is closed, and once the file has it no more', async () => {
    const [watched, other] = await Promise.all([open(withHidden), open(without)]);
    const areSame = async (when: string) => {
      for (const path of paths) {
        for (const asking of path.startsWith('/report') ? [forms.page, forms.text] : [forms.page]) {
          const [a, b] = [await seen(watched, path, { asking }), await seen(other, path, { asking })];
          assert.deepEqual(a, b, `${when}: ${path}`);
        }
      }
    };
    try {
      await Promise.all([fill(watched, true), fill(other, false)]);
      await Promise.all([watched, other].map(({ store }) => store.write(outageOfMay('web', 12))));
      await watched.store.write([...outageOfMay('hidden', 14), ...outageOfMay('alone', 16)]);
      await areSame('open');
      // Pages are kept for a moment.
      for (const world of [watched, other]) {
        await closeMonths(world);
        world.clock.advance(120_000);
      }
      const closed = closedMonths.monitors(watched.store.sql, '2026-05').map(({ id }) => id);
      assert.ok(closed.includes('hidden') && closed.includes('alone'), closed.join(' '));
      await areSame('closed');
      await Promise.all([watched, other].map((world) => world.reload(without)));
      await areSame('removed');
      for (const world of [watched, other]) {
        world.clock.advance(26 * 86_400_000);
        await closeMonths(world);
      }
      assert.equal(
        closedMonths.monitors(watched.store.sql, '2026-06').find(({ id }) => id === 'hidden')?.isPrivate,
        true,
      );
      await areSame('removed and closed');
    } finally {
      await Promise.all([watched.close(), other.close()]);
    }
  });

  it('has lines in this comparison for every route that anyone may read', () => {
    for (const { method, path } of routes) {
      if (method !== 'GET') continue;
      const pattern = new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+').replaceAll('.', '\\.')}$`);
      assert.ok(
        paths.some((each) => pattern.test(each.split('?')[0] ?? '')),
        path,
      );
    }
  });

  it('would be seen by this comparison if it showed', async () => {
    for (const path of [
      '/',
      '/status/infra',
      '/status/secret%20group',
      '/history',
      '/history.atom',
      '/history?monitor=hidden',
      '/monitor/web',
      '/monitor/hidden',
      '/incidents/u1',
      '/incidents/u3',
      '/report/2026-06',
      '/metrics',
      '/api/monitors/hidden/heatmap.svg',
      '/maintenance.ics',
      '/api/maintenance',
      '/api/v2/summary.json',
      '/api/v2/incidents.json',
      '/api/v2/scheduled-maintenances.json',
      '/api/summary',
      '/api/incidents',
      '/api/incidents/u1',
      '/api/incidents/o1',
      '/api/incidents/o2',
      '/api/monitors/hidden/latency',
    ]) {
      const asOperator = `${path}${path.includes('?') ? '&' : '?'}token=operator-token`;
      const [a, b] = [await seen(first, asOperator), await seen(second, asOperator)];
      assert.notDeepEqual(a, b, path);
    }
  });

  it('is there for clients with the access token', async () => {
    const headers = { authorization: 'Bearer operator-token' };
    const summary = await first.ask('/api/summary', { headers });
    assert.match(summary.text, /Hidden database/);
    assert.match(summary.text, /For nobody to know/);
    const record = (await first.ask('/api/incidents', { headers })).json() as {
      incidents: { uid: string }[];
    };
    assert.deepEqual(
      record.incidents.map(({ uid }) => uid),
      ['o2', 'u4', 'o1', 'u3', 'o3', 'u2', 'u1'],
    );
    assert.equal((await first.ask('/api/monitors/hidden/latency', { headers })).status, 200);
  });
}
