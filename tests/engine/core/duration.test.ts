import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  durationFaults,
  durationHint,
  durationText,
  elapsedText,
  latencyText,
  maxDurationMs,
  millisecondsText,
  parseDuration,
  secondsText,
  shownSpanMs,
  wholeSecs,
} from '../../../src/engine/core/duration.ts';
import {
  clockText,
  dayText,
  instantText,
  minuteText,
  nearInstantText,
  parseUntil,
  rfc3339,
  untilFaults,
  untilHint,
} from '../../../src/engine/core/instant.ts';
import { checkProperty } from '../../support/property.ts';

const secs = 1000;
const minutes = 60 * secs;
const hours = 60 * minutes;
const days = 24 * hours;

describe('a duration', () => {
  const good: [text: string, ms: number][] = [
    ['1s', secs],
    ['90s', 90 * secs],
    ['10m', 10 * minutes],
    ['1h30m', 90 * minutes],
    ['2d', 2 * days],
    ['1d2h3m4s', days + 2 * hours + 3 * minutes + 4 * secs],
    ['30m1h', 90 * minutes],
    ['1m1m', 2 * minutes],
    ['0h5m', 5 * minutes],
    ['007s', 7 * secs],
    ['36500d', maxDurationMs],
  ];
  for (const [text, ms] of good) {
    it(`${text} is ${ms} ms`, () => {
      assert.deepEqual(parseDuration(text), { kind: 'duration', ms });
    });
  }

  const bad: [text: string, fault: string][] = [
    ['', 'empty'],
    ['5', 'unitless'],
    ['0', 'unitless'],
    ['1h30', 'unitless'],
    ['0s', 'zero'],
    ['0d0h0m0s', 'zero'],
    ['abc', 'malformed'],
    ['s', 'malformed'],
    ['m5', 'malformed'],
    ['1H', 'malformed'],
    ['1w', 'malformed'],
    ['1ms', 'malformed'],
    ['1 h', 'malformed'],
    [' 1h', 'malformed'],
    ['1h ', 'malformed'],
    ['1h\n', 'malformed'],
    ['-1h', 'malformed'],
    ['+1h', 'malformed'],
    ['1.5h', 'malformed'],
    ['1e3s', 'malformed'],
    ['1h,30m', 'malformed'],
    ['1h30m!', 'malformed'],
    ['٣h', 'malformed'],
    ['１h', 'malformed'],
    ['36501d', 'too_long'],
    ['36500d1s', 'too_long'],
    [`${'9'.repeat(400)}s`, 'too_long'],
  ];
  for (const [text, fault] of bad) {
    it(`${JSON.stringify(text.slice(0, 20))} is refused: ${fault}`, () => {
      assert.deepEqual(parseDuration(text), { kind: 'fault', fault });
    });
  }

  it('may be as long as the limit, and no longer', () => {
    assert.equal(parseDuration('7d', 7 * days).kind, 'duration');
    assert.deepEqual(parseDuration('7d1s', 7 * days), { kind: 'fault', fault: 'too_long' });
  });

  it('is the sum of its parts, whatever they are', () => {
    const part = fc.tuple(fc.nat(1000), fc.constantFrom('s', 'm', 'h', 'd'));
    checkProperty(
      fc.property(fc.array(part, { minLength: 1, maxLength: 6 }), (parts) => {
        const unit = { s: secs, m: minutes, h: hours, d: days } as Record<string, number>;
        const sum = parts.reduce((total, [count, letter]) => total + count * (unit[letter] ?? NaN), 0);
        const parsed = parseDuration(parts.map(([count, letter]) => `${count}${letter}`).join(''));
        if (sum === 0) assert.equal(parsed.kind, 'fault');
        else assert.deepEqual(parsed, { kind: 'duration', ms: sum });
      }),
      300,
    );
  });

  it('never makes the parser throw or answer something unsafe', () => {
    checkProperty(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[0-9smhd: UTC]{0,30}$/)), (text) => {
        const parsed = parseDuration(text);
        if (parsed.kind === 'duration') assert.ok(Number.isSafeInteger(parsed.ms) && parsed.ms > 0);
        const until = parseUntil(text, 1e12);
        if (until.kind === 'until') assert.ok(until.at > 1e12 && until.at <= 1e12 + maxDurationMs);
      }),
      500,
    );
  });
});

