/** When a delivery that failed is tried again now that its channel works. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { keepWithoutChannel, retry, retrySooner } from '../../../src/engine/alerting/retry.ts';

const secs = 1000;

describe('a delivery that failed', () => {
  it('goes out at once when its channel took another one, but no sooner than after the first pause', () => {
    // The third attempt failed at 100 s, so the next one is due 120 s later.
    const failed = { attempts: 3, nextAt: 220 * secs };
    assert.equal(retrySooner({ ...failed, nowAt: 110 * secs }), 130 * secs);
    assert.equal(retrySooner({ ...failed, nowAt: 130 * secs }), 130 * secs);
    assert.equal(retrySooner({ ...failed, nowAt: 200 * secs }), 200 * secs);
    assert.equal(retrySooner({ ...failed, nowAt: 500 * secs }), 220 * secs, 'never later than it was due');
    assert.equal(retrySooner({ attempts: 1, nextAt: 40 * secs, nowAt: 20 * secs }), 40 * secs);
    assert.equal(
      retrySooner({ attempts: 60, nextAt: 1000 * secs, nowAt: 0 }),
      130 * secs,
      'a quarter of an hour',
    );
  });

  it('waits as long as the vendor asked for, up to a quarter of an hour', () => {
    const failed = { event: 'down', attempts: 1, sinceAt: 0, nowAt: 0 } as const;
    const after = (retryAfterMs: number | null) => {
      const next = retry({ ...failed, retryAfterMs });
      return next.kind === 'wait' ? next.untilAt / secs : null;
    };
    assert.deepEqual(
      [null, 10 * secs, 60 * secs, 900 * secs, 5000 * secs].map(after),
      [30, 30, 60, 900, 900],
    );
  });

  it('without a channel is decided again every hour, and once more when its time is over', () => {
    const day = 86_400 * secs;
    const kept = {
      event: 'recovered',
      severity: null,
      isDisabled: false,
      isOver: false,
      sinceAt: 5,
    } as const;
    assert.deepEqual(keepWithoutChannel({ ...kept, nowAt: 10 }), { kind: 'hold', untilAt: 10 + 3600 * secs });
    const last = { kind: 'hold', untilAt: 5 + 30 * day };
    assert.deepEqual(keepWithoutChannel({ ...kept, nowAt: 30 * day }), last);
    assert.deepEqual(keepWithoutChannel({ ...kept, nowAt: 5 + 30 * day }), { kind: 'drop' });
    const recovered = { ...kept, isDisabled: true, isOver: true, nowAt: 10 };
    assert.deepEqual(keepWithoutChannel(recovered), { kind: 'drop' });
    const peer = { ...kept, event: 'peer_down', isDisabled: true } as const;
    assert.deepEqual(keepWithoutChannel({ ...peer, nowAt: 4 + day }), { kind: 'hold', untilAt: 5 + day });
    assert.deepEqual(keepWithoutChannel({ ...peer, nowAt: 5 + day }), { kind: 'drop' });
    assert.deepEqual(keepWithoutChannel({ ...peer, isDisabled: false, nowAt: 5 }), { kind: 'drop' });
  });
});
