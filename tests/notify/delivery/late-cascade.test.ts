/** What is late of a cascade, on a channel that refused what there was to say of its root cause. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openDisk, refused, sketch, taken, World } from './world.ts';

const originAt = Date.UTC(2026, 0, 1);
const at = (secs: number) => originAt + secs * 1000;
const disk = await openDisk();

type Step = readonly [secs: number, monitor: 'db' | 'api' | 'web', seen: 'down' | 'up'];

/** What is sent where the channel takes nothing before `worksSecs`: events, monitors, and what else they name. */
async function sentOf(worksSecs: number, steps: readonly Step[]): Promise<string[]> {
  const monitors = [
    { id: 'db', failThreshold: 1 },
    { id: 'api', dependsOn: ['db'], failThreshold: 1 },
    { id: 'web', failThreshold: 1 },
  ];
  const truth = new Map<string, 'down' | 'up'>();
  const world: World = new World({
    disk,
    config: await sketch({ monitors, channels: ['ops'] }),
    startAt: originAt,
    truth: (id) => truth.get(id) ?? 'up',
    answer: () => (world.clock.now() < at(worksSecs) ? refused() : taken),
  });
  for (const [secs, monitor, seen] of steps) {
    await world.runTo(at(secs));
    truth.set(monitor, seen);
    await world.sample(monitor, seen);
  }
  await world.runTo(at(4000));
  const sent = world.notified.map(({ message }) => {
    assert.ok(message.event === 'down' || message.event === 'recovered');
    const late = message.event === 'recovered' && message.isLate ? 'late ' : '';
    const others = message.impacted.map(({ id }) => ` +${id}`).join('');
    return `${late}${message.event} ${message.monitor.id}${others}`;
  });
  await world.stop();
  return sent;
}

describe('a late message about a dependent', () => {
  for (const [upSecs, worksSecs] of [
    [40, 50],
    [40, 100],
    [100, 150],
    [500, 600],
  ] as const)
    it(`over after ${upSecs} s follows that its upstream is down, on a channel that fails for ${worksSecs} s`, async () => {
      const steps: Step[] = [
        [0, 'db', 'down'],
        [5, 'api', 'down'],
        [upSecs, 'api', 'up'],
        [3000, 'db', 'up'],
      ]; // prettier-ignore
      assert.deepEqual(await sentOf(worksSecs, steps), ['down db', 'late recovered api', 'recovered db']);
    });

  for (const [apiUpSecs, dbUpSecs, worksSecs] of [
    [40, 70, 100],
    [150, 100, 200],
    [100, 800, 900],
    [400, 300, 600],
  ] as const)
    it(`is part of the one about its upstream: up after ${apiUpSecs} s and ${dbUpSecs} s, channel after ${worksSecs} s`, async () => {
      const steps: Step[] = [
        [0, 'db', 'down'],
        [5, 'api', 'down'],
        ...(
          [
            [apiUpSecs, 'api', 'up'],
            [dbUpSecs, 'db', 'up'],
          ] as Step[]
        ).toSorted(([a], [b]) => a - b),
      ];
      assert.deepEqual(await sentOf(worksSecs, steps), ['late recovered db +api']);
    });

  it('waits for nothing that it does not depend on, and a new outage is sent all the same', async () => {
    const steps: Step[] = [
      [0, 'db', 'down'],
      [5, 'web', 'down'],
      [5, 'api', 'down'],
      [40, 'web', 'up'],
      [41, 'api', 'up'],
      [300, 'api', 'down'],
      [1000, 'db', 'up'],
    ];
    const sent = await sentOf(100, steps);
    assert.deepEqual(sent.toSorted(), [
      'down api',
      'down db',
      'late recovered api',
      'late recovered web',
      'recovered db',
    ]);
    assert.ok(sent.indexOf('down db') < sent.indexOf('late recovered api'));
  });
});
