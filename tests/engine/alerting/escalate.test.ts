/** Which steps of an escalation are due: who is paged next, and from when that is counted. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { climbOutage, escalationOf, reachedBy } from '../../../src/engine/alerting/climb-outage.ts';
import { called, escalationProgress, knows, type StepFacts } from '../../../src/engine/alerting/escalate.ts';
import type { FinishedRow } from '../../../src/engine/alerting/intent.ts';

const minute = 60_000;
const escalation: StepFacts['escalation'] = {
  name: 'page',
  steps: [
    { after_secs: 300, notify: ['lead'] },
    { after_secs: 900, notify: ['boss'] },
  ],
};

const row = (channel: string, changes: Partial<FinishedRow> = {}): FinishedRow => ({
  deliveryId: `i1.down.${channel}`,
  channel,
  event: 'down',
  state: 'sent',
  attempts: 1,
  nextAt: 0,
  payload: {},
  finishedAt: minute,
  ...changes,
});
const stepRow = (channel: string, step: number, changes: Partial<FinishedRow> = {}) =>
  row(channel, { ...changes, payload: { step, escalation: 'page' } });
const named = { namedBy: { groupId: 'g', root: 'i0' } };

/** The steps in a word each, and in minutes when the next one is due. */
const climbed = (rows: readonly FinishedRow[], nowAt: number, changes: Partial<StepFacts> = {}) => {
  const facts = { escalation, rows, dueAt: 30_000, isUnrouted: false, nowAt };
  const { steps, nextAt } = escalationProgress({
    ...facts,
    reached: (notify) => notify ?? ['all'],
    ...changes,
  });
  const words = steps.map(({ number, channels, wasTaken, isLastResort }) =>
    [number, channels.join('+') || '-', wasTaken && 'taken', isLastResort && 'last resort']
      .filter((word) => word !== false)
      .join(' '),
  );
  return [...words, nextAt === null ? 'then none' : `then at ${nextAt / minute}`];
};

describe('the first step of an escalation', () => {
  it('is due so long after the alert was sent, and not a moment before', () => {
    assert.deepEqual(climbed([row('ops')], 6 * minute - 1), ['then at 6']);
    assert.deepEqual(climbed([row('ops')], 6 * minute), ['1 lead', 'then none']);
  });

  it('comes at a whole second, so that those of many outages come together', () => {
    const late = row('ops', { finishedAt: minute + 1 });
    assert.deepEqual(climbed([late], minute), [`then at ${(6 * minute + 1000) / minute}`]);
  });

  it('counts from the first channel that could be sent the alert, taken or not', () => {
    const rows = [
      row('ops', { state: 'given_up', finishedAt: 3 * minute }),
      row('sms', { state: 'dropped', finishedAt: 2 * minute }),
      row('mail', { state: 'waiting', finishedAt: null }),
    ];
    assert.deepEqual(climbed(rows, 0), ['then at 7']);
  });

  it('counts from a first attempt that failed, though the alert still waits', () => {
    const failing = row('ops', { state: 'waiting', finishedAt: null, payload: { calledAt: 2 * minute } });
    assert.deepEqual(climbed([failing], 0), ['then at 7']);
    const taken = row('ops', { payload: { calledAt: 2 * minute }, finishedAt: 9 * minute });
    assert.deepEqual(climbed([taken], 0), ['then at 7'], 'and not from when it was taken at last');
  });

  it('does not come while the alert is held back: muted, or part of the outage of an upstream', () => {
    const waiting = row('ops', { state: 'waiting', finishedAt: null });
    assert.deepEqual(climbed([waiting], 99 * minute), ['then none']);
    assert.deepEqual(climbed([waiting, row('sms', { payload: named })], 99 * minute), ['then none']);
    assert.deepEqual(climbed([row('ops', { payload: named, state: 'given_up' })], 0), ['then at 6']);
  });

  it('does not wait for a channel outside of the route that only the message about an upstream named it to', () => {
    const rows = [row('ops', { payload: named })];
    assert.deepEqual(climbed(rows, 30_000, { isUnrouted: true }), ['then at 5.5']);
    assert.deepEqual(climbed(rows, 30_000), ['1 lead', 'then none']);
    const reached = (notify: readonly string[] | null) => (notify === null ? ['ops'] : []);
    assert.deepEqual(climbed(rows, 30_000, { reached }).at(-2), '2 ops last resort');
  });

  it('comes at once where the route leads to nobody by mistake, and in its time where that is meant', () => {
    assert.deepEqual(climbed([], 29_999), ['then at 0.5']);
    assert.deepEqual(climbed([], 30_000), ['1 lead', 'then none']);
    assert.deepEqual(climbed([], 30_000, { isUnrouted: true }), ['then at 5.5']);
    assert.deepEqual(climbed([row('ops')], 2 * minute, { isUnrouted: true }), ['then at 6']);
  });
});

