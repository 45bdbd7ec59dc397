import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { timelineOf } from '../../../src/engine/views/history.ts';
import { circumstancesOf } from '../../../src/engine/views/incident.ts';
import { dayAlerts, dayIncidents } from '../../support/made-up-day.ts';

describe('the timeline', () => {
  it('puts alerts among the incidents, the newest first, day by day', () => {
    const days = timelineOf({ incidents: dayIncidents.toReversed(), alerts: dayAlerts });
    assert.deepEqual(
      days.map(({ date, entries }) => [date, entries.map(({ kind }) => kind)]),
      [
        ['2026-11-21', ['incident', 'incident']],
        ['2026-11-18', ['incident', 'alert']],
        ['2026-11-02', ['incident']],
      ],
    );
  });
});

describe('the circumstances of an incident', () => {
  it('name cause and consequence', () => {
    assert.deepEqual(
      circumstancesOf({ error: 'dns', cause: 'db', impacted: ['a', 'b'] }, (id) => id.toUpperCase()),
      ['Its name could not be resolved.', 'Because of DB.', 'Also affects A, B.'],
    );
    assert.deepEqual(circumstancesOf({ error: null, cause: null, impacted: [] }, String), []);
  });
});
