/** What is written down of listening, where the database takes nothing any more. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Store } from '../../../../src/db/store/store.ts';
import { StatusdError } from '../../../../src/engine/core/errors.ts';
import { ListeningRecord } from '../../../../src/engine/monitoring/heartbeats/listening-record.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';

describe('a record of listening', () => {
  it('ends, and includes gaps, also when its database is already closed: a stopping engine continues to stop', () => {
    const clock = new VirtualClock();
    const store = {
      health: () => ({ isDurable: true }),
      record: () => {
        throw new StatusdError('store_failing', 'the database is closed');
      },
    };
    const listening = new ListeningRecord({ store: store as unknown as Store, clock });
    clock.advance(60_000);
    listening.noteStandstill({ kind: 'stood_still', lostMs: 30_000 });
    assert.equal(listening.gaps.length, 1);
    listening.end();
  });
});
