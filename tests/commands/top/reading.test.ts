import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startReading } from '../../../src/commands/top/reading.ts';
import { StatusdError } from '../../../src/engine/core/errors.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { modelOf, summaryOf } from '../../tui/facts.ts';

const model = modelOf(summaryOf([]));

/** A source that is read on a clock that stands still, and what came of it. */
function reading(
  given: {
    readonly patienceMs?: () => number;
    readonly read?: () => Promise<typeof model>;
    /** What a reading takes of a processor. */
    readonly costMs?: number;
  } = {},
) {
  const clock = new VirtualClock();
  const ending = new AbortController();
  const seen: string[] = [];
  let cpuMs = 0;
  let happen: () => void = () => undefined;
  const { hurry, ended } = startReading({
    clock,
    intervalMs: 5000,
    cpuMs: () => (cpuMs += given.costMs ?? 0),
    signal: ending.signal,
    source: {
      read: given.read ?? (() => Promise.resolve(model)),
      patienceMs: given.patienceMs ?? (() => 0),
      follow: (listener) => {
        happen = listener;
        return () => seen.push('left');
      },
    },
    onRead: () => seen.push(`read at ${clock.monotonic()}`),
    onFailed: (trouble) => seen.push(trouble),
  });
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 100) {
      clock.advance(100);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return {
    seen,
    ended,
    hurry,
    pass,
    happen: () => {
      happen();
    },
    end: () => {
      ending.abort();
    },
  };
}

describe('reading again and again', () => {
  it('keeps its interval', async () => {
    const { seen, pass } = reading();
    await pass(11_000);
    assert.deepEqual(seen, ['read at 5200', 'read at 10400']);
  });

  it('takes a hundredth of a processor at most, but reads what happened at once', async () => {
    const { seen, pass, happen } = reading({ costMs: 300 });
    await pass(32_000);
    assert.deepEqual(seen, ['read at 5200']);
    happen();
    await pass(400);
    assert.equal(seen.length, 2);
  });

  it('reads soon after something happened, once for what happens together', async () => {
    const { seen, pass, happen } = reading();
    await pass(1000);
    happen();
    happen();
    await pass(1000);
    assert.equal(seen.length, 1);
  });

  it('leaves a source alone for as long as it asks, whatever happens', async () => {
    const { seen, pass, happen, hurry } = reading({ patienceMs: () => 20_000 });
    happen();
    hurry();
    await pass(19_000);
    assert.deepEqual(seen, []);
    await pass(3000);
    assert.equal(seen.length, 1);
  });

  it('continues after a failed read, and ends with an unexpected error', async () => {
    let round = 0;
    const { seen, ended, pass } = reading({
      read: () => {
        round += 1;
        if (round === 1) return Promise.reject(new StatusdError('daemon_unreachable', 'nobody answers'));
        return round === 2 ? Promise.resolve(model) : Promise.reject(new Error('a fault of the program'));
      },
    });
    const failed = assert.rejects(ended, /a fault of the program/);
    await pass(16_000);
    await failed;
    assert.deepEqual(seen, ['nobody answers', 'read at 10400', 'left']);
  });

  it('ends when asked to, and follows no longer', async () => {
    const { seen, ended, end } = reading();
    end();
    await ended;
    assert.deepEqual(seen, ['left']);
  });
});
