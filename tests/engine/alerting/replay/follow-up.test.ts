import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { followUp, type FollowUpRules } from '../../../../src/engine/alerting/replay/follow-up.ts';
import type { EpisodeOf } from '../../../../src/engine/alerting/replay/judge-episodes.ts';

const outage: EpisodeOf = {
  monitor: 'db',
  event: 'down',
  startedAt: 0,
  confirmedAt: 100,
  endedAt: 1000,
  checks: 3,
  unseenMs: 0,
};
const rules: FollowUpRules = {
  quieted: () => ({ kind: 'open' }),
  repeatMsOf: () => null,
  stepsOf: () => [
    { afterMs: 100, channelsAt: () => ['lead'] },
    { afterMs: 300, channelsAt: () => ['boss', 'ops'] },
  ],
  isUnrouted: () => false,
  acknowledgedAt: () => null,
  untilAt: 5000,
};

const followed = (changes: Partial<FollowUpRules> = {}, due = new Map([['ops', 130]]), episode = outage) => {
  const { calls, reminders } = followUp(episode, due, { dueAt: 130, rules: { ...rules, ...changes } });
  return [...calls.map(({ channel, at, step }) => `${step} ${channel} ${at}`), `${reminders} reminders`];
};
const night = (channel: string, isDropping: boolean) => (name: string, _: EpisodeOf, at: number) =>
  name === channel && at < 600
    ? ({ kind: 'hold', untilAt: 600, isDropping } as const)
    : ({ kind: 'open' } as const);

describe('what follows a replayed alert', () => {
  it('is a step after the other, each channel once', () => {
    assert.deepEqual(followed(), ['0 ops 130', '1 lead 230', '2 boss 430', '0 reminders']);
  });

  it('ends with the outage, or with the acknowledgement of its incident', () => {
    assert.deepEqual(followed({}, undefined, { ...outage, endedAt: 230 }), ['0 ops 130', '0 reminders']);
    assert.deepEqual(followed({ acknowledgedAt: () => 300 }), ['0 ops 130', '1 lead 230', '0 reminders']);
  });

  it('comes at the end of quiet hours, late where it is over, and not at all where that is dropped', () => {
    assert.deepEqual(followed({ quieted: night('ops', false) })[0], '0 ops 600');
    const brief = { ...outage, endedAt: 200 };
    assert.deepEqual(followed({ quieted: night('ops', false) }, undefined, brief)[0], '0 ops 600');
    assert.deepEqual(followed({ quieted: night('ops', true) }, undefined, brief), ['0 reminders']);
    assert.deepEqual(followed({ quieted: night('lead', false), acknowledgedAt: () => 300 }), [
      '0 ops 130',
      '0 reminders',
    ]);
  });

  it('calls each channel once, the earliest that the alert is due on any of them', () => {
    const due = new Map([
      ['ops', 200],
      ['lead', 150],
    ]);
    assert.deepEqual(followed({}, due), ['0 ops 200', '0 lead 150', '2 boss 450', '0 reminders']);
  });

  it('counts quiet hours against a channel that was quiet: it is not called by a later step either', () => {
    const quieted = (name: string) =>
      name === 'ops' ? ({ kind: 'drop' } as const) : ({ kind: 'open' } as const);
    assert.deepEqual(followed({ quieted }), ['1 lead 230', '2 boss 430', '0 reminders']);
  });

  it('makes no step late, and drops what ends with the quiet hours, at that very moment too', () => {
    const ended = { ...outage, endedAt: 600 };
    assert.deepEqual(followed({ quieted: night('ops', true) }, undefined, ended).slice(0, 1), ['1 lead 230']);
    const later = { ...outage, endedAt: 601 };
    assert.deepEqual(followed({ quieted: night('ops', true) }, undefined, later)[0], '0 ops 600');
    const lead = night('lead', false);
    const calls = ['0 ops 130', '1 lead 600', '2 boss 430', '0 reminders'];
    assert.deepEqual(followed({ quieted: lead, acknowledgedAt: () => 601 }), calls);
    assert.deepEqual(followed({ quieted: lead, acknowledgedAt: () => 600 }), [
      ...calls.filter((call) => !call.includes('lead')),
    ]);
    assert.deepEqual(
      followed({ quieted: lead }, undefined, ended)[1],
      '1 lead 600',
      'over, not acknowledged',
    );
  });

  it('ends with the history where the outage is open, and reminds of nothing that is over', () => {
    const repeatMsOf = () => 200;
    const open = { ...outage, endedAt: null };
    assert.equal(
      followed({ repeatMsOf, untilAt: 530, stepsOf: () => [] }, undefined, open).at(-1),
      '1 reminders',
    );
    assert.equal(
      followed({ repeatMsOf, untilAt: 531, stepsOf: () => [] }, undefined, open).at(-1),
      '2 reminders',
    );
    const brief = { ...outage, endedAt: 200 };
    const quieted = night('ops', false);
    assert.deepEqual(followed({ repeatMsOf, quieted }, undefined, brief), ['0 ops 600', '0 reminders']);
    const untilThen = { ...outage, endedAt: 600 };
    assert.equal(
      followed({ repeatMsOf, quieted, stepsOf: () => [] }, undefined, untilThen).at(-1),
      '0 reminders',
    );
  });

  it('skips the wait where a step or the route reaches nobody', () => {
    const [, boss] = rules.stepsOf('db');
    assert.ok(boss !== undefined);
    const steps = () => [{ afterMs: 100, channelsAt: () => [] }, boss];
    assert.deepEqual(followed({ stepsOf: steps }), ['0 ops 130', '2 boss 230', '0 reminders']);
    assert.deepEqual(followed({}, new Map())[0], '1 lead 130');
    assert.deepEqual(followed({ isUnrouted: () => true }, new Map())[0], '1 lead 230');
  });

  it('is a reminder again and again, later in quiet hours', () => {
    const repeatMsOf = (channel: string) => (channel === 'ops' ? 200 : null);
    assert.deepEqual(followed({ repeatMsOf }).at(-1), '4 reminders');
    assert.deepEqual(followed({ repeatMsOf, quieted: night('ops', false) }).at(-1), '1 reminders');
    assert.deepEqual(followed({ repeatMsOf, acknowledgedAt: () => 400 }).at(-1), '1 reminders');
  });
});
