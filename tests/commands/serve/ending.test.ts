import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { endings, stopParts } from '../../../src/commands/serve/ending.ts';
import { StatusdError } from '../../../src/engine/core/errors.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

function world() {
  const controller = new AbortController();
  let fault: (error: unknown) => void = () => assert.fail('nobody listens');
  const later: unknown[] = [];
  const { first, end } = endings(
    {
      interrupt: controller.signal,
      events: {
        onHangUp: () => undefined,
        onFault: (listener) => (fault = listener),
        onWarning: () => undefined,
      },
    },
    (error) => later.push(error),
  );
  return {
    controller,
    throwOutside: (error: unknown) => {
      fault(error);
    },
    later,
    first,
    end,
  };
}

describe('a daemon ends', () => {
  it('when it is asked to, and knows by what', async () => {
    const { controller, first } = world();
    controller.abort(new StatusdError('interrupted', 'got SIGTERM'));
    assert.deepEqual(await first, { kind: 'asked', why: 'got SIGTERM' });
  });

  it('for the first reason alone, and logs every later fault', async () => {
    const { throwOutside, first, later, end, controller } = world();
    const error = new StatusdError('store_in_use', 'taken over');
    end({ kind: 'lost', error });
    throwOutside('a');
    throwOutside('b');
    controller.abort();
    assert.deepEqual(await first, { kind: 'lost', error });
    assert.deepEqual(later, ['a', 'b']);
  });

  it('for what was thrown where nobody caught it', async () => {
    const { throwOutside, first, later } = world();
    throwOutside('a');
    assert.deepEqual(await first, { kind: 'fault', error: 'a' });
    assert.deepEqual(later, []);
  });
});

describe('stopping', () => {
  it('goes on when a part hangs or fails, and says so', async () => {
    const clock = new VirtualClock();
    const lines: string[] = [];
    const stopped: string[] = [];
    const part = (name: string, stop: () => Promise<void>) => ({ name, stop, patienceMs: 500 });
    const parts = [
      part('the server', () => new Promise(() => undefined)),
      part('the engine', () => Promise.reject(new Error('no'))),
      part('the database', () => {
        stopped.push('the database');
        return Promise.resolve();
      }),
    ];
    await clock.during(stopParts(parts, { clock, log: ({ message }) => lines.push(message) }));
    assert.deepEqual(stopped, ['the database']);
    assert.deepEqual(lines, ['the server did not stop within 500 ms', 'the engine could not be stopped: no']);
  });
});
