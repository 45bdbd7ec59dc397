/** What is told of this node's own network when it is back before, while or after the message about it goes out. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { alertOperations } from '../../../src/engine/monitoring/alert-operations.ts';
import type { Delivered } from '../../../src/notify/channels/channel.ts';
import { openDisk, refused, sketch, taken, World, type WorldOptions } from './world.ts';

const startAt = Date.UTC(2026, 0, 1);
const minuteMs = 60_000;
const disk = await openDisk();
const config = await sketch({ monitors: [], channels: ['ops'] });

/** `told`: what the reader has, in order. */
interface Scene {
  readonly world: World;
  readonly notified: () => string[];
  readonly lose: () => void;
  readonly find: () => void;
}

function sceneOf(options: Partial<WorldOptions>): Scene {
  const world = new World({ disk, config, startAt, ...options });
  const reason = '3 of 4 hosts cannot be reached';
  return {
    world,
    notified: () =>
      world.notified.map(({ message }) => {
        assert.ok(message.event === 'node_blind');
        return message.endedAt === null
          ? 'the beginning'
          : `the whole, ${message.endedAt - message.startedAt} ms`;
      }),
    lose: () => {
      const happening = {
        kind: 'node_blind',
        at: world.clock.now(),
        startedAt: startAt,
        reason,
        monitors: ['api'],
        isContinued: false,
      } as const;
      world.apply(...alertOperations(happening, { sql: world.sql, config }));
    },
    find: () => {
      const at = world.clock.now();
      const happening = {
        kind: 'node_sighted',
        at,
        startedAt: startAt,
        endedAt: at,
        reason,
        monitors: ['api'],
      } as const;
      world.apply(...alertOperations(happening, { sql: world.sql, config }));
    },
  };
}

function deferred<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let settle: (value: T) => void = () => undefined;
  const promise = new Promise<T>((resolve) => {
    settle = resolve;
  });
  return { promise, resolve: settle };
}

describe('a node that lost its network', () => {
  it('says when it began and when it ended, where it could say so meanwhile', async () => {
    const { world, notified, lose, find } = sceneOf({});
    lose();
    await world.runTo(startAt + minuteMs);
    find();
    await world.runTo(startAt + 2 * minuteMs);
    assert.deepEqual(notified(), ['the beginning', 'the whole, 60000 ms']);
    await world.stop();
  });

  it('says everything in one message, where it could not', async () => {
    let isCut = true;
    const { world, notified, lose, find } = sceneOf({ answer: () => (isCut ? refused() : taken) });
    lose();
    await world.runTo(startAt + minuteMs);
    isCut = false;
    find();
    await world.runTo(startAt + 60 * minuteMs);
    assert.deepEqual(notified(), ['the whole, 60000 ms']);
    await world.stop();
  });

  for (const [name, answer, expected] of [
    ['arrives', taken, ['the beginning', 'the whole, 60000 ms']],
    ['is refused', refused(), ['the whole, 60000 ms']],
    ['is refused for good', refused(true), ['the whole, 60000 ms']],
  ] as const) {
    for (const isRestarted of [false, true]) {
      const restarted = isRestarted ? ', after a restart' : '';
      it(`never leaves the end out when the message is on its way at that moment and ${name}${restarted}`, async () => {
        const first = deferred<Delivered>();
        let count = 0;
        const scene = sceneOf({ canHang: true, answer: () => ((count += 1) === 1 ? first.promise : taken) });
        const { world, notified, lose, find } = scene;
        lose();
        await world.runTo(startAt + minuteMs);
        assert.equal(count, 1, 'it is on its way');
        find();
        await world.settle();
        if (isRestarted) world.restart();
        first.resolve(answer);
        await world.runTo(startAt + 60 * minuteMs);
        // What a program that is gone was told, the reader has all the same: the end then comes alone here.
        assert.deepEqual(notified(), isRestarted ? ['the whole, 60000 ms'] : expected);
        await world.stop();
      });
    }
  }
});
