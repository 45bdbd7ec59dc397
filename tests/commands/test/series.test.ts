import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seriesType } from '../../../src/commands/test/format/series.ts';
import { scenarioOf } from '../../../src/commands/test/runner/test-run.ts';

/** What a series says at each of `minutes`, checked once a minute. */
function at(text: string, minutes: readonly number[]): string[] {
  const reading = seriesType.read(text);
  assert.ok(reading.isGood, text);
  const scenario = scenarioOf(reading.value, 60_000);
  return minutes.map((minute) => {
    const { name, latencyMs } = scenario.at(minute * 60_000);
    return latencyMs === null ? name : `${name}(${latencyMs})`;
  });
}

function faultsOf(text: unknown): string[] {
  const reading = seriesType.read(text);
  assert.ok(!reading.isGood, String(text));
  return reading.faults.map(({ message, hint }) => `${message}; ${hint ?? ''}`);
}

describe('a series', () => {
  it('has one word per check, and the last one continues', () => {
    assert.deepEqual(at('up, down, up', [0, 1, 2, 3, 1000]), ['up', 'down', 'up', 'up', 'up']);
  });

  it('repeats a word so many times', () => {
    assert.deepEqual(at('up x2, down x 3 ,-', [0, 1, 2, 4, 5]), ['up', 'up', 'down', 'down', '-']);
  });

  it('repeats a word for so long, also between two checks', () => {
    const words = at('up for 90s, down for 2m, up', [0, 1, 1.49, 1.5, 3.49, 3.5]);
    assert.deepEqual(words, ['up', 'up', 'up', 'down', 'down', 'up']);
  });

  it('knows latencies', () => {
    assert.deepEqual(at('up(120), slow(900) x2, slow', [0, 1, 3]), ['up(120)', 'slow(900)', 'slow']);
  });

  it('says everything that is wrong with it', () => {
    assert.deepEqual(faultsOf('up, dwon, up x0, down(3), up 3, for 5m,, down for 5'), [
      'has the unknown word "dwon"; did you mean down?',
      'has a stretch of no check at all; write x1 or more',
      'gives down a latency; only up and slow have one: up(120), slow(900)',
      'has "up 3", which is no stretch; write a word, then x3 or for 10m, then a comma',
      'has "for 5m", which is no stretch; write a word, then x3 or for 10m, then a comma',
      'has a comma too many; write a series such as "up, down x3, up for 10m"',
      'has "for 5", which is no duration; write for 90s, for 10m or for 1h30m',
    ]);
    assert.deepEqual(faultsOf('sideways'), [
      'has the unknown word "sideways"; there are up, slow, degraded, down, timeout, unknown and -',
    ]);
    assert.deepEqual(faultsOf(3), ['must be a series such as "up, down x3, up for 10m", not an integer; ']);
  });
});
