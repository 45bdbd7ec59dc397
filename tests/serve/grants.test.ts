import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { askedMails, wrongTokens } from '../../src/serve/limit/limiter.ts';
import { routes } from '../../src/serve/routes/all.ts';
import { healthyCheck } from './probing.ts';
import { declareIncident } from '../../src/db/tables/recorded-incidents.ts';
import { ackLinkWrites, ackTokenFor } from '../support/ack-link.ts';
import { mailConfig, readerLink, readerWrites } from '../support/reader.ts';
import { openWorld, pastIncident, startAt, type World } from './world.ts';

const ackLink = ackTokenFor('of-closed', startAt);

const config = `
auth_token = "auth-token"
group_tokens = { own = "group-token", other = "other-group-token", shut = "shut-group-token" }
rate_limit_burst = 100000
${mailConfig.head}${mailConfig.tail}
[node]
token = "node-token"

[[peers]]
id = "node-b"
listen_token = "peer-token"
expect_every_secs = 60

[[peers]]
id = "node-c"
listen_id = "from-c"
listen_token = "other-peer-token"

[[monitors]]
id = "open"
kind = "push"
push_token = "push-token"
group = "own"

[[monitors]]
id = "closed"
kind = "push"
push_token = "push-token-2"
group = "own"
public = false

[[monitors]]
id = "alone"
kind = "push"
push_token = "alone-push-token"
group = "shut"
public = false

[[monitors]]
id = "site"
target = "https://site.example.com/"
group = "shut"
public = false

[[monitors]]
id = "elsewhere"
kind = "push"
push_token = "other-push-token"
group = "other"
`;

/** What is presented: nothing, a wrong token, then every token of the configuration. */
const tokens = {
  no: null,
  wrong: 'wrong-token',
  group: 'group-token',
  otherGroup: 'other-group-token',
  shut: 'shut-group-token',
  push: 'push-token',
  push2: 'push-token-2',
  otherPush: 'other-push-token',
  auth: 'auth-token',
  peer: 'peer-token',
  otherPeer: 'other-peer-token',
  node: 'node-token',
} as const;

const ways = ['bearer', 'x-push-token', 'query'] as const;
type Way = (typeof ways)[number];

/** Written by hand: the statuses of everybody who is let in, and that of all others. */
interface Grant {
  readonly route: string;
  readonly path: string;
  readonly body?: string;
  readonly others: number;
  readonly granted: Readonly<Partial<Record<keyof typeof tokens, Readonly<Partial<Record<Way, number>>>>>>;
}

const auth = (status: number) => ({ auth: { bearer: status, query: status } });
const push = (status: number) => ({ 'x-push-token': status, query: status });
const alert = '{"title":"x"}';
const probe = (target: string) => JSON.stringify({ from: 'node-b', id: 'site', kind: 'http', target });
const peers = (status: number) => ({
  peer: { 'x-push-token': status },
  otherPeer: { 'x-push-token': status },
});

