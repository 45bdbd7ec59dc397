import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { turnAt, type Turns } from '../../../src/engine/core/rotation.ts';
import { casesOf, printedSeed, randomOf } from '../../support/random.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const weekly: Turns = {
  members: ['ann', 'ben', 'cat'],
  every: 7 * dayMs,
  from: Date.parse('2026-01-05T09:00:00+01:00'),
  timezone: 'Europe/Berlin',
};

const shown = (turns: Turns, at: string) => {
  const { index, sinceAt, untilAt } = turnAt(turns, Date.parse(at));
  return `${turns.members[index]} ${new Date(sinceAt).toISOString()} ${new Date(untilAt).toISOString()}`;
};

describe('a rotation', () => {
  it('gives each member a turn, from its first instant on', () => {
    const first = 'ann 2026-01-05T08:00:00.000Z 2026-01-12T08:00:00.000Z';
    assert.equal(shown(weekly, '2026-01-05T08:00:00Z'), first);
    assert.equal(shown(weekly, '2026-01-12T07:59:59.999Z'), first);
    assert.equal(shown(weekly, '2026-01-12T08:00:00Z').slice(0, 3), 'ben');
    assert.equal(shown(weekly, '2026-01-19T08:00:00Z').slice(0, 3), 'cat');
    assert.equal(shown(weekly, '2026-01-26T08:00:00Z').slice(0, 3), 'ann');
  });

  it('is counted backwards before it begins: there is always someone', () => {
    assert.equal(shown(weekly, '2026-01-05T07:59:59Z').slice(0, 3), 'cat');
    assert.equal(shown(weekly, '2025-12-29T07:00:00Z').slice(0, 3), 'ben');
  });

  it('begins at the same time of day over both changes of the clock', () => {
    assert.equal(
      shown(weekly, '2026-03-29T12:00:00Z'),
      'cat 2026-03-23T08:00:00.000Z 2026-03-30T07:00:00.000Z',
    );
    assert.equal(
      shown(weekly, '2026-10-25T12:00:00Z'),
      'cat 2026-10-19T07:00:00.000Z 2026-10-26T08:00:00.000Z',
    );
  });

  it('hands over with the clock at a time that is left out, and once at one that is repeated', () => {
    const nightly = { ...weekly, every: dayMs, from: Date.parse('2026-01-01T02:30:00+01:00') };
    // On 29 March, 02:30 does not come; on 25 October it comes twice, first in summer time.
    const spring = turnAt(nightly, Date.parse('2026-03-29T00:59:59Z'));
    assert.equal(new Date(spring.untilAt).toISOString(), '2026-03-29T01:00:00.000Z');
    const before = turnAt(nightly, Date.parse('2026-10-25T00:29:59Z'));
    const autumn = turnAt(nightly, Date.parse('2026-10-25T00:30:00Z'));
    const again = turnAt(nightly, Date.parse('2026-10-25T01:10:00Z'));
    assert.equal(before.untilAt, autumn.sinceAt);
    assert.deepEqual(again, autumn);
    assert.equal(new Date(autumn.sinceAt).toISOString(), '2026-10-25T00:30:00.000Z');
    assert.equal(autumn.untilAt - autumn.sinceAt, 25 * hourMs);
  });

  const count = casesOf(300, 5000);
  it(`leaves no instant to nobody and none to two, in ${count} zones, lengths and instants`, () => {
    const random = randomOf(printedSeed());
    const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu'];
    for (let number = 0; number < count; number += 1) {
      const turns: Turns = {
        members: ['a', 'b', 'c'].slice(0, 1 + random.below(3)),
        every: (1 + random.below(20_000)) * 60_000,
        from: Date.UTC(2026, 0, 1) + random.below(365 * dayMs),
        timezone: zones[random.below(zones.length)] ?? 'UTC',
      };
      // Often near a change of the clock.
      const changes = [
        '2026-03-29T01:00:00Z',
        '2026-10-25T01:00:00Z',
        '2026-03-08T07:00:00Z',
        '2026-11-01T06:00:00Z',
      ];
      const near = Date.parse(changes[random.below(4)] ?? '') + random.below(8 * hourMs) - 4 * hourMs;
      const at = random.below(2) === 0 ? near : Date.UTC(2026, 0, 1) + random.below(500 * dayMs);
      const turn = turnAt(turns, at);
      const about = JSON.stringify({ turns, at, turn });
      assert.ok(turn.sinceAt <= at && at < turn.untilAt, about);
      assert.deepEqual(turnAt(turns, turn.sinceAt), turn, about);
      const next = turnAt(turns, turn.untilAt);
      assert.equal(next.sinceAt, turn.untilAt, about);
      // A short turn may lie in the hour that is left out.
      if (turns.every > hourMs) assert.equal(next.index, (turn.index + 1) % turns.members.length, about);
    }
  });
});
