import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Store } from '../../../src/db/store.ts';
import { openWorld } from '../world.ts';

const config = `
[health]
id = "node-a"

[[monitors]]
id = "web"
target = "https://example.com"
`;

describe('GET /healthz', () => {
  it('is ok while the schedule runs and the database keeps', async () => {
    const world = await openWorld(config);
    try {
      const reply = await world.ask('/healthz');
      assert.equal(reply.status, 200);
      assert.deepEqual(reply.json(), {
        status: 'ok',
        scheduler_ok: true,
        db_ok: true,
        last_tick_age: 1.234,
        id: 'node-a',
        peers: {},
        network: { state: 'ok', since: null },
      });
      assert.equal(reply.headers.get('x-ratelimit-limit'), null);
      world.engine.isSchedulerOk = false;
      world.engine.lastTickAgeMs = null;
      const stalled = await world.ask('/healthz');
      assert.equal(stalled.status, 503);
      assert.deepEqual(stalled.json(), {
        status: 'degraded',
        scheduler_ok: false,
        db_ok: true,
        last_tick_age: null,
        id: 'node-a',
        peers: {},
        network: { state: 'ok', since: null },
      });
    } finally {
      await world.close();
    }
  });

  it('is 503 while the database cannot keep anything, and says nothing of the disk', async () => {
    const failing = (store: Store): Store => ({
      ...store,
      sql: store.sql,
      onChange: (listener) => store.onChange(listener),
      health: () => ({ isDurable: false, reason: 'no space on /secret/place', since: 1 }),
    });
    const world = await openWorld(config, { store: failing });
    try {
      const reply = await world.ask('/healthz');
      assert.equal(reply.status, 503);
      assert.equal((reply.json() as { db_ok: boolean }).db_ok, false);
      assert.doesNotMatch(reply.text, /secret/);
    } finally {
      await world.close();
    }
  });
});
