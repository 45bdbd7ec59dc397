import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { announcements } from '../../../src/db/topics/announcements.ts';
import { silences } from '../../../src/db/topics/silences.ts';
import { openFacts } from '../../support/facts.ts';

const t0 = 1_764_000_000_000;

describe('silences', () => {
  it('stand side by side, each with an id that is never given again', async () => {
    const { sql, apply } = await openFacts();
    const silence = { untilAt: t0 + 1000, reason: 'deploy', createdAt: t0 };
    assert.deepEqual(
      apply(
        silences.add({ ...silence, monitors: ['api', 'web'] }),
        silences.add({ ...silence, monitors: null }),
      ),
      [1, 2],
    );
    assert.deepEqual(silences.active(sql, t0), [
      { id: 1, monitors: ['api', 'web'], ...silence },
      { id: 2, monitors: null, ...silence },
    ]);
    assert.deepEqual(silences.active(sql, t0 + 1000), []);
    assert.deepEqual(apply(silences.clear({ id: 2 }), silences.clear({ id: 2 })), [1, 0]);
    assert.deepEqual(apply(silences.add({ ...silence, monitors: [] })), [3]);
    assert.equal(silences.find(sql, 2), null);
    assert.deepEqual(apply(silences.clear({ id: null })), [2]);
    assert.deepEqual(silences.active(sql, 0), []);
  });
});

describe('announcements', () => {
  it('are listed newest first until they are over or cleared', async () => {
    const { sql, apply } = await openFacts();
    const banner = { title: 'Move', body: null, severity: 'warning' as const, createdAt: t0 };
    assert.deepEqual(
      apply(
        announcements.add({ ...banner, untilAt: null }),
        announcements.add({ ...banner, title: 'Soon over', untilAt: t0 + 10 }),
      ),
      [1, 2],
    );
    assert.deepEqual(
      announcements.active(sql, t0).map(({ id }) => id),
      [2, 1],
    );
    assert.deepEqual(announcements.active(sql, t0 + 10), [{ id: 1, ...banner, untilAt: null }]);
    assert.deepEqual(apply(announcements.clear({ id: 7 }), announcements.clear({ id: null })), [0, 2]);
    assert.equal(announcements.find(sql, 1), null);
  });
});
