import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { openWorld, startAt, type World } from '../world.ts';

const config = `
auth_token = "operator-token"
rate_limit_burst = 1000

[[monitors]]
id = "web"
target = "https://example.com"
group = "front"

[[monitors]]
id = "db"
target = "https://db.example.com"
group = "front"

[[maintenance]]
title = "New disks"
start = "2026-06-07T11:00:00Z"
end = "2026-06-07T13:00:00Z"
monitors = ["db"]
`;

const forms = {
  page: { accept: 'text/html' },
  text: { accept: '*/*', 'user-agent': 'curl/8' },
};
const paths = ['/', '/status/front', '/monitor/web', '/incidents/down', '/history', '/report/2026-06'];

describe('the tag of a page while something is down, and something else is under maintenance', () => {
  let world: World;
  before(async () => {
    world = await openWorld(config);
    const startedAt = startAt - 722_000;
    await world.store.write([
      incidents.open({
        ...{ uid: 'down', monitor: 'web', name: 'web', startedAt, confirmedAt: startedAt },
        ...{ category: 'timeout', reason: null, cause: null, impacted: [], snapshot: null, vantage: null },
      }),
    ]);
    const opened = await world.ask('/api/incidents', {
      method: 'POST',
      headers: { authorization: 'Bearer operator-token' },
      body: JSON.stringify({ title: 'Slow' }),
    });
    paths.push(`/incidents/${(opened.json() as { readonly uid: string }).uid}`);
    world.engine.statuses.set('web', 'down').set('db', 'up');
  });
  after(() => world.close());

  it('stays the same for as long as a minute does', async () => {
    const tags = async () => {
      const found: Record<string, string | null> = {};
      for (const path of paths) {
        for (const [form, headers] of Object.entries(forms)) {
          const reply = await world.ask(path, { headers });
          assert.equal(reply.status, 200, path);
          found[`${path} ${form}`] = reply.headers.get('etag');
        }
      }
      return found;
    };
    world.clock.advance(7000);
    const first = await tags();
    world.clock.advance(37_000);
    assert.deepEqual(await tags(), first);
  });

  it('is that of a span to the second once it is over', async () => {
    const text = async (path: string) => (await world.ask(path, { headers: forms.text })).text;
    assert.match(await text('/incidents/down'), /web DOWN for 12m\./);
    await world.store.write([incidents.close({ uid: 'down', endedAt: startAt + 31_000 })]);
    world.clock.advance(11_000);
    for (const path of ['/incidents/down', '/history'])
      assert.match(await text(path), /web was down for 12m 33s\./);
    assert.match(await text('/report/2026-06'), /12m 33s/);
  });
});
