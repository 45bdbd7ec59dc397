import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { declareIncident } from '../../../src/db/tables/recorded-incidents.ts';
import { moveHours } from '../../../src/db/tables/retention/move.ts';
import { samples } from '../../../src/db/tables/samples.ts';
import { maintenances } from '../../../src/db/tables/maintenances.ts';
import { StatusdError } from '../../../src/engine/core/errors.ts';
import { openapiOf } from '../../../src/serve/openapi/document.ts';
import { routes } from '../../../src/serve/routes/all.ts';
import { realClock } from '../../support/real-clock.ts';
import { ackLinkWrites, ackTokenFor } from '../../support/ack-link.ts';
import { mailConfig, readerLink, readerWrites } from '../../support/reader.ts';
import { faultsOf } from '../contract.ts';
import type { HttpOptions } from '../../../src/serve/http.ts';
import { openWorld, startAt, type World } from '../world.ts';

const config = `
auth_token = "operator-token"
${mailConfig.head}${mailConfig.tail}
[[monitors]]
id = "web"
group = "front"
target = "https://example.com"

[[monitors]]
id = "job"
kind = "push"
push_token = "job-token"

[[maintenance]]
title = "Move"
start = "2026-06-07T12:00:00Z"
end = "2026-06-07T13:00:00Z"
monitors = ["job"]

[node]
token = "node-token"

[[peers]]
id = "paris"
ping_url = "https://paris.example.com/api/push/here"
ping_token = "our-token"
listen_token = "paris-token"
`;

interface Asking {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Without it, every request is refused. */
  readonly hasHost?: boolean;
  /** The same for something that there is none of. */
  readonly missing?: Partial<Asking>;
  /** The same for what does not fit what there is. */
  readonly unfitting?: Partial<Asking>;
}

const operator = { authorization: 'Bearer operator-token' };
const producer = { 'x-push-token': 'job-token' };
const peer = { 'x-push-token': 'paris-token' };
const node = { authorization: 'Bearer node-token' };
const question = (from: string, config = 'same') =>
  JSON.stringify({ from, session: '1', config, version: '1', checks: [{ n: 1, id: 'web' }] });
const target = (url: string) => JSON.stringify({ from: 'paris', kind: 'http', target: url });

let asked = 0;

/** The uid of the window in the configuration. */
const configured = createHash('sha256')
  .update(JSON.stringify(['Move', startAt, startAt + 3_600_000]))
  .digest('hex')
  .slice(0, 16);

const ackLink = ackTokenFor('outage', startAt);

