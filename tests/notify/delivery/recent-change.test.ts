/** What was changed shortly before an outage is named by its alert. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addEvent } from '../../../src/db/tables/events.ts';
import { clockRecord } from '../../../src/db/tables/clock.ts';
import { openDisk, refused, sketch, taken, World } from './world.ts';

const originAt = Date.UTC(2026, 0, 1);
const minute = 60_000;
const windowSecs = 30;
const base = { channels: ['ops'], windowSecs };
const monitors = [
  { id: 'api', failThreshold: 1 },
  { id: 'web', failThreshold: 1 },
];

const marker = (title: string, at: number, about: readonly string[] = []) =>
  addEvent({ id: 1, uid: title.replaceAll(' ', '_'), title, monitors: about, at });

function changesOf(world: World) {
  return world.notified.map(({ message }) =>
    message.event === 'down'
      ? [message.monitor.id, message.change?.title ?? null, message.change?.at ?? null]
      : [],
  );
}

describe('an alert that begins after a change', () => {
  it('names the last one of the half hour before that concerns its monitor', async () => {
    const disk = await openDisk();
    for (const [marks, expected] of [
      [[marker('deploy v2.3', originAt - 3 * minute)], 'deploy v2.3'],
      [[marker('old', originAt - 4 * minute), marker('new', originAt - 3 * minute, ['api'])], 'new'],
      [[marker('of web', originAt - minute, ['web'])], null],
      [[marker('at the limit', originAt - 30 * minute)], 'at the limit'],
      [[marker('too old', originAt - 30 * minute - 1)], null],
      [[marker('later', originAt + 1)], null],
    ] as const) {
      const world = new World({ disk, config: await sketch({ ...base, monitors }), startAt: originAt });
      world.apply(...marks);
      await world.sample('api', 'down');
      await world.runTo(originAt + minute);
      assert.equal(changesOf(world)[0]?.[1], expected);
      await world.stop();
    }
  });

  it('keeps it over a crash, a failed delivery and a clock that was set', async () => {
    const disk = await openDisk();
    let isUp = false;
    const config = await sketch({ ...base, monitors });
    const answer = () => (isUp ? taken : refused());
    const world = new World({ disk, config, startAt: originAt, answer });
    world.apply(marker('deploy v2.3', originAt - 3 * minute));
    await world.sample('api', 'down');
    world.restart();
    await world.runTo(originAt + minute);
    const nowAt = world.clock.now();
    world.apply(clockRecord.shift({ byMs: 10 * minute, sinceAt: 0, at: nowAt + 10 * minute }));
    world.restart(10 * minute);
    isUp = true;
    await world.runTo(originAt + 60 * minute);
    assert.deepEqual(changesOf(world)[0], ['api', 'deploy v2.3', originAt + 7 * minute]);
    await world.stop();
  });

  it('names one also in a message about several monitors', async () => {
    const disk = await openDisk();
    const many = ['api', 'web', 'm1', 'm2', 'm3', 'm4', 'm5'].map((id) => ({ id, failThreshold: 1 }));
    const config = await sketch({ ...base, monitors: many });
    const world = new World({ disk, config, startAt: originAt });
    world.apply(marker('deploy of m5', originAt - minute, ['m5']));
    for (const { id } of many) await world.sample(id, 'down');
    await world.runTo(originAt + minute);
    assert.deepEqual(
      changesOf(world).map(([, title]) => title),
      ['deploy of m5'],
    );
    await world.stop();
  });
});
