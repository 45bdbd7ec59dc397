/** What an operator says about an incident reaches the channels that know of it, once each. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { outbox } from '../../../src/db/tables/outbox.ts';
import { silences } from '../../../src/db/tables/silences.ts';
import {
  incidentOperations,
  incidentUpdateOperations,
} from '../../../src/engine/monitoring/alert-operations.ts';
import { openDisk, refused, sketch, taken, World } from './world.ts';

const originAt = Date.UTC(2026, 0, 1);
const minute = 60_000;
const base = { channels: ['ops', 'mail'], windowSecs: 30, monitors: [{ id: 'api', failThreshold: 1 }] };

const said = (update: string, state: 'investigating' | 'resolved', at = originAt) => ({
  uid: 'a1b2',
  update,
  number: 7,
  title: 'Payments fail',
  impact: 'major' as const,
  state,
  message: `Said ${update}`,
  monitors: ['api'],
  startedAt: originAt,
  at,
});

function notified(world: World): string[] {
  return world.notified.map(({ message, channel, at }) =>
    message.event === 'incident'
      ? `${channel} ${message.state} ${message.severity} ${message.monitors.map(({ name }) => name).join()} ${(at - originAt) / minute}`
      : message.event,
  );
}

function channels(world: World): string[] {
  return world.notified.flatMap(({ message, channel }) => (message.event === 'incident' ? [channel] : []));
}

describe('an incident that an operator opened', () => {
  it('is a message at once, also about what is silenced, and so are its updates and its end', async () => {
    const disk = await openDisk();
    const world = new World({ disk, config: await sketch(base), startAt: originAt });
    world.apply(
      silences.add({ monitors: null, untilAt: originAt + 60 * minute, reason: null, createdAt: originAt }),
      ...incidentOperations(said('u1', 'investigating'), ['ops']),
    );
    await world.settle();
    assert.deepEqual(outbox.channelsOfOpened(world.sql, 'a1b2'), ['ops']);
    await world.runTo(originAt + minute);
    const later = said('u2', 'resolved', originAt + minute);
    world.apply(...incidentUpdateOperations(later, outbox.channelsOfOpened(world.sql, 'a1b2')));
    await world.settle();
    assert.deepEqual(notified(world), ['ops investigating critical api 0', 'ops resolved info api 1']);
    assert.deepEqual(incidentUpdateOperations(later, outbox.channelsOfOpened(world.sql, 'none')), []);
    await world.stop();
  });

  it('is neither lost nor doubled by crashes, a channel that fails, or a record that is written twice', async () => {
    const disk = await openDisk();
    let isUp = false;
    let points = 0;
    const world = new World({
      disk,
      config: await sketch(base),
      startAt: originAt,
      answer: (_, channel) => (isUp || channel === 'ops' ? taken : refused()),
      // Before anything was sent.
      isCrashPoint: () => (points += 1) === 1,
    });
    const opening = incidentOperations(said('u1', 'investigating'), ['ops', 'mail']);
    world.apply(...opening);
    world.apply(...opening);
    await world.settle();
    world.restart();
    await world.runTo(originAt + 5 * minute);
    assert.deepEqual(channels(world), ['ops']);
    isUp = true;
    await world.runTo(originAt + 120 * minute);
    assert.deepEqual(channels(world).sort(), ['mail', 'ops']);
    assert.ok(world.crashes > 0);
    await world.stop();
  });
});