describe('an end', () => {
  const nowAt = Date.UTC(2026, 10, 21, 17, 30, 15, 250);
  const at = (day: number, hour: number, minute: number) => Date.UTC(2026, 10, day, hour, minute);

  const good: [text: string, at: number][] = [
    ['18:00', at(21, 18, 0)],
    ['18:00 UTC', at(21, 18, 0)],
    ['18:00UTC', at(21, 18, 0)],
    ['18:00 utc', at(21, 18, 0)],
    ['17:31', at(21, 17, 31)],
    ['17:30', at(22, 17, 30)],
    ['00:00', at(22, 0, 0)],
    ['9:05', at(22, 9, 5)],
    ['23:59', at(21, 23, 59)],
    ['4h', nowAt + 4 * hours],
    ['1h30m', nowAt + 90 * minutes],
  ];
  for (const [text, expected] of good) {
    it(`${text} is the next time it comes`, () => {
      assert.deepEqual(parseUntil(text, nowAt), { kind: 'until', at: expected });
    });
  }

  it('that is now is meant for tomorrow', () => {
    assert.deepEqual(parseUntil('17:30', at(21, 17, 30)), { kind: 'until', at: at(22, 17, 30) });
    assert.deepEqual(parseUntil('17:30', at(21, 17, 30) - 1), { kind: 'until', at: at(21, 17, 30) });
  });

  it('crosses the end of a month, a year and a leap day', () => {
    assert.deepEqual(parseUntil('00:00', Date.UTC(2026, 11, 31, 23, 59, 59)), {
      kind: 'until',
      at: Date.UTC(2027, 0, 1),
    });
    assert.deepEqual(parseUntil('06:00', Date.UTC(2028, 1, 28, 7)), {
      kind: 'until',
      at: Date.UTC(2028, 1, 29, 6),
    });
  });

  const bad: [text: string, fault: string][] = [
    ['24:00', 'no_such_time'],
    ['12:60', 'no_such_time'],
    ['99:99 UTC', 'no_such_time'],
    ['18:0', 'malformed'],
    ['18', 'unitless'],
    ['18:00:00', 'malformed'],
    ['18:00 CET', 'malformed'],
    ['18:00Z', 'malformed'],
    ['2026-11-21T18:00:00Z', 'malformed'],
    ['tomorrow', 'malformed'],
    ['', 'empty'],
    ['0m', 'zero'],
  ];
  for (const [text, fault] of bad) {
    it(`${JSON.stringify(text)} is refused: ${fault}`, () => {
      assert.deepEqual(parseUntil(text, nowAt), { kind: 'fault', fault });
    });
  }
});

describe('a span in words', () => {
  const spans: [ms: number, text: string][] = [
    [-5, '0s'],
    [0, '0s'],
    [499, '0s'],
    [999, '0s'],
    [59_499, '59s'],
    [59_999, '59s'],
    [60_000, '1m'],
    [250_000, '4m 10s'],
    [3_600_000, '1h'],
    [5_400_000, '1h 30m'],
    [3_605_000, '1h'],
    [7_199_000, '1h 59m'],
    [86_399_000, '23h 59m'],
    [2 * days + 3 * hours + 59 * minutes, '2d 3h'],
    [2 * days + 59 * minutes, '2d'],
    [400 * days, '400d'],
  ];
  for (const [ms, text] of spans) {
    it(`${ms} ms is ${text}`, () => {
      assert.equal(durationText(ms), text);
    });
  }

  it('can be read back, and is never longer than what it says', () => {
    checkProperty(
      fc.property(fc.integer({ min: 1, max: 400 * 86_400 }), (count) => {
        const parsed = parseDuration(durationText(count * secs).replaceAll(' ', ''));
        assert.ok(parsed.kind === 'duration');
        assert.ok(parsed.ms <= count * secs);
        assert.ok(count * secs - parsed.ms < (count < 3600 ? secs : count < 86_400 ? minutes : hours));
      }),
      300,
    );
  });
});

