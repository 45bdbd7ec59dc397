import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { SampleHistory } from '../../../../src/engine/core/sample-history.ts';
import { replay } from '../../../../src/engine/alerting/replay/replay.ts';
import { eventful } from '../../../../src/engine/views/tune/tune.ts';
import { checkProperty } from '../../../support/property.ts';
import { historyOf } from '../../alerting/replay/letters.ts';

const letters = (history: SampleHistory) => [...history.marks].join('');

describe('the eventful part of a history', () => {
  it('has the same outages as all of it, under any threshold, and whatever is slow', () => {
    checkProperty(
      fc.property(anyHistory, anyPolicy, fc.nat(3), (history, policy, more) => {
        const options = { policy, holdMs: 82_000, graceMs: 30_000 };
        const unlimited = { ...options, policy: { ...policy, degradedOverMs: null } };
        const { recoverThreshold, forgetAfterMs } = policy;
        const brief = eventful(history, { recoverThreshold: recoverThreshold + more, forgetAfterMs });
        assert.deepEqual(replay(brief, unlimited), replay(history, { ...unlimited, isThorough: true }));
        assert.deepEqual(
          replay(brief, unlimited).outages,
          replay(history, { ...options, isThorough: true }).outages,
        );
      }),
      1500,
    );
  });

  it('is short where nothing happens', () => {
    const options = { recoverThreshold: 2, forgetAfterMs: 900_000 };
    assert.equal(letters(eventful(historyOf('u500 f2 u500 s500'), options)), '000' + '22' + '000');
    assert.equal(letters(eventful(historyOf('u500 .20 u500'), options)), '000' + '000');
    assert.equal(eventful(historyOf(''), options).ats.length, 0);
  });
});

/** Runs of one letter: long calm with something in between, and now and then nobody who looks. */
const anyHistory = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: fc.tuple(fc.constantFrom('u', 'u', 's'), fc.integer({ min: 1, max: 20 })) },
      {
        weight: 4,
        arbitrary: fc.tuple(fc.constantFrom('s', 'w', 'f', '?', 'l', 'm'), fc.integer({ min: 1, max: 6 })),
      },
      { weight: 2, arbitrary: fc.tuple(fc.constant('.'), fc.integer({ min: 1, max: 40 })) },
    ),
    { maxLength: 25 },
  )
  .map((runs) => historyOf(runs.map(([letter, times]) => letter.repeat(times)).join('')));

const anyPolicy = fc.record({
  failThreshold: fc.integer({ min: 1, max: 5 }),
  recoverThreshold: fc.integer({ min: 1, max: 5 }),
  degradedOverMs: fc.constantFrom(null, 50, 500),
  forgetAfterMs: fc.constantFrom(null, 900_000),
});
