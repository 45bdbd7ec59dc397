import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { holdEndsAt, holdLimitMs, withCover } from '../../../src/engine/alerting/hold-limit.ts';

describe('the time for which a message may be held back', () => {
  const confirmedAt = 1000;
  const facts = { windowMs: 30_000, nowAt: 50_000 };

  it('is three windows, and five minutes at least', () => {
    assert.deepEqual(
      [0, 30_000, 100_000, 100_001, 200_000].map(holdLimitMs),
      [300_000, 300_000, 300_000, 300_003, 600_000],
    );
  });

  it('begins when the outage is confirmed', () => {
    const payload = { confirmedAt, coveredMs: 0, coveredSinceAt: null };
    assert.equal(holdEndsAt(payload, facts), 301_000);
  });

  it('does not run while the message is covered', () => {
    assert.equal(holdEndsAt({ confirmedAt, coveredMs: 4000, coveredSinceAt: null }, facts), 305_000);
    assert.equal(holdEndsAt({ confirmedAt, coveredMs: 4000, coveredSinceAt: 48_000 }, facts), 307_000);
    assert.equal(holdEndsAt({ confirmedAt, coveredMs: 4000, coveredSinceAt: 60_000 }, facts), 305_000);
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
