import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NodeClient, resultIn } from '../../../src/engine/nodes/client.ts';
import { RateMeter } from '../../../src/engine/nodes/rate-meter.ts';
import { monitorsOf } from '../../../src/engine/nodes/watched-hosts.ts';
import { readQuestion } from '../../../src/engine/nodes/wire.ts';
import { NodeWorker } from '../../../src/engine/nodes/worker.ts';
import { load } from '../../support/config.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { healthy } from './fleet.ts';

const { config } = await load('[[monitors]]\nid = "web"\ntarget = "https://web.example.com/"\n');

/** A node that asks, and one whose probes take these times in turn; a question and its answer take 2 ms each. */
function pair(...probesMs: readonly number[]) {
  const clock = new VirtualClock();
  const troubles: string[] = [];
  const who = { answers: 'b', isBroken: false };
  const asked: number[] = [];
  let probed = 0;
  const worker = new NodeWorker({
    clock,
    rate: new RateMeter(clock),
    self: () => ({ id: who.answers, config: 'same', version: '1' }),
    find: (id) => monitorsOf(config).get(id) ?? null,
    probe: async () => {
      await clock.sleep(probesMs[probed++ % probesMs.length] ?? 0);
      return healthy;
    },
  });
  const client = new NodeClient({
    clock,
    line: {
      post: async ({ body }) => {
        const question = readQuestion(body);
        if (who.isBroken) throw new Error('Invalid URL');
        assert.ok(question !== null);
        asked.push(question.checks.length);
        await clock.sleep(2);
        const answer = await worker.answer(question);
        await clock.sleep(2);
        return { status: 200, text: JSON.stringify(answer) };
      },
    },
    node: 'b',
    url: () => 'http://b.example',
    token: () => 'secret',
    session: 'one',
    self: () => ({ from: 'a', config: 'same', version: '1' }),
    onAnswer: () => undefined,
    onTrouble: (why) => troubles.push(why),
  });
  return { clock, client, asked, troubles, who };
}

describe('asking a node for checks', () => {
  it('takes home with each question what earlier ones asked for', async () => {
    const { clock, client, asked, troubles } = pair(5, 20, 40, 60, 80);
    const replies: Promise<unknown>[] = [];
    for (let n = 0; n < 400; n += 1) {
      replies.push(client.ask('web', 12_000));
      await clock.run(3 + (n % 5));
    }
    await clock.run(500);
    assert.equal((await Promise.all(replies)).filter((reply) => reply === null).length, 0);
    assert.equal(
      asked.reduce((sum, count) => sum + count, 0),
      400,
    );
    // One each tenth of a second, for two seconds.
    assert.ok(asked.length <= 22, String(asked));
    assert.deepEqual(troubles, []);
  });

  it('has the result of a single check a quarter of a second later, and asks for nothing more', async () => {
    const { clock, client, asked } = pair(10);
    const startedMs = clock.monotonic();
    let lastedMs = 0;
    void client.ask('web', 12_000).then(() => (lastedMs = clock.monotonic() - startedMs));
    await clock.run(60_000);
    assert.ok(lastedMs > 0 && lastedMs <= 250, String(lastedMs));
    assert.deepEqual(asked, [1]);
  });

  it('asks again for what takes longer than a question is held', async () => {
    const { clock, client, asked } = pair(5000);
    const startedMs = clock.monotonic();
    let lastedMs = 0;
    void client.ask('web', 12_000).then(() => (lastedMs = clock.monotonic() - startedMs));
    await clock.run(60_000);
    assert.ok(lastedMs >= 5000 && lastedMs <= 5300, String(lastedMs));
    assert.equal(asked.length, 3);
  });

  it('takes no result from another node that answers at its address', async () => {
    const { clock, client, troubles, who } = pair(10);
    who.answers = 'a';
    const reply = client.ask('web', 12_000);
    await clock.run(1000);
    assert.equal(await reply, null);
    assert.deepEqual(troubles, ['gave an address at which a answers: node.url has to lead to it']);
    const greeted = client.greet();
    await clock.run(1000);
    assert.equal(await greeted, false);
  });

  it('leaves the node out when asking it throws, and goes on when it works again', async () => {
    const { clock, client, troubles, who } = pair(10);
    who.isBroken = true;
    const reply = client.ask('web', 12_000);
    await clock.run(1000);
    assert.equal(await reply, null);
    assert.deepEqual(troubles, ['cannot be asked: Invalid URL']);
    who.isBroken = false;
    const again = client.ask('web', 12_000);
    await clock.run(1000);
    assert.equal(resultIn(await again)?.outcome, 'healthy');
  });

  it('gives up checks without a result in time, and no longer asks for them', async () => {
    const { clock, client, troubles } = pair(60_000);
    const reply = client.ask('web', 12_000);
    await clock.run(13_000);
    assert.equal(await reply, null);
    assert.deepEqual(troubles, ['does not answer in time']);
  });
});
