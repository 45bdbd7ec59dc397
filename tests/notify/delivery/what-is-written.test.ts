/** What becomes of a delivery is written down: each decision with its reason, and what its row remembers. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decisions } from '../../../src/db/tables/decisions.ts';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { outbox } from '../../../src/db/tables/outbox.ts';
import { silences } from '../../../src/db/tables/silences.ts';
import { openDisk, refused, sketch, taken, World, type WorldOptions } from './world.ts';

const originAt = Date.UTC(2026, 0, 1);
const second = 1000;
const minute = 60_000;
const disk = await openDisk();

type Sketch = Partial<Parameters<typeof sketch>[0]>;

async function worldOf(given: Sketch = {}, options: Partial<WorldOptions> = {}): Promise<World> {
  const monitors = [
    { id: 'db', failThreshold: 1 },
    { id: 'api', failThreshold: 1, dependsOn: ['db'] },
  ];
  const config = await sketch({ channels: ['ops'], monitors, ...given });
  return new World({ disk, config, startAt: originAt, ...options });
}

/** What was decided, as `seconds event verdict reason: detail`. */
function saidOf(world: World, monitor: string, channel = 'ops'): string[] {
  return decisions
    .ofMonitor(world.sql, monitor, { at: Number.MAX_SAFE_INTEGER, limit: 100 })
    .filter((decision) => decision.channel === channel)
    .map(
      ({ at, event, verdict, reason, detail }) =>
        `${(at - originAt) / second} ${event} ${verdict} ${reason}: ${detail ?? ''}`,
    );
}

/** The row of the only delivery of an event about a monitor. */
function rowOf(world: World, monitor: string, event: string, channel = 'ops') {
  const [incident] = incidents.list(world.sql, { limit: 1, monitors: [monitor] }).incidents;
  const rows = outbox.ofIncident(world.sql, incident?.uid ?? '');
  return rows.find((row) => row.event === event && row.channel === channel) ?? assert.fail();
}

const queued = '0 down queued window: It waits 30s, in case it is a flap or part of a larger outage.';
const recovery = 'recovered queued recovery: The channel received the alert, so it gets the recovery.';

describe('what is written of an alert', () => {
  it('says that it was a flap', async () => {
    const world = await worldOf();
    await world.sample('db', 'down');
    await world.runTo(originAt + 10 * second);
    await world.sample('db', 'up');
    await world.runTo(originAt + minute);
    assert.deepEqual(saidOf(world, 'db'), [
      queued,
      '10 down spared flap: It recovered within the group window.',
    ]);
    await world.stop();
  });

  it('says by what it is muted and until when, once, and counts the time as covered', async () => {
    const world = await worldOf();
    const untilAt = originAt + 5 * minute;
    world.apply(silences.add({ monitors: ['db'], untilAt, reason: 'work', createdAt: originAt }));
    await world.sample('db', 'down');
    await world.runTo(originAt + 2 * minute);
    world.restart();
    await world.runTo(originAt + 10 * minute);
    await world.sample('db', 'up');
    await world.runTo(originAt + 12 * minute);
    assert.deepEqual(saidOf(world, 'db'), [
      queued,
      '30 down held muted: It is held back until 2026-01-01 00:05:00 UTC by silence 1.',
      '300 down told sent: It was sent to ops.',
      `600 ${recovery}`,
      '600 recovered told sent: It was sent to ops.',
    ]);
    await world.stop();
  });

  it('says when it is tried again, and that it was sent late in the end', async () => {
    let isUp = false;
    const world = await worldOf({}, { answer: () => (isUp ? taken : refused()) });
    await world.sample('db', 'down');
    await world.runTo(originAt + 10 * minute);
    await world.sample('db', 'up');
    isUp = true;
    await world.runTo(originAt + 20 * minute);
    const again = (at: number, pause: string) =>
      `${at} down undelivered channel_failed: It was refused. It is tried again in ${pause}.`;
    assert.deepEqual(saidOf(world, 'db'), [
      queued,
      ...[again(30, '30s'), again(60, '1m'), again(120, '2m'), again(240, '4m'), again(480, '8m')],
      '960 down queued late: It was down 10m and could not be sent while it lasted.',
      '960 recovered told late: It could not be sent while it lasted, so it was sent once it was over.',
    ]);
    await world.stop();
  });

  it('says which message covers it, and that it gets a window of its own', async () => {
    const world = await worldOf();
    for (const id of ['db', 'api']) await world.sample(id, 'down');
    await world.runTo(originAt + 10 * minute);
    const [db, api] = [rowOf(world, 'db', 'down'), rowOf(world, 'api', 'down')];
    const own = { startedAt: originAt, confirmedAt: originAt, cause: null, isGrouped: false };
    const common = {
      ...own,
      confirmation: 'one failed check',
      ...{ latencyMs: null, limitMs: null, reason: null, changeTitle: null, changeAt: null },
      ...{ ownFault: null, causeGroup: null, alsoNamed: [], coveredMs: 0 },
      windowEndsAt: originAt + 30 * second,
      ...{ renewedAfter: null, spokenForUntilAt: null },
    };
    assert.deepEqual(db.payload, {
      ...common,
      ...{ hold: null, coveredSinceAt: null, loggedHolds: [] },
      ...{ groupId: db.deliveryId, named: [api.incident], namedBy: null },
    });
    const folded = {
      hold: { reason: 'folded', by: 'db' },
      coveredSinceAt: originAt + 30 * second,
      loggedHolds: ['folded db'],
      namedBy: { groupId: db.deliveryId, root: db.incident },
    };
    assert.deepEqual(api.payload, { ...common, ...folded });
    await world.sample('db', 'up');
    const recovered = rowOf(world, 'db', 'recovered');
    assert.deepEqual(recovered.payload, {
      ...{
        from: 'down',
        startedAt: originAt,
        endedAt: originAt + 10 * minute,
        isLate: false,
        isRemoved: false,
      },
      ...{ ownFault: null, causeGroup: null, alsoNamed: [], hold: null },
      ...{ groupId: db.deliveryId, isFirst: true, named: [], ends: [] },
    });
    await world.runTo(originAt + 12 * minute);
    assert.deepEqual(rowOf(world, 'api', 'down').payload, {
      ...common,
      windowEndsAt: originAt + 630 * second,
      ...{ hold: { reason: 'window', by: null }, coveredMs: 570 * second, coveredSinceAt: null },
      ...{ renewedAfter: 'db', spokenForUntilAt: originAt + 630 * second },
      ...{ loggedHolds: ['folded db', 'window db'], groupId: null, named: [], namedBy: null },
    });
    assert.deepEqual(saidOf(world, 'api'), [
      queued,
      '30 down held folded: The message about db, which it depends on, covers it.',
      '600 down held window: What it depends on is back and it is not: it gets a window of its own, 30s.',
      '630 down told sent: It was sent to ops.',
    ]);
    await world.stop();
  });
});