const table: readonly Grant[] = [
  { route: 'GET /', path: '/', others: 200, granted: {} },
  { route: 'GET /status/{group}', path: '/status/own', others: 200, granted: {} },
  {
    route: 'GET /status/{group}',
    path: '/status/shut',
    others: 404,
    granted: { shut: { bearer: 200, query: 200 }, ...auth(200) },
  },
  { route: 'GET /status/{group}', path: '/status/nothing', others: 404, granted: {} },
  { route: 'GET /monitor/{id}', path: '/monitor/open', others: 200, granted: {} },
  { route: 'GET /monitor/{id}', path: '/monitor/closed', others: 404, granted: auth(200) },
  { route: 'GET /incidents/{uid}', path: '/incidents/of-open', others: 200, granted: {} },
  { route: 'GET /incidents/{uid}', path: '/incidents/of-closed', others: 404, granted: auth(200) },
  { route: 'GET /incidents/{uid}', path: '/incidents/nothing', others: 404, granted: {} },
  { route: 'GET /favicon.ico', path: '/favicon.ico', others: 200, granted: {} },
  { route: 'GET /apple-touch-icon.png', path: '/apple-touch-icon.png', others: 200, granted: {} },
  { route: 'GET /logo', path: '/logo', others: 200, granted: {} },
  { route: 'GET /logo-dark', path: '/logo-dark', others: 200, granted: {} },
  { route: 'GET /history', path: '/history', others: 200, granted: {} },
  { route: 'GET /history', path: '/history?monitor=closed', others: 404, granted: auth(200) },
  { route: 'GET /ack/{token}', path: `/ack/${ackLink}`, others: 200, granted: {} },
  { route: 'GET /ack/{token}', path: '/ack/nothing', others: 404, granted: {} },
  { route: 'POST /ack/{token}', path: `/ack/${ackLink}`, others: 200, granted: {} },
  { route: 'POST /ack/{token}', path: '/ack/nothing', others: 404, granted: {} },
  {
    route: 'POST /api/incidents/{uid}/ack',
    path: '/api/incidents/of-closed/ack',
    others: 401,
    granted: auth(409),
  },
  {
    route: 'DELETE /api/incidents/{uid}/ack',
    path: '/api/incidents/of-closed/ack',
    others: 401,
    granted: auth(409),
  },
  { route: 'GET /history.atom', path: '/history.atom', others: 200, granted: {} },
  { route: 'GET /subscribe', path: '/subscribe', others: 200, granted: {} },
  { route: 'POST /subscribe', path: '/subscribe', body: 'address=a%40b.example', others: 200, granted: {} },
  { route: 'GET /subscribe/{token}', path: `/subscribe/${readerLink}`, others: 200, granted: {} },
  { route: 'GET /subscribe/{token}', path: '/subscribe/nothing', others: 404, granted: {} },
  { route: 'POST /subscribe/{token}', path: `/subscribe/${readerLink}`, others: 200, granted: {} },
  { route: 'POST /subscribe/{token}', path: '/subscribe/nothing', others: 404, granted: {} },
  { route: 'GET /unsubscribe/{token}', path: `/unsubscribe/${readerLink}`, others: 200, granted: {} },
  { route: 'POST /unsubscribe/{token}', path: '/unsubscribe/nothing', others: 404, granted: {} },
  { route: 'GET /history.atom', path: '/history.atom?group=shut', others: 404, granted: auth(200) },
  { route: 'GET /maintenance.ics', path: '/maintenance.ics', others: 200, granted: {} },
  { route: 'GET /api/v2/status.json', path: '/api/v2/status.json', others: 200, granted: {} },
  { route: 'GET /api/v2/summary.json', path: '/api/v2/summary.json', others: 200, granted: {} },
  { route: 'GET /api/v2/components.json', path: '/api/v2/components.json', others: 200, granted: {} },
  { route: 'GET /api/v2/incidents.json', path: '/api/v2/incidents.json', others: 200, granted: {} },
  {
    route: 'GET /api/v2/incidents/unresolved.json',
    path: '/api/v2/incidents/unresolved.json',
    others: 200,
    granted: {},
  },
  {
    route: 'GET /api/v2/scheduled-maintenances.json',
    path: '/api/v2/scheduled-maintenances.json',
    others: 200,
    granted: {},
  },
  {
    route: 'GET /api/v2/scheduled-maintenances/upcoming.json',
    path: '/api/v2/scheduled-maintenances/upcoming.json',
    others: 200,
    granted: {},
  },
  {
    route: 'GET /api/v2/scheduled-maintenances/active.json',
    path: '/api/v2/scheduled-maintenances/active.json',
    others: 200,
    granted: {},
  },
  { route: 'GET /report/{month}', path: '/report/2026-06', others: 200, granted: {} },
  { route: 'GET /report/{month}', path: '/report/2026-06?group=shut', others: 404, granted: auth(200) },
  { route: 'GET /favicon.svg', path: '/favicon.svg', others: 200, granted: {} },
  { route: 'GET /metrics', path: '/metrics', others: 200, granted: {} },
  { route: 'GET /api/openapi.json', path: '/api/openapi.json', others: 200, granted: {} },
  { route: 'GET /api/badge/{id}/status', path: '/api/badge/open/status', others: 200, granted: {} },
  { route: 'GET /api/badge/{id}/status', path: '/api/badge/closed/status', others: 404, granted: {} },
  { route: 'GET /api/badge/{id}/uptime', path: '/api/badge/open/uptime', others: 200, granted: {} },
  { route: 'GET /api/badge/{id}/uptime', path: '/api/badge/closed/uptime', others: 404, granted: {} },
  {
    route: 'GET /api/monitors/{id}/heatmap.svg',
    path: '/api/monitors/open/heatmap.svg',
    others: 200,
    granted: {},
  },
  {
    route: 'GET /api/monitors/{id}/heatmap.svg',
    path: '/api/monitors/closed/heatmap.svg',
    others: 404,
    granted: auth(200),
  },
  { route: 'GET /healthz', path: '/healthz', others: 200, granted: {} },
  { route: 'GET /api/summary', path: '/api/summary', others: 200, granted: {} },
  { route: 'GET /api/incidents', path: '/api/incidents', others: 200, granted: {} },
  { route: 'GET /api/live', path: '/api/live?monitors=open', others: 401, granted: auth(200) },
  { route: 'DELETE /api/silence', path: '/api/silence?id=999', others: 401, granted: auth(404) },
  {
    route: 'POST /api/monitors/{id}/check',
    path: '/api/monitors/site/check',
    others: 401,
    granted: auth(202),
  },
  {
    route: 'GET /api/monitors/{id}/explain',
    path: '/api/monitors/open/explain',
    others: 401,
    granted: auth(200),
  },
  {
    route: 'POST /api/incidents',
    path: '/api/incidents',
    body: '{"title":"x"}',
    others: 401,
    granted: auth(201),
  },
  {
    route: 'GET /api/incidents/{uid}',
    path: '/api/incidents/shut-one',
    others: 404,
    granted: auth(200),
  },
  {
    route: 'POST /api/incidents/{uid}/updates',
    path: '/api/incidents/shut-one/updates',
    body: '{"message":"x"}',
    others: 401,
    granted: auth(201),
  },
  { route: 'POST /api/event', path: '/api/event', body: '{"title":"x"}', others: 401, granted: auth(201) },
  { route: 'GET /api/monitors/{id}/latency', path: '/api/monitors/open/latency', others: 200, granted: {} },
  {
    route: 'GET /api/monitors/{id}/latency',
    path: '/api/monitors/closed/latency',
    others: 404,
    granted: auth(200),
  },
  { route: 'POST /api/push/{id}', path: '/api/push/open', others: 401, granted: { push: push(200) } },
  { route: 'POST /api/push/{id}', path: '/api/push/closed', others: 404, granted: { push2: push(200) } },
  { route: 'POST /api/push/{id}', path: '/api/push/node-b', others: 401, granted: { peer: push(200) } },
  { route: 'POST /api/push/{id}', path: '/api/push/from-c', others: 401, granted: { otherPeer: push(200) } },
  { route: 'POST /api/push/{id}', path: '/api/push/node-c', others: 404, granted: {} },
  { route: 'GET /api/push/{id}', path: '/api/push/open', others: 401, granted: { push: push(200) } },
  { route: 'GET /api/push/{id}', path: '/api/push/closed', others: 404, granted: { push2: push(200) } },
  { route: 'GET /api/push/{id}', path: '/api/push/node-b', others: 401, granted: { peer: push(200) } },
  { route: 'GET /api/push/{id}', path: '/api/push/from-c', others: 401, granted: { otherPeer: push(200) } },
  { route: 'GET /api/push/{id}', path: '/api/push/node-c', others: 404, granted: {} },
  {
    route: 'POST /api/peer/probe',
    path: '/api/peer/probe',
    body: probe('https://site.example.com/'),
    others: 401,
    granted: peers(200),
  },
  {
    route: 'POST /api/peer/probe',
    path: '/api/peer/probe',
    body: probe('https://elsewhere.example.com/'),
    others: 401,
    granted: peers(404),
  },
  {
    route: 'POST /api/node/checks',
    path: '/api/node/checks',
    body: JSON.stringify({ from: 'a', session: '1', config: '', version: '', checks: [] }),
    others: 401,
    granted: { node: { bearer: 404 } },
  },
  {
    route: 'POST /api/monitors/{id}/alert',
    path: '/api/monitors/open/alert',
    body: alert,
    others: 401,
    granted: { push: push(202), ...auth(202) },
  },
  {
    route: 'POST /api/monitors/{id}/alert',
    path: '/api/monitors/closed/alert',
    body: alert,
    others: 404,
    granted: { push2: push(202), ...auth(202) },
  },
  {
    route: 'POST /api/silence',
    path: '/api/silence?monitors=closed&duration=1m',
    others: 401,
    granted: auth(200),
  },
  {
    route: 'POST /api/maintenance',
    path: '/api/maintenance',
    body: '{"duration":"1m","monitors":["closed"]}',
    others: 401,
    granted: auth(201),
  },
  { route: 'GET /api/maintenance', path: '/api/maintenance', others: 401, granted: auth(200) },
  {
    route: 'DELETE /api/maintenance/{id}',
    path: '/api/maintenance/none',
    others: 401,
    granted: auth(404),
  },
  { route: 'POST /api/announce', path: '/api/announce?title=x', others: 401, granted: auth(200) },
  { route: 'DELETE /api/announce', path: '/api/announce', others: 401, granted: auth(200) },
];

