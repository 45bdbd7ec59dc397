import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { slotDue, type Calendar, type DigestSlotFacts } from '../../../src/engine/core/digest.ts';

const dayMs = 86_400_000;
const weekMs = 7 * dayMs;
/** A Monday. */
const originAt = Date.UTC(2026, 0, 5, 8);
const at = (weeks: number) => originAt + weeks * weekMs;

const weekly: Calendar = {
  latest: (nowAt) => originAt + Math.floor((nowAt - originAt) / weekMs) * weekMs,
  next: (afterAt) => originAt + (Math.floor((afterAt - originAt) / weekMs) + 1) * weekMs,
};
const decide = (facts: Partial<DigestSlotFacts>, calendar = weekly) =>
  slotDue({ lastSlotAt: null, firstSeenAt: at(0.5), nowAt: at(0.6), ...facts }, calendar);

describe('whether a digest is due', () => {
  it('leaves alone the slots from before the schedule was known', () => {
    assert.deepEqual(decide({ nowAt: at(0.9) }), { kind: 'wait', untilAt: at(1) });
    assert.deepEqual(decide({ firstSeenAt: at(1), nowAt: at(1) }), { kind: 'wait', untilAt: at(2) });
  });

  it('is due at its slot, at that very instant', () => {
    assert.deepEqual(decide({ nowAt: at(1) }), { kind: 'due', slotAt: at(1) });
    assert.deepEqual(decide({ nowAt: at(1) - 1 }), { kind: 'wait', untilAt: at(1) });
  });

  it('is due once', () => {
    assert.deepEqual(decide({ lastSlotAt: at(1), nowAt: at(1) }), { kind: 'wait', untilAt: at(2) });
    assert.deepEqual(decide({ lastSlotAt: at(1), nowAt: at(1.9) }), { kind: 'wait', untilAt: at(2) });
  });

  it('takes the latest of those that were missed', () => {
    assert.deepEqual(decide({ lastSlotAt: at(1), nowAt: at(5.2) }), { kind: 'due', slotAt: at(5) });
  });

  it('is not sent again when the clock is set back a little', () => {
    assert.deepEqual(decide({ lastSlotAt: at(3), nowAt: at(3) - 3000 }), { kind: 'wait', untilAt: at(4) });
  });

  it('goes on when the clock turns out to have been years ahead', () => {
    assert.deepEqual(decide({ lastSlotAt: at(700), nowAt: at(3) }), {
      kind: 'clock_was_ahead',
      doneAt: at(3),
    });
    assert.deepEqual(decide({ firstSeenAt: at(700), nowAt: at(3) }), {
      kind: 'clock_was_ahead',
      doneAt: at(3),
    });
  });

  it('waits for ever for a slot that never comes', () => {
    const never: Calendar = { latest: () => null, next: () => null };
    assert.deepEqual(decide({}, never), { kind: 'wait', untilAt: null });
  });
});
