import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { groupsOf } from '../../../src/engine/views/page.ts';
import { latencyTrace } from '../../../src/engine/views/page-latency.ts';
import {
  dateText,
  errorText,
  percentText,
  sentenceOf,
  shortTimeText,
} from '../../../src/engine/views/page-wording.ts';
import { madeUpDay } from '../../support/made-up-day.ts';

describe('the groups of a page', () => {
  it('end with the monitors that are in none', () => {
    const groups = groupsOf(madeUpDay('healthy').summary);
    assert.deepEqual(
      groups.map(({ name, monitors }) => [name, monitors.length]),
      [
        ['Public', 6],
        ['Accounts', 5],
        ['Inside', 7],
        [null, 2],
      ],
    );
  });

  it('leave out a group whose monitors the reader does not get', () => {
    const { monitors } = madeUpDay('healthy', 1).summary;
    const groups = groupsOf({ monitors, groups: [{ name: 'Empty', ids: ['nobody'] }] });
    assert.deepEqual(
      groups.map(({ name }) => name),
      [null],
    );
  });
});

describe('the line of latency', () => {
  const nowAt = 86_400_000;
  const view = { nowAt, hours: 24, slices: 24 };

  it('averages the points of a slice and breaks where there are none', () => {
    const trace = latencyTrace(
      [
        { t: 10, latency_ms: 10 },
        { t: 20, latency_ms: 30 },
        { t: 3600, latency_ms: 50 },
        { t: 4 * 3600, latency_ms: 5 },
      ],
      view,
    );
    assert.deepEqual(trace, {
      slices: 24,
      peakMs: 50,
      segments: [
        [
          { at: 0, ms: 20 },
          { at: 1, ms: 50 },
        ],
        [{ at: 4, ms: 5 }],
      ],
    });
  });

  it('is none without a point of that time; a point of this very second is in the last slice', () => {
    assert.equal(latencyTrace([{ t: -5, latency_ms: 1 }], view), null);
    assert.equal(latencyTrace([{ t: 86_400, latency_ms: 1 }], view)?.segments[0]?.[0]?.at, 23);
  });
});

describe('the words of a page', () => {
  it('write figures that are never too good', () => {
    assert.equal(percentText(10_000), '100%');
    assert.equal(percentText(9999), '99.99%');
    assert.equal(percentText(0), '0.00%');
    assert.equal(percentText(null), '–');
  });

  it('turn a category into words and leave a reason as it is', () => {
    assert.equal(errorText('timeout'), 'It did not answer in time');
    assert.equal(errorText('got 503'), 'got 503');
    assert.equal(sentenceOf('expected a 200'), 'Expected a 200.');
    assert.equal(sentenceOf('api.example.org is gone!'), 'api.example.org is gone!');
  });

  it('leave out the date of today', () => {
    const now = '2026-11-21T14:05:30Z';
    assert.equal(shortTimeText('2026-11-21T09:00:00Z', now), '09:00 UTC');
    assert.equal(shortTimeText('2026-11-20T09:00:00Z', now), '20 Nov 2026, 09:00 UTC');
    assert.equal(dateText('2026-01-02'), '2 Jan 2026');
    assert.equal(dateText('never'), 'never');
  });
});