/** A request of every operation that is answered well. */
const askings: Readonly<Record<string, Asking>> = {
  'GET /': { path: '/' },
  'GET /status/{group}': { path: '/status/front', missing: { path: '/status/none' } },
  'GET /monitor/{id}': { path: '/monitor/web', missing: { path: '/monitor/none' } },
  'GET /incidents/{uid}': { path: '/incidents/outage', missing: { path: '/incidents/none' } },
  'GET /favicon.ico': { path: '/favicon.ico' },
  'GET /apple-touch-icon.png': { path: '/apple-touch-icon.png' },
  'GET /logo': { path: '/logo' },
  'GET /logo-dark': { path: '/logo-dark' },
  'GET /history': { path: '/history', missing: { path: '/history?monitor=none' } },
  'GET /subscribe': { path: '/subscribe' },
  'POST /subscribe': {
    path: '/subscribe',
    body: 'address=a%40example.com',
    missing: { path: '/subscribe/no' },
  },
  'GET /subscribe/{token}': { path: `/subscribe/${readerLink}`, missing: { path: '/subscribe/no' } },
  'POST /subscribe/{token}': {
    path: `/subscribe/${readerLink}`,
    body: 'choose=1',
    missing: { path: '/subscribe/no' },
  },
  'GET /unsubscribe/{token}': { path: `/unsubscribe/${readerLink}`, missing: { path: '/unsubscribe/no' } },
  'POST /unsubscribe/{token}': { path: `/unsubscribe/${readerLink}`, missing: { path: '/unsubscribe/no' } },
  'GET /ack/{token}': { path: `/ack/${ackLink}`, missing: { path: '/ack/no' } },
  'POST /ack/{token}': { path: `/ack/${ackLink}`, missing: { path: '/ack/no' } },
  'GET /history.atom': { path: '/history.atom', missing: { path: '/history.atom?group=none' } },
  'GET /maintenance.ics': { path: '/maintenance.ics' },
  'GET /api/v2/status.json': { path: '/api/v2/status.json' },
  'GET /api/v2/summary.json': { path: '/api/v2/summary.json' },
  'GET /api/v2/components.json': { path: '/api/v2/components.json' },
  'GET /api/v2/incidents.json': { path: '/api/v2/incidents.json' },
  'GET /api/v2/incidents/unresolved.json': { path: '/api/v2/incidents/unresolved.json' },
  'GET /api/v2/scheduled-maintenances.json': { path: '/api/v2/scheduled-maintenances.json' },
  'GET /api/v2/scheduled-maintenances/upcoming.json': {
    path: '/api/v2/scheduled-maintenances/upcoming.json',
  },
  'GET /api/v2/scheduled-maintenances/active.json': { path: '/api/v2/scheduled-maintenances/active.json' },
  'GET /report/{month}': { path: '/report/2026-06', missing: { path: '/report/2026-13' } },
  'GET /favicon.svg': { path: '/favicon.svg' },
  'GET /healthz': { path: '/healthz' },
  'GET /metrics': { path: '/metrics' },
  'GET /api/summary': { path: '/api/summary' },
  'GET /api/incidents': { path: '/api/incidents' },
  'POST /api/incidents': {
    path: '/api/incidents',
    headers: operator,
    body: '{"title":"Slow"}',
    missing: { body: '{"title":"Slow","monitors":["none"]}' },
  },
  'GET /api/incidents/{uid}': {
    path: '/api/incidents/outage',
    missing: { path: '/api/incidents/none' },
  },
  'POST /api/incidents/{uid}/updates': {
    path: '/api/incidents/outage/updates',
    headers: operator,
    body: '{"message":"We know."}',
    missing: { path: '/api/incidents/none/updates' },
    unfitting: { body: '{"message":"Over.","state":"resolved"}' },
  },
  'POST /api/incidents/{uid}/ack': {
    path: '/api/incidents/outage/ack',
    headers: operator,
    body: '{"reason":"on it"}',
    missing: { path: '/api/incidents/none/ack' },
    unfitting: { path: '/api/incidents/by-hand/ack' },
  },
  'DELETE /api/incidents/{uid}/ack': {
    path: '/api/incidents/outage/ack',
    headers: operator,
    missing: { path: '/api/incidents/none/ack' },
    unfitting: { path: '/api/incidents/by-hand/ack' },
  },
  'POST /api/event': {
    path: '/api/event',
    headers: operator,
    body: '{"title":"deploy"}',
    missing: { body: '{"title":"deploy","monitors":["none"]}' },
  },
  'GET /api/monitors/{id}/latency': {
    path: '/api/monitors/web/latency',
    missing: { path: '/api/monitors/none/latency' },
  },
  'GET /api/monitors/{id}/heatmap.svg': {
    path: '/api/monitors/web/heatmap.svg',
    missing: { path: '/api/monitors/none/heatmap.svg' },
  },
  'GET /api/badge/{id}/status': {
    path: '/api/badge/web/status',
    missing: { path: '/api/badge/none/status' },
  },
  'GET /api/badge/{id}/uptime': {
    path: '/api/badge/web/uptime',
    missing: { path: '/api/badge/none/uptime' },
  },
  'POST /api/push/{id}': { path: '/api/push/job', headers: producer, missing: { path: '/api/push/none' } },
  'GET /api/push/{id}': { path: '/api/push/job', headers: producer, missing: { path: '/api/push/none' } },
  'POST /api/monitors/{id}/alert': {
    path: '/api/monitors/job/alert',
    headers: producer,
    body: '{"title":"It is late"}',
    missing: { path: '/api/monitors/none/alert' },
  },
  'POST /api/silence': {
    path: '/api/silence?monitors=web&duration=1m',
    headers: operator,
    missing: { path: '/api/silence?monitors=none&duration=1m' },
  },
  'DELETE /api/silence': {
    path: '/api/silence?id=1',
    headers: operator,
    missing: { path: '/api/silence?id=99' },
  },
  'GET /api/live': { path: '/api/live?monitors=web', headers: operator },
  'POST /api/monitors/{id}/check': {
    path: '/api/monitors/web/check',
    headers: operator,
    missing: { path: '/api/monitors/none/check' },
    unfitting: { path: '/api/monitors/job/check' },
  },
  'GET /api/monitors/{id}/explain': {
    path: '/api/monitors/web/explain',
    headers: operator,
    missing: { path: '/api/monitors/none/explain' },
  },
  'POST /api/maintenance': {
    path: '/api/maintenance',
    headers: operator,
    body: '{"duration":"1h","monitors":["all"]}',
    missing: { body: '{"duration":"1h","monitors":["none"]}' },
  },
  'GET /api/maintenance': { path: '/api/maintenance', headers: operator },
  'DELETE /api/maintenance/{id}': {
    // Each can be cancelled once.
    get path() {
      return `/api/maintenance/planned-${(asked += 1)}`;
    },
    headers: operator,
    missing: { path: '/api/maintenance/none' },
    unfitting: { path: `/api/maintenance/${configured}` },
  },
  'POST /api/announce': { path: '/api/announce?title=Soon', headers: operator },
  'DELETE /api/announce': {
    path: '/api/announce',
    headers: operator,
    missing: { path: '/api/announce?id=99' },
  },
  'POST /api/peer/probe': {
    path: '/api/peer/probe',
    headers: peer,
    body: target('https://example.com'),
    missing: { body: target('https://elsewhere.example.com') },
  },
  'POST /api/node/checks': {
    path: '/api/node/checks',
    headers: node,
    body: question('a'),
    missing: { body: question('alone') },
    unfitting: { body: question('a', 'other') },
  },
  'GET /api/openapi.json': { path: '/api/openapi.json' },
};

