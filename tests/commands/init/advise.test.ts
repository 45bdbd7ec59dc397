import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { advise } from '../../../src/commands/init/advise.ts';
import { checkProperty } from '../../support/property.ts';

describe('advise', () => {
  const cases: [latenciesMs: number[], degradedOverMs: number | null, timeoutSecs: number | null][] = [
    [[], null, null],
    [[0.3, 0.4], 250, null],
    [[80, 84, 81], 300, null],
    [[100], 300, null],
    [[101], 350, null],
    [[333], 1000, null],
    [[334], 1500, null],
    [[2500], 7500, null],
    [[2501], 8000, 11],
    [[9000, 100], 27_000, 36],
    [[20_000], 60_000, 60],
  ];
  for (const [latenciesMs, degradedOverMs, timeoutSecs] of cases) {
    it(`of ${latenciesMs.join(', ') || 'nothing'}`, () => {
      assert.deepEqual(advise(latenciesMs), { degradedOverMs, timeoutSecs });
    });
  }

  it('never counts seen latencies as slow, and always waits longer than the slow ones', () => {
    checkProperty(
      fc.property(
        fc.array(fc.double({ min: 0, max: 10_000, noNaN: true }), { minLength: 1 }),
        (latenciesMs) => {
          const { degradedOverMs, timeoutSecs } = advise(latenciesMs);
          assert.ok(degradedOverMs !== null && degradedOverMs >= 2 * Math.max(...latenciesMs));
          assert.ok((timeoutSecs ?? 10) * 1000 > degradedOverMs);
        },
      ),
      1000,
    );
  });
});