describe('a latency', () => {
  const latencies: [ms: number, text: string][] = [
    [0, '<1 ms'],
    [41.6, '42 ms'],
    [999.4, '999 ms'],
    [999.6, '1.00 s'],
    [1234, '1.23 s'],
    [9996, '10.0 s'],
    [12_345, '12.3 s'],
    [59_949, '59.9 s'],
    [59_950, '1m'],
    [125_400, '2m 5s'],
  ];
  for (const [ms, text] of latencies) {
    it(`of ${ms} ms is ${text}`, () => {
      assert.equal(latencyText(ms), text);
    });
  }

  it('that was not measured is a dash, or what is asked for', () => {
    assert.equal(latencyText(null), '–');
    assert.equal(latencyText(null, '-'), '-');
  });

  it('is exact beside a limit', () => {
    assert.equal(millisecondsText(2345.4), '2,345 ms');
    assert.deepEqual([10_000, 1500, 50].map(secondsText), ['10 s', '1.5 s', '0.05 s']);
  });
});

it('what is wrong with a span or an end is said behind it, with how to write it', () => {
  assert.deepEqual(durationFaults, {
    empty: 'is empty',
    malformed: 'is not a duration',
    unitless: 'has no unit',
    zero: 'is no time at all',
    too_long: 'is too long',
  });
  assert.deepEqual(untilFaults, { ...durationFaults, no_such_time: 'is no time of a day' });
  for (const [example] of durationHint.matchAll(/\b\d\w+/g))
    assert.equal(parseDuration(example).kind, 'duration', example);
  assert.match(durationHint, /: 90s, 10m, 1h30m, 2d\.$/);
  for (const end of ['4h', '1h30m', '18:00', '18:00 UTC']) {
    assert.ok(untilHint.includes(end), end);
    assert.equal(parseUntil(end, 0).kind, 'until', end);
  }
});

it('whole seconds are cut, but for a part of a millisecond, and never below 0', () => {
  assert.deepEqual([-5000, 0, 999, 999.6, 1000, 1999, 2500].map(wholeSecs), [0, 0, 0, 1, 1, 1, 2]);
});

it('the time of work is in tenths from a tenth of a second on', () => {
  const spans = [14, 99, 100, 449, 12_345, 59_949, 65_000];
  assert.deepEqual(spans.map(elapsedText), ['14 ms', '99 ms', '0.1 s', '0.4 s', '12.3 s', '59.9 s', '1m 5s']);
});

it('an instant is shown in UTC, to the second, the minute or as RFC 3339', () => {
  const at = Date.UTC(2026, 0, 2, 3, 4, 5, 60);
  assert.equal(instantText(at), '2026-01-02 03:04:05 UTC');
  assert.equal(minuteText(at), '2026-01-02 03:04');
  assert.equal(clockText(at), '03:04:05');
  assert.equal(rfc3339(at), '2026-01-02T03:04:05.060Z');
  assert.equal(rfc3339(at - 60), '2026-01-02T03:04:05Z');
  assert.equal(nearInstantText(at, at + 60_000), '03:04:05 UTC');
  assert.equal(nearInstantText(at, at + 86_400_000), '2026-01-02 03:04:05 UTC');
});

it('a day is that of the calendar, from 1970 to 9999', () => {
  const dayMs = 86_400_000;
  for (let at = 0; at < Date.UTC(9999, 11, 31); at += 13 * dayMs + 1001) {
    assert.equal(dayText(at), new Date(at).toISOString().slice(0, 10));
  }
  assert.equal(dayText(Date.UTC(2000, 1, 29)), '2000-02-29');
  assert.equal(dayText(-1), '1969-12-31');
});

it('a span between two instants that are shown is what is between them', () => {
  assert.equal(shownSpanMs(1900, 62_100), 61_000);
  assert.equal(shownSpanMs(1100, 62_900), 61_000);
  assert.equal(shownSpanMs(1900, 1000), 0);
  assert.equal(shownSpanMs(5000, 1000), 0, 'a clock was set back');
});
