/** What a standby says of itself where it hands heartbeats on to the leader. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { askHealth } from '../../../src/commands/healthcheck/health.ts';
import { standbyEngine } from '../../../src/commands/serve/standby.ts';
import type { NodeStore } from '../../../src/db/shared/node-store.ts';
import { createTrust } from '../../../src/engine/net/tls-trust.ts';
import { closedPort } from '../../support/closed-port.ts';
import { load } from '../../support/config.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const storage = '[storage]\nurl = "postgres://127.0.0.1/statusd"\nlease_secs = 15\n';
const push =
  '[[monitors]]\nid = "job"\nkind = "push"\ninterval_secs = 60\npush_token = "a-token-of-the-job"\n';
const http = '[[monitors]]\nid = "web"\ntarget = "https://example.com"\n';

async function standby(monitors: string) {
  const { config } = await load(storage + monitors);
  const clock = new VirtualClock();
  const port = await closedPort();
  const leader = { id: 'paris', url: `http://${port.address}` };
  const store = { clock, standing: () => ({ role: 'standby', leader, behindMs: 0 }) };
  const answers: Promise<unknown>[] = [];
  const engine = standbyEngine(store as unknown as NodeStore, {
    loaded: () => ({ config }),
    self: () => 'rome',
    trust: createTrust({ env: {}, bundles: [] }),
    log: () => undefined,
    ask: (...terms) => {
      const answer = askHealth(...terms);
      answers.push(answer);
      return answer;
    },
  });
  /** What it says after it was asked every 5 s for `secs`, with every answer of the leader in. */
  const after = async (secs: number) => {
    for (let passed = 0; passed < secs; passed += 5) {
      engine.health();
      await Promise.allSettled(answers);
      clock.advance(5000);
    }
    return engine.health().unreachedLeader ?? null;
  };
  return { engine, leader, after };
}

/** A leader that answers for as long as `use` lasts. */
async function withLeader(use: (url: string) => Promise<void>): Promise<void> {
  const server = createServer((_, response) => response.end('{"scheduler_ok":true,"db_ok":true}'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

describe('a standby', () => {
  it('says that it does not reach the leader when another one would lead by then, until it reaches it', async () => {
    const { leader, after } = await standby(push);
    assert.equal(await after(25), null, 'the leader may just have died');
    assert.equal(await after(15), 'paris');
    await withLeader(async (url) => {
      leader.url = url;
      assert.equal(await after(10), null);
    });
  });

  it('counts from zero where another node leads', async () => {
    const { leader, after } = await standby(push);
    assert.equal(await after(40), 'paris');
    leader.id = 'oslo';
    assert.equal(await after(20), null);
    assert.equal(await after(20), 'oslo');
  });

  it('says so as well where a heartbeat was not handed on and nothing else was asked', async () => {
    const { engine, after } = await standby(push);
    await assert.rejects(engine.heartbeat({ monitor: 'job', status: 'up', message: null, pingMs: null }));
    assert.equal(await after(40), 'paris');
  });

  it('says nothing of it where nothing sends heartbeats', async () => {
    const { after } = await standby(http);
    assert.equal(await after(60), null);
  });
});
