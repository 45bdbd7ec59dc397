import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { announcements } from '../../../src/db/tables/announcements.ts';
import { decisions } from '../../../src/db/tables/decisions.ts';
import { incidents } from '../../../src/db/tables/incidents.ts';
import type { LiveView } from '../../../src/engine/views/live.ts';
import { readExplained } from '../../../src/commands/top/read-explained.ts';
import { openWorld, startAt, type World } from '../world.ts';

const config = `
auth_token = "operator-token"
rate_limit_burst = 1000

[[channels]]
name = "phone"
type = "ntfy"
url = "http://127.0.0.1:9/x"

[[monitors]]
id = "web"
target = "https://example.com"

[[monitors]]
id = "job"
kind = "push"
interval_secs = 60
push_token = "job-token-of-20-chars"
`;

const headers = { authorization: 'Bearer operator-token' };

describe('what an operator asks about one monitor', () => {
  let world: World;
  before(async () => {
    world = await openWorld(config);
  });
  after(() => world.close());

  const post = (path: string) => world.ask(path, { method: 'POST', headers });

  it('is a check out of turn, which has happened when it is answered', async () => {
    const reply = await post('/api/monitors/web/check');
    assert.equal(reply.status, 202);
    assert.deepEqual(reply.json(), { status: 'checked' });
    assert.deepEqual(world.engine.checked, ['web']);
  });

  it('is no check of what is not asked, or does not exist', async () => {
    const reply = await post('/api/monitors/job/check');
    assert.equal(reply.status, 409);
    assert.match(reply.text, /job is a push monitor: it is not asked, it sends heartbeats/i);
    assert.equal((await post('/api/monitors/none/check')).status, 404);
    assert.deepEqual(world.engine.checked, ['web']);
  });

  it('is why it alerted, and what became of it', async () => {
    const uid = 'u1';
    await world.store.write([
      incidents.open({
        uid,
        monitor: 'web',
        name: 'web',
        startedAt: startAt - 60_000,
        confirmedAt: startAt - 50_000,
        category: 'connection',
        reason: 'connection refused',
        cause: null,
        impacted: [],
        snapshot: null,
        vantage: null,
      }),
      decisions.log({
        at: startAt - 40_000,
        monitor: 'web',
        incident: uid,
        channel: 'phone',
        event: 'down',
        verdict: 'told',
        reason: 'sent',
        detail: null,
      }),
    ]);
    const reply = await world.ask('/api/monitors/web/explain', { headers });
    assert.equal(reply.status, 200);
    const { channels, explanation } = readExplained(reply.json());
    assert.deepEqual(channels, ['phone']);
    assert.match(explanation?.headline.join(' ') ?? '', /Incident 1/);
    assert.ok(explanation !== null);
    const sent = explanation.timeline.find(({ kind }) => kind === 'told');
    assert.equal(sent?.channel, 'phone');
    assert.equal(sent.at, startAt - 40_000);
  });

  it('is what happened of late', async () => {
    const { feed } = (await world.ask('/api/live', { headers })).json() as LiveView;
    assert.deepEqual(
      feed.map(({ kind, text }) => [kind, text]),
      [
        ['sent', 'sent to phone: web down'],
        ['down', 'web is down: connection refused'],
      ],
    );
  });

  it('is the end of one banner, and of no other', async () => {
    for (const title of ['one', 'two']) await post(`/api/announce?title=${title}`);
    const end = (id: number) => world.ask(`/api/announce?id=${id}`, { method: 'DELETE', headers });
    assert.deepEqual((await end(1)).json(), { cleared: 1 });
    assert.deepEqual(
      announcements.active(world.store.sql, startAt).map(({ title }) => title),
      ['two'],
    );
    assert.equal((await end(1)).status, 404);
  });
});
