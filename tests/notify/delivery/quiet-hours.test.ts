/** Quiet hours of a channel: what they hold back and until when, what they drop, and what passes them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { channels } from '../../../src/db/tables/channels.ts';
import { decisions } from '../../../src/db/tables/decisions.ts';
import { outbox } from '../../../src/db/tables/outbox.ts';
import { silences } from '../../../src/db/tables/silences.ts';
import type { AlertEvent } from '../../../src/engine/alerting/events/catalogue.ts';
import { fieldsOf } from '../../../src/engine/alerting/events/stored.ts';
import { alertOperations } from '../../../src/engine/monitoring/alert-operations.ts';
import { load } from '../../support/config.ts';
import { openDisk, World } from './world.ts';

/** An hour into the quiet hours. */
const originAt = Date.UTC(2026, 0, 1, 23);
const hourMs = 3_600_000;
const disk = await openDisk();

/** `ops` has quiet hours from 22 to 7; `api` depends on `db`; `shop` is critical. */
async function configOf(quiet: 'hold' | 'drop' = 'hold', isDegradedNotified = false) {
  const monitor = (id: string, more: string) =>
    `[[monitors]]\nid = "${id}"\ntarget = "http://127.0.0.1/"\ndegraded_over_ms = 1000\n${more}`;
  return (
    await load(
      [
        `[alerts]\nfail_threshold = 1\ngroup_window_secs = 30\nalert_on_degraded = ${isDegradedNotified}`,
        '[[channels]]\nname = "ops"\ntype = "webhook"\nurl = "https://ops.example.com/"',
        `quiet_hours = "22:00-07:00"\nquiet = "${quiet}"`,
        monitor('db', ''),
        monitor('api', 'depends_on = ["db"]'),
        monitor('shop', 'critical = true'),
      ].join('\n'),
    )
  ).config;
}

async function withoutQuietHours() {
  const config = await configOf();
  return { ...config, channels: config.channels.map((each) => ({ ...each, quiet_hours: null })) };
}

async function worldOf(...how: Parameters<typeof configOf>) {
  // A check out of turn sees what the last one saw.
  const truth = (id: string) => (world.stateOf(id).incident === null ? 'up' : 'down');
  const world: World = new World({ disk, config: await configOf(...how), startAt: originAt, truth });
  return world;
}

const linesOf = (world: World) => world.lines(originAt, hourMs);

/** What was decided after a message was queued, as `monitor verdict reason: detail`. */
function decided(world: World): string[] {
  return ['db', 'api', 'shop'].flatMap((id) =>
    decisions
      .ofMonitor(world.sql, id, { at: world.clock.now(), limit: 100 })
      .filter(({ verdict }) => verdict !== 'queued')
      .map(({ verdict, reason, detail }) => `${id} ${verdict} ${reason}: ${detail}`),
  );
}