const { paths } = openapiOf(routes, { version: '0.0.0', server: '/' }) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly responses: object }>>>>;
};
const declared = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, { responses }]) =>
    Object.keys(responses).map((status) => ({
      operation: `${method.toUpperCase()} ${path}`,
      status: Number(status),
    })),
  ),
);

const tooMuch = 'x'.repeat(70_000);

describe('every status that is declared', () => {
  let isBroken = false;
  let refusal: StatusdError | null = null;
  let world: World;
  let poor: World;
  before(async () => {
    // A clock that fails is a fault that no handler foresees.
    const now = () => {
      if (isBroken) throw new Error('no clock');
      return startAt;
    };
    const probe = () => Promise.reject(new Error('nothing is probed here'));
    const answerNode: HttpOptions['answerNode'] = ({ from, config: digest }) => {
      if (from === 'alone') return Promise.resolve(null);
      if (digest !== 'same') return Promise.resolve('config');
      return Promise.resolve({ node: 'b', at: now(), findings: [{ n: 1, refusal: 'busy' }] });
    };
    world = await openWorld(`rate_limit_burst = 10000\n${config}`, {
      http: { clock: { ...realClock, now }, probe, answerNode },
      store: (store) => ({
        ...store,
        archive: {
          read: () => (refusal === null ? Promise.resolve([]) : Promise.reject(refusal)),
          keeper: null,
        },
        write: (operations, options) =>
          refusal === null ? store.write(operations, options) : Promise.reject(refusal),
      }),
    });
    await world.store.write([
      ...Array.from({ length: 100 }, (_, index) =>
        maintenances.add({
          id: null,
          uid: `planned-${index}`,
          title: 'Planned',
          monitors: [],
          startAt: startAt + 86_400_000,
          endAt: startAt + 90_000_000,
          createdAt: startAt,
        }),
      ),
      incidents.open({
        uid: 'outage',
        monitor: 'web',
        name: 'web',
        startedAt: startAt,
        confirmedAt: startAt,
        category: null,
        reason: null,
        cause: null,
        impacted: [],
        snapshot: null,
        vantage: null,
      }),
      ...ackLinkWrites('outage', 'web', startAt),
      samples.add({
        monitor: 'web',
        at: startAt - 3 * 3_600_000,
        status: 'up',
        latencyMs: 1,
        holdSecs: 60,
        isHeartbeat: false,
        category: null,
        message: null,
      }),
      // Whoever wants to see it has to ask for it.
      moveHours({ monitor: 'web', before: startAt / 3_600_000 - 1, rewrites: 0, kept: [] }),
      declareIncident({ id: 2, uid: 'by-hand', title: 'x', impact: 'none', monitors: [], at: startAt }),
    ]);
    poor = await openWorld(`rate_limit_burst = 1\nrate_limit_refill_secs = 60\n${config}`, {
      http: { probe },
    });
  });
  after(async () => {
    await world.close();
    await poor.close();
  });

  /** The status, after the answer was held against its description. */
  async function send(
    { port }: World,
    method: string,
    { path, headers = {}, body, hasHost = true }: Asking,
  ): Promise<number> {
    const asking = request({
      port,
      host: '127.0.0.1',
      method,
      path,
      headers,
      setHost: hasHost,
      agent: false,
    });
    asking.end(body);
    const [message] = (await once(asking, 'response')) as [IncomingMessage];
    const text = await textOf(message);
    const status = message.statusCode ?? 0;
    const header = (name: string) => message.headers[name]?.toString() ?? null;
    assert.deepEqual(faultsOf({ method, path, status, header, text }), [], `${method} ${path} ${status}`);
    return status;
  }

  async function provoke(status: number, method: string, asking: Asking): Promise<number> {
    if (asking.path.includes(readerLink)) await world.store.write(readerWrites(startAt));
    const uid = 'outage';
    const ackBefore =
      method === 'DELETE'
        ? incidents.acknowledge({ uid, at: startAt, by: null, reason: null })
        : incidents.unacknowledge({ uid });
    if (/^\/ack\/|\/ack$/.test(asking.path)) await world.store.write([ackBefore]);
    switch (status) {
      case 304:
        return send(world, method, { ...asking, headers: { ...asking.headers, 'if-none-match': '*' } });
      case 400:
        return send(world, method, { ...asking, hasHost: false });
      case 401:
        return send(world, method, { ...asking, headers: {} });
      case 403:
        return send(world, method, {
          ...asking,
          headers: { ...asking.headers, 'sec-fetch-site': 'cross-site' },
        });
      case 404:
        return send(world, method, { ...asking, ...asking.missing });
      case 409:
        return send(world, method, { ...asking, ...asking.unfitting });
      case 413:
        return send(world, method, {
          ...asking,
          headers: { ...asking.headers, 'content-length': String(tooMuch.length) },
          body: tooMuch,
        });
      case 429: {
        // Some routes are limited, and all the others but those for anyone limit who tries tokens.
        let answered = 0;
        for (let count = 0; count < 50 && answered !== 429; count += 1) {
          const headers = { ...asking.headers, authorization: `Bearer guess-${count}` };
          answered = await send(poor, method, { ...asking, headers });
        }
        return answered;
      }
      case 500:
        isBroken = true;
        return send(world, method, asking).finally(() => (isBroken = false));
      case 503:
        refusal = new StatusdError('store_full', 'the disk is full');
        world.engine.refusal = refusal;
        world.engine.isSchedulerOk = false;
        return send(world, method, asking).finally(() => {
          refusal = null;
          world.engine.refusal = null;
          world.engine.isSchedulerOk = true;
        });
      default:
        return send(world, method, asking);
    }
  }

  it('is answered by its route, in the shape it declares', async () => {
    assert.ok(declared.length > 80);
    for (const { operation, status } of declared) {
      const asking = askings[operation];
      assert.ok(asking, `no request of ${operation}`);
      const [method = ''] = operation.split(' ');
      assert.equal(await provoke(status, method, asking), status, operation);
    }
  });
});
