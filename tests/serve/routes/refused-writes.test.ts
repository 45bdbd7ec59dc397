import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Files } from '../../../src/db/store/files/files.ts';
import { nodeFiles } from '../../../src/db/store/files/node.ts';
import { announcements } from '../../../src/db/tables/announcements.ts';
import { events } from '../../../src/db/tables/events.ts';
import { outbox } from '../../../src/db/tables/outbox.ts';
import { producerAlerts } from '../../../src/db/tables/producer-alerts.ts';
import { recorded } from '../../../src/db/tables/recorded-incidents.ts';
import { silences } from '../../../src/db/tables/silences.ts';
import { openWorld, type World } from '../world.ts';

const disk = { isFull: false };
const full = () => Promise.reject(Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' }));

/** The real disk, full whenever the test says so. */
const files: Files = {
  ...nodeFiles,
  open: async (path, mode) => {
    if (disk.isFull && mode === 'create') return full();
    const file = await nodeFiles.open(path, mode);
    return { ...file, write: (bytes) => (disk.isFull ? full() : file.write(bytes)) };
  },
};

const authorization = 'Bearer secret';
const asked = [
  ['POST', '/api/announce?title=refused'],
  ['DELETE', '/api/announce'],
  ['POST', '/api/silence?monitors=all&duration=1h'],
  ['POST', '/api/monitors/web/alert', JSON.stringify({ title: 'refused' })],
  ['POST', '/api/incidents', JSON.stringify({ title: 'refused' })],
  ['POST', '/api/event', JSON.stringify({ title: 'refused' })],
] as const;

describe('a write of the operator on a full disk', () => {
  let world: World;
  before(async () => {
    world = await openWorld(
      `auth_token = "secret"
rate_limit_burst = 1000
[[channels]]
name = "hook"
type = "webhook"
url = "http://127.0.0.1:9/"
[[monitors]]
id = "web"
target = "http://127.0.0.1:9/"
`,
      { files },
    );
    await world.ask('/api/announce?title=kept', { method: 'POST', headers: { authorization } });
  });
  after(() => world.close());

  const contents = () => {
    const { sql } = world.store;
    return {
      banners: announcements.active(sql, 0).map(({ title }) => title),
      silences: silences.active(sql, 0).length,
      alerts: producerAlerts.listWithin(sql, { fromAt: 0, toAt: Number.MAX_SAFE_INTEGER }).length,
      due: outbox.nextDueAt(sql),
      incidents: recorded.list(sql, { limit: 9 }).incidents.length,
      events: events.listWithin(sql, { fromAt: 0, toAt: Number.MAX_SAFE_INTEGER }).length,
    };
  };

  for (const isFirst of [true, false]) {
    it(`is refused, ${isFirst ? 'the one that meets it' : 'every later one'} too, and does not happen`, async () => {
      for (const [method, path, body] of asked) {
        disk.isFull = true;
        const reply = await world.ask(path, {
          method,
          headers: { authorization, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
          ...(body === undefined ? {} : { body }),
        });
        assert.equal(reply.status, 503, `${method} ${path}`);
        assert.equal(reply.headers.get('retry-after'), '5');
        assert.equal(reply.headers.get('content-type'), 'application/problem+json');
        if (!isFirst) continue;
        disk.isFull = false;
        await new Promise<void>((resolve) => {
          const end = world.store.onHealth(({ isDurable }) => {
            if (!isDurable) return;
            end();
            resolve();
          });
        });
      }
      assert.deepEqual(contents(), {
        banners: ['kept'],
        silences: 0,
        alerts: 0,
        due: null,
        incidents: 0,
        events: 0,
      });
    });
  }
});