describe('the next step', () => {
  it('counts from when the step before it was sent', () => {
    const rows = [row('ops'), stepRow('lead', 1, { finishedAt: 8 * minute })];
    assert.deepEqual(climbed(rows, 10 * minute), ['1 lead taken', 'then at 18']);
    assert.deepEqual(climbed(rows, 18 * minute), ['1 lead taken', '2 boss', 'then none']);
  });

  it('waits for what becomes of the step before it', () => {
    const rows = [row('ops'), stepRow('lead', 1, { state: 'waiting', finishedAt: null })];
    assert.deepEqual(climbed(rows, 99 * minute), ['1 lead taken', 'then none']);
  });

  it('counts from the time of a step whose channels were all notified before', () => {
    const rows = [row('ops'), row('lead')];
    assert.deepEqual(climbed(rows, 6 * minute), ['1 lead', 'then at 16']);
    const aboutUpstream = row('lead', { payload: named });
    assert.deepEqual(climbed([row('ops'), aboutUpstream], 6 * minute), ['1 lead', 'then none']);
  });

  it('follows at once on one that reaches nobody', () => {
    const reached = (notify: readonly string[] | null) => (notify?.includes('lead') === true ? [] : ['boss']);
    assert.deepEqual(climbed([row('ops')], 6 * minute, { reached }), ['1 -', '2 boss', 'then none']);
    const rows = [row('ops'), stepRow('lead', 1, { finishedAt: 6 * minute })];
    assert.deepEqual(climbed(rows, 7 * minute, { reached }), ['1 - taken', 'then at 16'], 'it had its alert');
  });

  it('is every channel that takes it where nobody at all could be reached', () => {
    const reached = (notify: readonly string[] | null) => (notify === null ? ['ops', 'sms'] : []);
    assert.deepEqual(climbed([], 30_000, { reached }), ['1 -', '2 -', '2 ops+sms last resort', 'then none']);
    assert.deepEqual(climbed([row('ops')], 16 * minute, { reached }), ['1 -', '2 -', 'then none']);
    const bare = { escalation: { ...escalation, steps: [] }, reached } as Partial<StepFacts>;
    assert.deepEqual(climbed([], 29_999, bare), ['then none'], 'the window is not over');
  });
});

describe('a turn of a rotation that begins while the outage lasts', () => {
  const offCall = { hold: { reason: 'off_call', by: null } };
  const relief = row('ben', { finishedAt: 3 * minute, payload: { step: 0, isRelief: true } });

  it('does not restart the time of the next step', () => {
    assert.deepEqual(climbed([row('ann'), relief], 4 * minute), ['then at 6']);
  });

  it('is what the next step counts from where it came first, also once the turn before it has come', () => {
    assert.deepEqual(climbed([row('ann', { finishedAt: 5 * minute }), relief], 6 * minute), ['then at 8']);
    const again = row('ann', { finishedAt: 5 * minute, payload: { hold: { reason: 'off_call', by: null } } });
    assert.deepEqual(climbed([again, relief], 6 * minute), ['then at 8']);
    const muted = row('ann', {
      state: 'waiting',
      finishedAt: null,
      payload: { hold: { reason: 'muted', by: '3' } },
    });
    assert.deepEqual(climbed([muted, row('bea', { finishedAt: 5 * minute }), relief], 6 * minute), [
      'then at 8',
    ]);
  });

  it('is what the next step counts from where the member before it was never sent the alert', () => {
    const waiting = row('ann', { state: 'waiting', finishedAt: null, payload: offCall });
    assert.deepEqual(climbed([waiting, relief], 4 * minute), ['then at 8']);
    const muted = row('ann', { ...waiting, payload: { hold: { reason: 'muted', by: '3' } } });
    assert.deepEqual(climbed([waiting, muted, relief], 4 * minute), ['then none'], 'one is not off call');
    assert.deepEqual(climbed([waiting], 4 * minute), ['then none']);
  });
});

