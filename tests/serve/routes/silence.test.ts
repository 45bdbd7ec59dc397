import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { silences } from '../../../src/db/tables/silences.ts';
import { openWorld, startAt, type World } from '../world.ts';

const config = `
auth_token = "operator-token"
rate_limit_burst = 1000

[[monitors]]
id = "web"
target = "https://example.com"

[[monitors]]
id = "api"
target = "https://api.example.com"
public = false

[health]
id = "here"

[[peers]]
id = "paris"
listen_id = "in-paris"
listen_token = "paris-token"
expect_every_secs = 90
`;

const headers = { authorization: 'Bearer operator-token' };

describe('POST /api/silence', () => {
  let world: World;
  before(async () => {
    world = await openWorld(config);
  });
  after(() => world.close());

  const silence = (query: string) => world.ask(`/api/silence?${query}`, { method: 'POST', headers });

  it('mutes the monitors named, in the order of the configuration', async () => {
    const reply = await silence('monitors=api,%20web,api&duration=1h30m&reason=deploy');
    assert.equal(reply.status, 200);
    assert.deepEqual(reply.json(), {
      ids: [1],
      monitors: ['web', 'api'],
      until: '2026-06-07T13:30:00Z',
      reason: 'deploy',
    });
    assert.deepEqual(silences.active(world.store.sql, startAt), [
      { id: 1, monitors: ['web', 'api'], untilAt: startAt + 5_400_000, reason: 'deploy', createdAt: startAt },
    ]);
  });

  it('mutes all of them', async () => {
    const reply = await silence('monitors=all&duration=7d');
    assert.deepEqual(reply.json(), {
      ids: [2],
      monitors: ['*'],
      until: '2026-06-14T12:00:00Z',
      reason: null,
    });
  });

  it('refuses what it does not understand', async () => {
    for (const [query, status, detail] of [
      ['duration=1h', 400, /^monitors is missing/],
      ['monitors=,&duration=1h', 400, /^No monitor is named\. Name monitors/],
      ['monitors=web', 400, /^duration is missing/],
      ['monitors=web&duration=soon', 400, /^The duration 'soon' is not a duration\. Write/],
      ['monitors=web&duration=90', 400, /^The duration '90' has no unit\./],
      ['monitors=web&duration=0s', 400, /^The duration '0s' is no time at all\./],
      [
        'monitors=web&duration=169h',
        400,
        /^The duration '169h' is too long: 7d is the most\. What takes longer/,
      ],
      [
        'monitors=web,nobody&duration=1h',
        404,
        /^There is no monitor 'nobody'\. There are: web, api, in-paris\.$/,
      ],
    ] as const) {
      const reply = await silence(query);
      assert.equal(reply.status, status, query);
      assert.match((reply.json() as { detail: string }).detail, detail);
    }
  });

  it('mutes a peer by its listen_id, which nobody else learns', async () => {
    const reply = await silence('monitors=in-paris,web&duration=1h');
    assert.deepEqual((reply.json() as { monitors: string[] }).monitors, ['web', 'in-paris']);
    assert.deepEqual(silences.active(world.store.sql, startAt).at(-1)?.monitors, ['web', 'in-paris']);
    const byId = await silence('monitors=paris&duration=1h');
    assert.deepEqual((byId.json() as { monitors: string[] }).monitors, ['in-paris']);
    assert.equal((await silence('monitors=nobody&duration=1h')).status, 404);
  });

  it('refuses a body beyond 64 KiB', async () => {
    const body = 'x'.repeat(65_537);
    const reply = await world.ask('/api/silence?monitors=web&duration=1h', { method: 'POST', headers, body });
    assert.equal(reply.status, 413);
  });

  it('is closed without the access token, whether one is configured or not', async () => {
    for (const authorization of ['Bearer no', 'Basic b3BlcmF0b3ItdG9rZW4=', 'operator-token']) {
      const reply = await world.ask('/api/silence?monitors=web&duration=1h', {
        method: 'POST',
        headers: { authorization },
      });
      assert.equal(reply.status, 401);
      assert.equal(reply.headers.get('www-authenticate'), 'Bearer');
    }
    const other = await openWorld('[[monitors]]\nid = "web"\ntarget = "https://example.com"\n');
    try {
      for (const path of ['/api/silence?token=&monitors=web&duration=1h', '/api/silence']) {
        const reply = await other.ask(path, { method: 'POST', headers: { authorization: 'Bearer ' } });
        assert.equal(reply.status, 401);
        assert.equal(reply.headers.get('www-authenticate'), 'Bearer');
      }
    } finally {
      await other.close();
    }
  });
});
