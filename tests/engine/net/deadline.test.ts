import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, it } from 'node:test';
import { type Deadline, DeadlinePassed, withDeadline } from '../../../src/engine/net/deadline.ts';
import { ProbeFault } from '../../../src/engine/net/faults.ts';
import { realClock } from '../../support/real-clock.ts';

const never = new Promise<never>(() => undefined);

function within<T>(
  timeoutMs: number,
  work: (deadline: Deadline) => Promise<T>,
  { signal = new AbortController().signal, clock = realClock } = {},
): Promise<T> {
  return withDeadline({ clock, timeoutMs, signal }, work);
}

const isFault = (outcome: string, message: string) => (error: unknown) =>
  error instanceof ProbeFault && error.fault.outcome === outcome && error.fault.message === message;

describe('a deadline', () => {
  it('lets work that is done in time settle as it likes', async () => {
    assert.equal(await within(1000, () => Promise.resolve('done')), 'done');
    const error = new Error('own');
    await assert.rejects(
      within(1000, () => Promise.reject(error)),
      error,
    );
  });

  it('stops every part when it passes, and waits for their result', async () => {
    const work = async (deadline: Deadline) => {
      const { signal } = deadline;
      assert.ok(deadline.remainingMs() > 0 && deadline.remainingMs() <= 500);
      await deadline
        .bound(never, () => deadline.missed('no word from nobody'))
        .catch((error: unknown) => {
          assert.ok(signal.reason instanceof DeadlinePassed);
          assert.equal(deadline.remainingMs(), 0);
          throw error;
        });
    };
    await assert.rejects(within(500, work), isFault('failed', 'no word from nobody'));
  });

  it('calls who waits for it to be over, once, unless that was called off', async () => {
    const told: string[] = [];
    await assert.rejects(
      within(50, (deadline) => {
        deadline.onOver(() => told.push('one'));
        deadline.onOver(() => told.push('two'))();
        assert.equal(deadline.isOver, false);
        deadline.onOver(() => {
          assert.equal(deadline.isOver, true);
          // A signal that is asked for late says the same.
          assert.ok(deadline.signal.reason instanceof DeadlinePassed);
        });
        return never;
      }),
      isFault('failed', 'no result within 0.05 s'),
    );
    assert.deepEqual(told, ['one']);
  });

  it('leaves behind a part that does not stop', async () => {
    const startedAt = performance.now();
    await assert.rejects(
      within(50, () => never),
      isFault('failed', 'no result within 0.05 s'),
    );
    assert.ok(performance.now() - startedAt < 10_000);
  });

  it('ends with the reason of the caller when he calls it off', async () => {
    const controller = new AbortController();
    const reason = new Error('reload');
    setTimeout(() => {
      controller.abort(reason);
    }, 20);
    const { signal } = controller;
    await assert.rejects(
      within(5000, (deadline) => deadline.bound(never, () => deadline.missed('late')), { signal }),
      reason,
    );
    await assert.rejects(
      within(5000, () => never, { signal }),
      reason,
      'when it was called off before',
    );
    const other = new AbortController();
    setTimeout(() => {
      other.abort(reason);
    }, 20);
    await assert.rejects(
      within(5000, () => never, { signal: other.signal }),
      reason,
      'whatever the work does',
    );
  });

  it('leaves neither listeners nor timers', async () => {
    const { signal } = new AbortController();
    await within(
      5000,
      async (deadline) => {
        await deadline.bound(Promise.resolve(), () => new Error('late'));
        await deadline
          .bound(Promise.reject(new Error('own')), () => new Error('late'))
          .catch(() => undefined);
        assert.deepEqual(getEventListeners(deadline.signal, 'abort'), []);
      },
      { signal },
    );
    assert.deepEqual(getEventListeners(signal, 'abort'), []);
    assert.ok(!process.getActiveResourcesInfo().includes('Timeout'));
  });

  it('reads what is waiting before it judges a stall', async () => {
    // Both are due at once after the stall; the one that came first must win.
    const { createServer, connect } = await import('node:net');
    const server = createServer((socket) => socket.end('hello')).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    const answer = await within(1000, async (deadline) => {
      const until = performance.now() + 1050;
      const socket = connect(port, '127.0.0.1');
      await new Promise((resolve) => socket.once('connect', resolve));
      const data = new Promise<Buffer>((resolve) => socket.once('data', resolve));
      await new Promise((resolve) => setTimeout(resolve, 20));
      while (performance.now() < until);
      return deadline.bound(data, () => deadline.missed('late'));
    });
    assert.equal(answer.toString(), 'hello');
    server.close();
  });

  it('that this host slept through says nothing of the target', async () => {
    let skewMs = 0;
    const clock = { ...realClock, monotonic: () => performance.now() + skewMs };
    setTimeout(() => (skewMs = 5000), 10);
    await assert.rejects(
      within(50, (deadline) => deadline.bound(never, () => deadline.missed('late')), { clock }),
      (error) =>
        error instanceof ProbeFault &&
        error.fault.outcome === 'unknown' &&
        /stood still for 5\.\d\d s/.test(error.message),
    );
  });
});
