import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { quietSpanOf, quietUntil } from '../../../src/engine/core/quiet-hours.ts';

const at = (text: string) => Date.parse(text);
const until = (hours: string, zone: string, text: string) => {
  const untilAt = quietUntil(hours, zone, at(text));
  return untilAt === null ? null : new Date(untilAt).toISOString();
};

describe('quiet hours', () => {
  it('last from the first minute until before the last, over midnight too', () => {
    assert.equal(until('22:00-07:00', 'UTC', '2026-01-05T21:59:59Z'), null);
    assert.equal(until('22:00-07:00', 'UTC', '2026-01-05T22:00:00Z'), '2026-01-06T07:00:00.000Z');
    assert.equal(until('22:00-07:00', 'UTC', '2026-01-06T06:59:59.999Z'), '2026-01-06T07:00:00.000Z');
    assert.equal(until('22:00-07:00', 'UTC', '2026-01-06T07:00:00Z'), null);
    assert.equal(until('12:30-13:15', 'UTC', '2026-01-06T12:45:10Z'), '2026-01-06T13:15:00.000Z');
    assert.equal(until('12:30-13:15', 'UTC', '2026-01-06T13:15:00Z'), null);
  });

  it('are those of a time zone, also one that is half an hour off', () => {
    assert.equal(until('22:00-07:00', 'Europe/Berlin', '2026-07-05T20:30:00Z'), '2026-07-06T05:00:00.000Z');
    assert.equal(until('22:00-07:00', 'Asia/Kolkata', '2026-07-05T16:29:00Z'), null);
    assert.equal(until('22:00-07:00', 'Asia/Kolkata', '2026-07-05T16:30:00Z'), '2026-07-06T01:30:00.000Z');
  });

  it('end by the clock on the wall in nights in which it is set', () => {
    assert.equal(until('22:00-07:00', 'Europe/Berlin', '2026-03-28T22:00:00Z'), '2026-03-29T05:00:00.000Z');
    assert.equal(until('22:00-07:00', 'Europe/Berlin', '2026-10-24T21:00:00Z'), '2026-10-25T06:00:00.000Z');
  });

  it('that end in the hour that is left out are over when it comes', () => {
    assert.equal(until('22:00-02:30', 'Europe/Berlin', '2026-03-29T00:59:30Z'), '2026-03-29T01:00:00.000Z');
    assert.equal(until('22:00-02:30', 'Europe/Berlin', '2026-03-29T01:00:00Z'), null);
    assert.equal(until('22:00-02:30', 'Europe/Berlin', '2026-03-28T22:00:00Z'), '2026-03-29T01:00:00.000Z');
    assert.equal(
      until('22:00-00:00', 'America/Santiago', '2026-09-06T03:04:00Z'),
      '2026-09-06T04:00:00.000Z',
    );
    assert.equal(
      until('22:00-00:30', 'America/Santiago', '2026-09-06T02:00:00Z'),
      '2026-09-06T04:00:00.000Z',
    );
  });

  it('are two different times of the day', () => {
    assert.deepEqual(quietSpanOf('22:00 - 07:00'), { from: 1320, to: 420 });
    for (const wrong of ['', '22-07', '22:00', '24:00-07:00', '22:60-07:00', '07:00-07:00', '22:00-7:00'])
      assert.equal(quietSpanOf(wrong), null, wrong);
  });
});
