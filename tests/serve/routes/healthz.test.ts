import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Store } from '../../../src/db/store/store.ts';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { peers } from '../../../src/db/tables/peers.ts';
import { freshPeer } from '../../../src/engine/peers/rules/state.ts';
import { openWorld, startAt } from '../world.ts';

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
        reason: null,
        scheduler_ok: true,
        db_ok: true,
        heartbeats_ok: true,
        last_tick_age: 1.234,
        id: 'node-a',
        role: null,
        leader: null,
        behind_secs: null,
        config_same: null,
        peers: {},
        peer_counts: { up: 0, down: 0, link_degraded: 0, unknown: 0 },
        network: { state: 'ok', since: null },
      });
      assert.equal(reply.headers.get('x-ratelimit-limit'), null);
      world.engine.isSchedulerOk = false;
      world.engine.lastTickAgeMs = null;
      const stalled = await world.ask('/healthz');
      assert.equal(stalled.status, 503);
      assert.deepEqual(stalled.json(), {
        status: 'degraded',
        reason: 'the scheduler is stalled',
        scheduler_ok: false,
        db_ok: true,
        heartbeats_ok: true,
        last_tick_age: null,
        id: 'node-a',
        role: null,
        leader: null,
        behind_secs: null,
        config_same: null,
        peers: {},
        peer_counts: { up: 0, down: 0, link_degraded: 0, unknown: 0 },
        network: { state: 'ok', since: null },
      });
    } finally {
      await world.close();
    }
  });

  it('is unavailable where a standby cannot hand heartbeats on, and says why', async () => {
    const world = await openWorld(config);
    try {
      world.engine.unreachedLeader = 'paris';
      const reply = await world.ask('/healthz');
      const { status, reason, db_ok, heartbeats_ok } = reply.json() as Record<string, unknown>;
      assert.deepEqual(
        [reply.status, status, reason, db_ok, heartbeats_ok],
        [
          503,
          'degraded',
          'heartbeats cannot be forwarded to the leader: paris is not reached at its node.url',
          true,
          false,
        ],
      );
      world.engine.unreachedLeader = null;
      assert.equal((await world.ask('/healthz')).status, 200);
    } finally {
      await world.close();
    }
  });

  it('shows everyone how it sees the watched peers', async () => {
    const world = await openWorld(`auth_token = "operator-token"${config}
[[peers]]
id = "node-b"
listen_token = "token-of-b"
expect_every_secs = 60
[[peers]]
id = "node-c"
listen_token = "token-of-c"
expect_every_secs = 60
[[peers]]
id = "unwatched"
listen_token = "token-of-d"
`);
    try {
      const heardAt = startAt - 42_500;
      await world.store.write([
        peers.save({ id: 'node-b', heardAt, state: { ...freshPeer, state: 'up', heardAt } }),
        peers.save({ id: 'unwatched', heardAt, state: { ...freshPeer, state: 'up', heardAt } }),
      ]);
      const counts = { up: 1, down: 0, link_degraded: 0, unknown: 1 };
      const seen = async (headers: Readonly<Record<string, string>>) => {
        const reply = (await world.ask('/healthz', { headers })).json() as Record<string, unknown>;
        return { peers: reply['peers'], counts: reply['peer_counts'] };
      };
      const known = {
        counts,
        peers: { 'node-b': { state: 'up', age: 42 }, 'node-c': { state: 'unknown', age: null } },
      };
      assert.deepEqual(await seen({ 'x-push-token': 'token-of-d' }), known);
      assert.deepEqual(await seen({ authorization: 'Bearer operator-token' }), known);
      assert.deepEqual(await seen({}), known);
      assert.deepEqual(await seen({ 'x-push-token': 'wrong' }), known);
    } finally {
      await world.close();
    }
  });

  it('is degraded, and still 200, while monitors that the reader may see cannot be checked', async () => {
    const world = await openWorld(`auth_token = "operator-token"${config}
[[monitors]]
id = "hidden"
target = "https://example.org"
public = false
`);
    const unchecked = (monitor: string, ownFault: string) =>
      incidents.open({
        uid: `u-${monitor}`,
        monitor,
        name: monitor,
        startedAt: startAt - 60_000,
        confirmedAt: startAt - 30_000,
        category: 'own_fault',
        reason: 'no name server answered for secret.example (ETIMEOUT)',
        cause: null,
        impacted: [],
        snapshot: null,
        vantage: null,
        ownFault,
      });
    const asked = async (headers: Readonly<Record<string, string>> = {}) => {
      const reply = await world.ask('/healthz', { headers });
      const { status, reason } = reply.json() as { status: string; reason: string | null };
      return [reply.status, status, reason];
    };
    const operator = { authorization: 'Bearer operator-token' };
    try {
      await world.store.write([unchecked('hidden', 'plugin check_secret')]);
      assert.deepEqual(await asked(), [200, 'ok', null]);
      assert.deepEqual(await asked(operator), [
        200,
        'degraded',
        'cannot check 1 monitor: the plugin cannot be run',
      ]);
      await world.store.write([unchecked('web', 'resolver')]);
      assert.deepEqual(await asked(), [
        200,
        'degraded',
        'cannot check 1 monitor: the resolver does not answer',
      ]);
      await world.store.write([incidents.close({ uid: 'u-web', endedAt: startAt })]);
      assert.deepEqual(await asked(), [200, 'ok', null]);
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