describe('quiet hours', () => {
  it('hold an alert back until they end, which the record says once', async () => {
    const world = await worldOf();
    await world.sample('db', 'down');
    await world.runTo(originAt + 7 * hourMs);
    assert.deepEqual(linesOf(world), []);
    await world.runTo(originAt + 9 * hourMs);
    assert.deepEqual(linesOf(world), ['down db 8 ops']);
    assert.equal(
      decided(world)[0],
      'db held quiet_hours: ops has its quiet hours until 2026-01-02 07:00:00 UTC: it is sent then.',
    );
    assert.equal(decided(world).length, 2);
    await world.stop();
  });

  it('that the configuration of a restart has no more hold nothing back', async () => {
    const world = await worldOf();
    await world.sample('db', 'down');
    await world.runTo(originAt + hourMs);
    world.restart(60_000);
    await world.runTo(originAt + 2 * hourMs);
    assert.deepEqual(linesOf(world), [], 'with the same configuration they do');
    world.restartWith(await withoutQuietHours());
    await world.runTo(originAt + 3 * hourMs);
    assert.deepEqual(linesOf(world), ['down db 2 ops']);
    await world.stop();
  });

  it('change nothing about what is held back or dropped for another reason', async () => {
    const world = await worldOf();
    world.apply(
      silences.add({ monitors: ['db'], untilAt: originAt + hourMs, reason: null, createdAt: originAt }),
    );
    for (const id of ['db', 'shop']) await world.sample(id, 'down');
    await world.sample('api', 'down');
    await world.runTo(originAt + 10_000);
    await world.sample('api', 'up');
    await world.runTo(originAt + 60_000);
    const reasons = (id: string) =>
      decided(world).flatMap((line) => (line.startsWith(`${id} `) ? line.split(' ', 3)[2] : []));
    assert.deepEqual(reasons('db'), ['muted:']);
    assert.deepEqual(reasons('api'), ['flap:']);
    await world.stop();
  });

  it('are the time from which an escalation counts: the alert could be sent then, but for its channel', async () => {
    const world = await worldOf();
    world.apply(
      silences.add({ monitors: ['api'], untilAt: originAt + hourMs, reason: null, createdAt: originAt }),
    );
    for (const id of ['db', 'api']) await world.sample(id, 'down');
    await world.runTo(originAt + 60_000);
    const waiting = outbox.due(world.sql, Number.MAX_SAFE_INTEGER, 10);
    assert.deepEqual(
      new Map(
        waiting.map(({ event, monitor, payload }) => {
          const { calledAt, coveredSinceAt } = fieldsOf(payload);
          return [monitor ?? event, [calledAt, coveredSinceAt]];
        }),
      ),
      new Map<string, unknown>([
        // The time that they hold it back does not count as held back for too long.
        ['db', [originAt + 30_000, originAt + 30_000]],
        ['api', [undefined, originAt + 30_000]],
      ]),
    );
    await world.stop();
  });

  it('let pass what is about a critical monitor', async () => {
    const world = await worldOf();
    await world.sample('shop', 'down');
    await world.runTo(originAt + 60_000);
    assert.deepEqual(world.lines(originAt), ['down shop 30 ops']);
    await world.stop();
  });

  it('hold back what is about no monitor', async () => {
    const world = await worldOf();
    const failing: AlertEvent = {
      kind: 'channel_failing',
      at: originAt,
      channel: 'sms',
      consecutiveFailures: 3,
      failingSinceAt: originAt,
      error: 'It was refused.',
      isPartial: false,
    };
    world.apply(channels.failed({ channel: 'sms', at: originAt, error: 'It was refused.' }));
    world.apply(...alertOperations(failing, { sql: world.sql, config: await configOf() }));
    await world.runTo(originAt + 9 * hourMs);
    assert.deepEqual(linesOf(world), ['channel_failing  8 ops']);
    await world.stop();
  });

  it('drop what is no outage where they are to, and the record says so', async () => {
    for (const [quiet, lines] of [
      ['hold', ['degraded db 8 ops']],
      ['drop', []],
    ] as const) {
      const world = await worldOf(quiet, true);
      await world.sample('db', 'slow');
      await world.runTo(originAt + 9 * hourMs);
      assert.deepEqual(linesOf(world), lines);
      const dropped = decided(world).filter((line) => line.startsWith('db spared quiet_hours'));
      assert.equal(dropped.length, quiet === 'drop' ? 1 : 0);
      await world.stop();
    }
  });

  it('hold an outage back also where they are to drop, and say late of one that is over only where they are not', async () => {
    for (const [quiet, lines] of [
      ['hold', ['late recovered db 8 ops']],
      ['drop', []],
    ] as const) {
      const world = await worldOf(quiet);
      await world.sample('db', 'down');
      await world.runTo(originAt + hourMs);
      await world.sample('db', 'up');
      await world.runTo(originAt + 9 * hourMs);
      assert.deepEqual(linesOf(world), lines);
      const dropped = decided(world).filter((line) => line.startsWith('db spared quiet_hours'));
      assert.equal(dropped.length, quiet === 'drop' ? 1 : 0);
      await world.stop();
    }
  });

  it('are what a dependent waits for, and at their end one message names it with its upstream', async () => {
    const world = await worldOf();
    await world.sample('db', 'down');
    await world.runTo(originAt + 5000);
    await world.sample('api', 'down');
    await world.runTo(originAt + 9 * hourMs);
    assert.deepEqual(linesOf(world), ['down db 8 ops']);
    const [only] = world.notified;
    assert.ok(only?.message.event === 'down');
    assert.deepEqual(
      only.message.impacted.map(({ id }) => id),
      ['api'],
    );
    const held = decided(world).filter((line) => line.startsWith('api held'));
    assert.deepEqual(
      held.map((line) => line.split(':')[0]),
      ['api held quiet_hours', 'api held folded'],
    );
    await world.stop();
  });

  for (const [what, ups] of [
    ['together', ['db', 'api']],
    ['the dependent first', ['api', 'db']],
  ] as const)
    it(`say late in one message what a cascade was that is over, ${what}`, async () => {
      const world = await worldOf();
      await world.sample('db', 'down');
      await world.runTo(originAt + 5000);
      await world.sample('api', 'down');
      for (const [index, id] of ups.entries()) {
        await world.runTo(originAt + (index + 1) * hourMs);
        await world.sample(id, 'up');
      }
      await world.runTo(originAt + 9 * hourMs);
      assert.deepEqual(linesOf(world), ['late recovered db 8 ops']);
      const [only] = world.notified;
      assert.ok(only?.message.event === 'recovered');
      assert.deepEqual(
        only.message.impacted.map(({ id }) => id),
        ['api'],
      );
      await world.runTo(originAt + 11 * hourMs);
      assert.deepEqual(outbox.due(world.sql, Number.MAX_SAFE_INTEGER, 10), []);
      await world.stop();
    });

  it('say late on its own what was no part of the outage of its upstream', async () => {
    const world = await worldOf();
    await world.sample('db', 'down');
    await world.runTo(originAt + hourMs);
    await world.sample('db', 'up');
    await world.runTo(originAt + 2 * hourMs);
    await world.sample('api', 'down');
    await world.runTo(originAt + 3 * hourMs);
    await world.sample('api', 'up');
    await world.runTo(originAt + 9 * hourMs);
    assert.deepEqual(linesOf(world), ['late recovered db 8 ops', 'late recovered api 8 ops']);
    await world.stop();
  });
});