/** The reading routes answer everybody; whether they show what is private is another matter. */
const showsPrivate: Readonly<Partial<Record<keyof typeof tokens, readonly Way[]>>> = {
  auth: ['bearer', 'query'],
};

describe('the table of grants', () => {
  let world: World;
  before(async () => {
    world = await openWorld(config, { http: { probe: () => Promise.resolve(healthyCheck) } });
    await world.store.write([
      declareIncident({
        id: 1,
        uid: 'shut-one',
        title: 'Of a private monitor',
        impact: 'major',
        monitors: ['closed'],
        at: world.clock.now(),
      }),
    ]);
    await world.store.write(readerWrites(world.clock.now()));
    await world.store.write(ackLinkWrites('of-closed', 'closed', startAt));
    await world.store.write([...pastIncident('open', 'of-open'), ...pastIncident('closed', 'of-closed')]);
  });
  after(() => world.close());

  const asked = (path: string, token: string | null, way: Way) => {
    if (token === null) return { path, headers: {} };
    if (way === 'bearer') return { path, headers: { authorization: `Bearer ${token}` } };
    if (way === 'x-push-token') return { path, headers: { 'x-push-token': token } };
    return { path: `${path}${path.includes('?') ? '&' : '?'}token=${token}`, headers: {} };
  };

  it('has a line for every route there is', () => {
    const known = new Set(table.map(({ route }) => route));
    for (const { method, path } of routes) {
      assert.ok(known.has(`${method} ${path}`), `${method} ${path}`);
    }
  });

  it('is what the server does', async () => {
    // Each client may ask for a few mails only.
    let client = 0;
    for (const { route, path, body, others, granted } of table) {
      const [method = ''] = route.split(' ');
      for (const [name, token] of Object.entries(tokens) as [keyof typeof tokens, string | null][]) {
        for (const way of ways) {
          const { path: full, headers } = asked(path, token, way);
          // Tokens of another use count as guesses here.
          world.clock.advance(wrongTokens.refillSecs * 1000);
          if (route === 'POST /subscribe') client += 1;
          const reply = await world.ask(full, {
            method,
            headers: { ...headers, 'x-forwarded-for': `198.51.100.${Math.floor(client / askedMails.burst)}` },
            ...(body === undefined ? {} : { body }),
          });
          assert.equal(
            reply.status,
            granted[name]?.[way] ?? others,
            `${route} on ${path} with ${name} by ${way}`,
          );
        }
      }
    }
  });

  it('shows what is private in a group to the token of that group, on its page alone', async () => {
    for (const [name, token] of Object.entries(tokens) as [keyof typeof tokens, string | null][]) {
      for (const way of ways) {
        for (const [page, insiders] of [
          ['/status/own', ['group', 'auth']],
          ['/', ['auth']],
          ['/report/2026-06', ['auth']],
        ] as const) {
          const { path, headers } = asked(page, token, way);
          const { text } = await world.ask(path, { headers });
          const isShown = way !== 'x-push-token' && (insiders as readonly string[]).includes(name);
          const isThere = page === '/report/2026-06' ? />closed</.test(text) : /id="m-closed"/.test(text);
          assert.equal(isThere, isShown, `${page} for ${name} by ${way}`);
        }
      }
    }
  });

  it('shows which peers are watched to all in /healthz, and in the summary to the access token', async () => {
    for (const [name, token] of Object.entries(tokens) as [keyof typeof tokens, string | null][]) {
      for (const way of ways) {
        const { path, headers } = asked('/healthz', token, way);
        const seen = (await world.ask(path, { headers })).json() as {
          readonly peers: object;
          readonly peer_counts: { readonly unknown: number };
        };
        assert.deepEqual(Object.keys(seen.peers), ['node-b'], `${name} by ${way}`);
        assert.equal(seen.peer_counts.unknown, 1);
        const summary = asked('/api/summary', token, way);
        const { text } = await world.ask(summary.path, { headers: summary.headers });
        assert.equal(text.includes('node-b'), name === 'auth' && way !== 'x-push-token', `${name} by ${way}`);
      }
    }
  });

  it('shows what is private to the access token alone', async () => {
    for (const [name, token] of Object.entries(tokens) as [keyof typeof tokens, string | null][]) {
      for (const way of ways) {
        const { path, headers } = asked('/api/summary', token, way);
        const { monitors, channels } = (await world.ask(path, { headers })).json() as {
          readonly monitors: readonly { readonly id: string }[];
          readonly channels?: unknown;
        };
        const isShown = showsPrivate[name]?.includes(way) === true;
        assert.equal(
          monitors.some(({ id }) => id === 'closed'),
          isShown,
          `${name} by ${way}`,
        );
        assert.equal(channels !== undefined, isShown);
      }
    }
  });
});
