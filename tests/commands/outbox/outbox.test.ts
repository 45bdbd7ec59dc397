import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { decisions } from '../../../src/db/tables/decisions.ts';
import { outbox } from '../../../src/db/tables/outbox.ts';
import { makeOperatorWorld, type OperatorWorld } from '../../support/operator-world.ts';

let world: OperatorWorld;
before(() => {
  world = makeOperatorWorld();
});
after(() => {
  world.remove();
});

const at = Date.UTC(2026, 10, 21, 3, 4, 5);
const farAt = Date.UTC(2100, 0, 1);
const put = (deliveryId: string, changes: Partial<Parameters<typeof outbox.put>[0]> = {}) =>
  outbox.put({
    deliveryId,
    channel: 'ops',
    event: 'down',
    monitor: 'api',
    incident: 'u-1',
    payload: {},
    createdAt: at,
    nextAt: farAt,
    ...changes,
  });
const failed = (deliveryId: string, nextAt: number | null, error = 'HTTP 503') =>
  outbox.failed({ deliveryId, at, error, nextAt });
const sent = (deliveryId: string) => outbox.sent({ deliveryId, at });
const statesOf = () =>
  world.read((sql) =>
    Object.fromEntries(
      ['in-window', 'retrying', 'late', 'smooth', 'given-up', 'flap'].map((id) => {
        const row = outbox.find(sql, id);
        return [id, [row?.state, (row?.nextAt ?? 0) < farAt]];
      }),
    ),
  );

describe('statusd outbox', () => {
  it('says so when nothing is stuck', async () => {
    await world.write();
    assert.deepEqual(await world.spawn('outbox'), {
      code: 0,
      stdout: 'No messages are waiting, were late or were given up.\n',
      stderr: '',
    });
    assert.deepEqual(await world.json('outbox'), { deliveries: [] });
    assert.equal((await world.run('outbox', 'retry')).stdout, 'No messages to try again.\n');
    assert.equal((await world.run('outbox', '-q')).stdout, '');
  });

  it('shows what waits, was sent late or was given up, and nothing else; the newest first', async () => {
    await world.write(
      put('in-window'),
      put('retrying', { channel: 'm\u001b[31mail\u202e' }),
      failed('retrying', farAt, 'no\u009b31m\nroute'),
      put('late'),
      failed('late', farAt),
      sent('late'),
      put('smooth'),
      sent('smooth'),
      put('given-up', { monitor: null, incident: null, event: 'digest' }),
      failed('given-up', null),
      put('flap'),
      outbox.drop({ deliveryId: 'flap', at }),
    );
    const { stdout } = await world.run('outbox');
    assert.equal(
      stdout.replace(/in \d+d( \d+h)? */g, 'later ').replaceAll('later \n', 'later\n'),
      [
        'ID  STATE      EVENT   MONITOR  CHANNEL  TRIES  WHEN (UTC)        ERROR',
        ' 5  given up   digest           ops          1  2026-11-21 03:04  HTTP 503',
        ' 3  sent late  down    api      ops          2  2026-11-21 03:04  HTTP 503',
        ' 2  retrying   down    api      mail         1  later no route',
        ' 1  waiting    down    api      ops          0  later',
        '',
      ].join('\n'),
    );
  });

  it('is JSON, every field of it', async () => {
    const { deliveries } = (await world.json('outbox')) as { deliveries: unknown[] };
    assert.equal(deliveries.length, 4);
    assert.deepEqual(deliveries[0], {
      id: 5,
      delivery_id: 'given-up',
      channel: 'ops',
      event: 'digest',
      monitor: null,
      incident: null,
      state: 'given_up',
      attempts: 1,
      created_at: '2026-11-21T03:04:05Z',
      next_at: null,
      finished_at: '2026-11-21T03:04:05Z',
      last_error: 'HTTP 503',
      hold: null,
    });
    assert.doesNotMatch(
      (await world.run('outbox', '--json')).stdout.trim(),
      /[\u0000-\u001f\u007f-\u009f\u202e]/,
    );
  });

  it('puts what the channel said below, where the terminal is narrow', async () => {
    const { stdout } = await world.runOnTerminal(80, 'outbox', '--no-color');
    assert.match(stdout, /^ID .*WHEN \(UTC\)\n/);
    assert.match(stdout, /\n {6}no route\n/);
    assert.ok(stdout.split('\n').every((line) => line.length <= 80));
  });
});

