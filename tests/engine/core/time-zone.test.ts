import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  instantOfLocal,
  localText,
  nextLocalTime,
  zoneOffsetMs,
} from '../../../src/engine/core/time-zone.ts';
import { printedSeed, randomOf } from '../../support/random.ts';

const hour = 3_600_000;
const at = (text: string) => Date.parse(`${text}Z`);
const zones = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'Pacific/Apia',
];

describe('a local time', () => {
  it('is the instant at which the clocks of the zone show it', () => {
    const seed = printedSeed();
    const random = randomOf(seed);
    for (let count = 0; count < 2000; count += 1) {
      const zone = zones[count % zones.length] ?? 'UTC';
      const instant = at('2024-01-01T00:00:00') + random.below(3 * 365 * 24 * 60) * 60_000;
      const local = instant + zoneOffsetMs(instant, zone);
      const found = instantOfLocal(local, zone);
      assert.equal(found + zoneOffsetMs(found, zone), local, `seed ${seed}: ${zone} ${instant}`);
      assert.ok(found <= instant, 'the first of two');
    }
  });

  it('that is skipped is the moment of the change, and one that comes twice is the first', () => {
    const berlin = (text: string) => new Date(instantOfLocal(at(text), 'Europe/Berlin')).toISOString();
    assert.equal(berlin('2026-03-29T02:30:00'), '2026-03-29T01:00:00.000Z');
    assert.equal(berlin('2026-03-29T02:00:00'), '2026-03-29T01:00:00.000Z');
    assert.equal(berlin('2026-03-29T01:59:00'), '2026-03-29T00:59:00.000Z');
    assert.equal(berlin('2026-10-25T02:30:00'), '2026-10-25T00:30:00.000Z');
    assert.equal(berlin('2026-10-25T03:00:00'), '2026-10-25T02:00:00.000Z');
  });

  it('of the day comes next within a day and a change', () => {
    const nowAt = at('2026-06-07T12:00:00');
    assert.equal(nextLocalTime(22 * hour, nowAt, 'Europe/Berlin'), at('2026-06-07T20:00:00'));
    assert.equal(nextLocalTime(14 * hour, nowAt, 'Europe/Berlin'), at('2026-06-08T12:00:00'));
    assert.equal(nextLocalTime(1 * hour, nowAt, 'Asia/Tokyo'), at('2026-06-07T16:00:00'));
    assert.equal(localText(at('2026-06-07T20:00:00'), 'Europe/Berlin'), '2026-06-07 22:00:00 Europe/Berlin');
  });
});