describe('whether a channel knows of an outage', () => {
  it('is by an alert of its own, whatever became of it, and not by one about an upstream', () => {
    for (const state of ['waiting', 'sent', 'given_up', 'dropped'] as const)
      assert.equal(knows([row('ops', { state })], 'ops'), true, state);
    assert.equal(knows([row('ops')], 'sms'), false);
    assert.equal(knows([row('ops', { payload: named })], 'ops'), false);
    assert.equal(knows([row('ops', { payload: named, state: 'waiting' })], 'ops'), true, 'left behind by it');
  });

  it('is remembered with the first moment at which it could be sent', () => {
    assert.deepEqual(called({ payload: {} }, 500), { calledAt: 500 });
    assert.deepEqual(called({ payload: { calledAt: 100 } }, 500), { calledAt: 100 });
  });
});

describe('the escalation of an open outage', () => {
  const monitor = { id: 'api', group: null, critical: false, escalation: 'page', notify: null };
  const filters = { events: null, min_severity: 'info', monitors: null, groups: null };
  const config = {
    alerts: { group_window_secs: 30 },
    channels: ['ops', 'lead', 'boss'].map((name) => ({ ...filters, name })),
    rotations: [],
    escalations: [{ ...escalation, name: 'other' }, escalation],
  } as unknown as Parameters<typeof climbOutage>[1];
  const outage = (changes: object = {}, rows: readonly FinishedRow[] = []) =>
    ({
      event: 'down',
      monitor: { ...monitor, ...changes },
      confirmedAt: minute,
      rows,
    }) as unknown as Parameters<typeof climbOutage>[0];

  it('is the one that its monitor names, if any', () => {
    assert.equal(escalationOf({ escalation: 'page' }, config), escalation);
    assert.equal(escalationOf({ escalation: null }, config), null);
    assert.equal(climbOutage(outage({ escalation: null }), config, 0), null);
    assert.equal(climbOutage({ ...outage(), event: 'degraded' }, config, 99 * minute), null);
  });

  it('begins when the window of its alert is over', () => {
    const unnoticed = climbOutage(outage(), config, 0);
    assert.deepEqual(unnoticed, { steps: [], nextAt: minute + 30_000, escalation });
    assert.equal(climbOutage(outage({ notify: [] }), config, 0)?.nextAt, 6 * minute + 30_000);
    assert.equal(climbOutage(outage({ notify: ['gone'] }), config, 0)?.nextAt, minute + 30_000);
  });

  it('looks at the alerts of this outage alone, and reaches the channels that take it', () => {
    const rows = [row('ops', { event: 'degraded', finishedAt: 0 }), row('ops', { finishedAt: 2 * minute })];
    assert.equal(climbOutage(outage({}, rows), config, 0)?.nextAt, 7 * minute);
    assert.deepEqual(climbOutage(outage({}, rows), config, 7 * minute)?.steps[0]?.channels, ['lead']);
    const strict = {
      ...config,
      channels: config.channels.map((channel) =>
        channel.name === 'ops' ? channel : { ...channel, min_severity: 'critical' as const },
      ),
    };
    assert.deepEqual(reachedBy(null, outage(), { config: strict, at: 0 }), ['ops']);
    assert.deepEqual(reachedBy(['lead', 'ops'], outage(), { config: strict, at: 0 }), ['ops']);
    assert.deepEqual(reachedBy(['lead'], outage({ critical: true }), { config: strict, at: 0 }), ['lead']);
  });
});
