import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { silences } from '../../../src/db/tables/silences.ts';
import { openWorld, startAt, type World } from '../world.ts';

const config = `
auth_token = "operator-token"

[page]
show_latency = false

[[monitors]]
id = "web"
target = "https://example.com"

[[monitors]]
id = "db"
target = "https://db.example.com"

[[maintenance]]
title = "New disks"
start = "2026-06-07T11:00:00Z"
end = "2026-06-07T13:00:00Z"
monitors = ["db"]
`;

const curl = { accept: '*/*', 'user-agent': 'curl/8' };
const operator = { ...curl, authorization: 'Bearer operator-token' };
const hour = 3_600_000;

describe('the text of a page', () => {
  let world: World;
  before(async () => {
    world = await openWorld(config);
    await world.store.write([
      silences.add({
        uid: 's',
        monitors: ['web'],
        untilAt: startAt + hour,
        reason: null,
        createdAt: startAt,
      }),
    ]);
    world.engine.statuses.set('web', 'down').set('db', 'up');
  });
  after(() => world.close());

  const paths = ['/?width=200', '/monitor/web?width=200'];
  const text = async (path: string, headers: Readonly<Record<string, string>>) =>
    (await world.ask(path, { headers })).text;

  it('has no response times where the page has none', async () => {
    for (const path of paths)
      for (const headers of [curl, operator]) assert.doesNotMatch(await text(path, headers), /Latency/);
  });

  it('shows silences to the operator alone', async () => {
    for (const path of paths) {
      assert.doesNotMatch(await text(path, curl), /silenced|\(s\)/);
      assert.match(await text(path, operator), /DOWN \(s\).*silenced until 13:00 UTC.*; \(s\) silenced/s);
    }
  });

  it('shows maintenance to everybody', async () => {
    assert.match(await text('/?width=200', curl), /up \(m\).*; \(m\) under maintenance/s);
  });
});
