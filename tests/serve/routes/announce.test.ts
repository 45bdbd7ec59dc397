import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { announcements } from '../../../src/db/tables/announcements.ts';
import { openWorld, startAt, type World } from '../world.ts';

const config = `
auth_token = "operator-token"
rate_limit_burst = 1000

[[monitors]]
id = "web"
target = "https://example.com"
`;

const headers = { authorization: 'Bearer operator-token' };

describe('/api/announce', () => {
  let world: World;
  before(async () => {
    world = await openWorld(config);
  });
  after(() => world.close());

  const announce = (query: string) => world.ask(`/api/announce?${query}`, { method: 'POST', headers });
  const active = () => announcements.active(world.store.sql, world.clock.now());
  const shown = async () =>
    ((await world.ask('/api/summary')).json() as { announcements: unknown[] }).announcements;

  it('pins a banner that shows in the next summary', async () => {
    assert.deepEqual(await shown(), []);
    const reply = await announce('title=Move&body=We%20move%0Atonight&severity=warning&until=18:00%20UTC');
    assert.equal(reply.status, 200);
    assert.deepEqual(reply.json(), {
      id: 1,
      title: 'Move',
      severity: 'warning',
      until: '2026-06-07T18:00:00Z',
    });
    assert.deepEqual(await shown(), [
      {
        title: 'Move',
        body: 'We move\ntonight',
        severity: 'warning',
        at: '2026-06-07T12:00:00Z',
        until: '2026-06-07T18:00:00Z',
      },
    ]);
  });

  it('cuts what is too long instead of refusing it', async () => {
    await announce(`title=${'t'.repeat(300)}&body=${'b'.repeat(3000)}`);
    const [newest] = active();
    assert.deepEqual([newest?.title.length, newest?.body?.length, newest?.untilAt], [200, 2000, null]);
  });

  it('refuses what it does not understand', async () => {
    for (const [query, detail] of [
      ['', /^title is missing/],
      ['title=%20%20', /^The title is empty\. Say/],
      ['title=%E2%80%8B', /^The title is empty\. Say/],
      ['title=x&severity=loud', /^severity must be one of info, warning, critical, resolved\.$/],
      ['title=x&until=25:00', /^The end '25:00' is no time of a day\. Write/],
      ['title=x&until=later', /^The end 'later' is not a duration\. Write/],
    ] as const) {
      const reply = await announce(query);
      assert.equal(reply.status, 400, query);
      assert.match((reply.json() as { detail: string }).detail, detail);
    }
  });

  it('takes all banners down and counts those that still stood', async () => {
    await announce('title=Short&until=1s');
    world.clock.advance(2000);
    const reply = await world.ask('/api/announce', { method: 'DELETE', headers });
    assert.deepEqual(reply.json(), { cleared: 2 });
    assert.deepEqual(active(), []);
    assert.deepEqual(await shown(), []);
    assert.equal((await world.ask('/api/announce', { method: 'DELETE' })).status, 401);
    assert.ok(world.clock.now() > startAt);
  });
});