describe('statusd outbox retry', () => {
  it('makes what failed due at once, and leaves alone what waits out its window', async () => {
    assert.deepEqual(await world.json('outbox', 'retry'), { retried: [5, 2] });
    assert.deepEqual(await statesOf(), {
      'in-window': ['waiting', false],
      retrying: ['waiting', true],
      late: ['sent', false],
      smooth: ['sent', false],
      'given-up': ['waiting', true],
      flap: ['dropped', false],
    });
  });

  it('tries one, by number or by delivery id', async () => {
    const { stdout } = await world.run('outbox', 'retry', '1');
    assert.equal(
      stdout,
      'Message 1 (down for ops) is due now: the daemon sends it within a second, after what its channel is trying, or at its next start.\n',
    );
    assert.equal((await world.run('outbox', 'retry', 'retrying', '-q')).stdout, '');
  });

  it('refuses what was sent or dropped, and what there is not: exit 5', async () => {
    const cases = [
      ['3', 'message 3 was sent at 2026-11-21 03:04:05 UTC'],
      ['6', 'message 6 was dropped at 2026-11-21 03:04:05 UTC'],
      ['99', "there is no message '99'"],
      ['\u001b[31mx', "there is no message 'x'"],
    ] as const;
    for (const [word, sentence] of cases) {
      const { code, stderr } = await world.run('outbox', 'retry', word);
      assert.deepEqual(
        [code, stderr],
        [5, `statusd: ${sentence}\n  \`statusd outbox\` shows the numbers.\n`],
      );
    }
  });
});

describe('statusd outbox drop', () => {
  it('drops a message that waits, and records that an operator did', async () => {
    const { code, stdout } = await world.run('outbox', 'drop', '1');
    assert.deepEqual([code, stdout], [0, 'Dropped message 1: down for ops is not sent.\n']);
    assert.deepEqual((await statesOf())['in-window']?.[0], 'dropped');
    const [decision] = await world.read((sql) => decisions.ofIncident(sql, 'u-1'));
    assert.deepEqual(
      [decision?.verdict, decision?.reason, decision?.detail],
      ['spared', 'dropped', 'An operator dropped the message for ops.'],
    );
  });

  it('refuses what does not wait: exit 5, and no number: exit 2', async () => {
    assert.equal((await world.run('outbox', 'drop', '1')).code, 5);
    assert.equal((await world.run('outbox', 'drop', '99')).code, 5);
    assert.equal((await world.run('outbox', 'drop')).code, 2);
  });

  it('prints JSON', async () => {
    assert.deepEqual(await world.json('outbox', 'drop', '2'), { dropped: 2 });
  });
});

it('every outbox command needs a database: exit 4', async () => {
  const empty = makeOperatorWorld();
  for (const args of [[], ['retry'], ['drop', '1']]) {
    assert.equal((await empty.run('outbox', ...args)).code, 4);
  }
  empty.remove();
});

describe('a message that is folded', () => {
  it('names the upstreams whose message is sent instead', async () => {
    await world.write(put('folded', { payload: { hold: { reason: 'folded', by: 'db dns' } } }));
    const { stdout } = await world.run('outbox', '-q');
    assert.match(stdout, /folded +down +api +ops +0 +with db, dns\n/);
    const { deliveries } = (await world.json('outbox')) as {
      deliveries: readonly { folded_into: unknown }[];
    };
    assert.deepEqual(deliveries[0]?.folded_into, ['db', 'dns']);
  });
});
