import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { heatmapLevel, heatmapText } from '../../../src/engine/views/heatmap.ts';

describe('the heatmap', () => {
  it('grades an hour by the median', () => {
    const levels = [79, 80, 81, 125, 126, 200, 201, 400, 401].map((ms) => heatmapLevel(ms, 100));
    assert.deepEqual(levels, [0, 0, 1, 1, 2, 2, 3, 3, 4]);
    assert.equal(heatmapLevel(null, 100), null);
    assert.equal(heatmapLevel(0, 0), 0);
  });

  it('says in words what it shows', () => {
    const at = Date.UTC(2026, 10, 21, 3);
    const days = [
      [
        { at, averageMs: 40 },
        { at: at + 3_600_000, averageMs: 90 },
        { at: at + 7_200_000, averageMs: null },
      ],
    ];
    assert.equal(
      heatmapText({ days, medianMs: 42 }),
      'Latency of 1 day by hour: 2 hours measured, median 42 ms, slowest hour 2026-11-21 04:00 UTC with 90 ms.',
    );
    assert.match(
      heatmapText({ days: days.map((hours) => hours.slice(0, 1)), medianMs: 42 }),
      /: 1 hour measured,/,
    );
    assert.equal(heatmapText({ days: [[]], medianMs: null }), 'No latency was measured in 1 day.');
  });
});
