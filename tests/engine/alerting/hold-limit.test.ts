import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  holdEndsAt,
  holdLimitMs,
  patienceEndsAt,
  withCover,
} from '../../../src/engine/alerting/hold-limit.ts';

describe('the time for which a message may be held back', () => {
  const confirmedAt = 1000;
  const facts = { windowMs: 30_000, nowAt: 50_000 };

  it('is two windows and a minute, with a moment for the send', () => {
    assert.deepEqual([0, 30_000, 200_000].map(holdLimitMs), [55_000, 115_000, 455_000]);
  });

  it('is shorter for an upstream that fails: a window after its own, a minute at least, within the limit', () => {
    const payload = { confirmedAt, coveredMs: 0, coveredSinceAt: null };
    const endsAt = (windowMs: number) => patienceEndsAt(payload, { windowMs, nowAt: 50_000 });
    assert.deepEqual([0, 30_000, 200_000].map(endsAt), [56_000, 91_000, 401_000]);
  });

  it('begins when the outage is confirmed', () => {
    const payload = { confirmedAt, coveredMs: 0, coveredSinceAt: null };
    assert.equal(holdEndsAt(payload, facts), 116_000);
  });

  it('does not run while the message is covered', () => {
    assert.equal(holdEndsAt({ confirmedAt, coveredMs: 4000, coveredSinceAt: null }, facts), 120_000);
    assert.equal(holdEndsAt({ confirmedAt, coveredMs: 4000, coveredSinceAt: 48_000 }, facts), 122_000);
    assert.equal(holdEndsAt({ confirmedAt, coveredMs: 4000, coveredSinceAt: 60_000 }, facts), 120_000);
  });

  it('adds up what was covered each time, from the first instant of a cover to its end', () => {
    const began = withCover({ coveredMs: 4000, coveredSinceAt: null }, true, 10_000);
    assert.deepEqual(began, { coveredMs: 4000, coveredSinceAt: 10_000 });
    assert.deepEqual(withCover(began, true, 20_000), began);
    assert.deepEqual(withCover(began, false, 30_000), { coveredMs: 24_000, coveredSinceAt: null });
    const never = { coveredMs: 4000, coveredSinceAt: null };
    assert.deepEqual(withCover(never, false, 30_000), never);
  });
});
