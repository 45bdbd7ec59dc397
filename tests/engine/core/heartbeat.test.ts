import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { confirm } from '../../../src/engine/core/confirm/confirm.ts';
import type { Policy, Sample } from '../../../src/engine/core/confirm/sample.ts';
import { freshState } from '../../../src/engine/core/confirm/state.ts';
import {
  heartbeatStatuses,
  plannedAfter,
  heartbeatSample,
  judgeSilence,
  silenceSample,
  type Heart,
  type HeartbeatStatus,
} from '../../../src/engine/core/heartbeat.ts';

const minute = 60_000;

/** Every minute with two of grace, heard at minute 10 by a node that listens since minute 0. */
const heart: Heart = {
  rhythm: { kind: 'interval', intervalMs: minute },
  graceMs: 2 * minute,
  firstSeenAt: 0,
  lastHeardAt: 10 * minute,
  listeningSinceAt: 0,
};
const dueAt = 11 * minute;

describe('the silence of a push monitor', () => {
  it('is on time until its interval is over', () => {
    assert.deepEqual(judgeSilence(heart, dueAt - 1), { kind: 'on_time', lookAt: dueAt });
  });
  it('is late from then on', () => {
    assert.deepEqual(judgeSilence(heart, dueAt), { kind: 'late', dueAt, lookAt: 13 * minute });
    assert.deepEqual(judgeSilence(heart, 13 * minute - 1), {
      kind: 'late',
      dueAt,
      lookAt: 13 * minute,
    });
  });
  it('is missed when the grace is over', () => {
    assert.deepEqual(judgeSilence(heart, 13 * minute), {
      kind: 'missed',
      dueAt,
      lookAt: null,
    });
  });
  it('is missed at once without a grace', () => {
    assert.equal(judgeSilence({ ...heart, graceMs: 0 }, dueAt).kind, 'missed');
    assert.equal(judgeSilence({ ...heart, graceMs: 0 }, dueAt - 1).kind, 'on_time');
  });

  it('counts from the instant of a plan where there is one', () => {
    const planned: Heart = {
      ...heart,
      rhythm: { kind: 'schedule', dueAt: 120 * minute },
      graceMs: 30 * minute,
    };
    assert.deepEqual(judgeSilence(planned, 119 * minute), { kind: 'on_time', lookAt: 120 * minute });
    assert.equal(judgeSilence(planned, 120 * minute).kind, 'late');
    assert.equal(judgeSilence(planned, 149 * minute).kind, 'late');
    assert.equal(judgeSilence(planned, 150 * minute).kind, 'missed');
  });
  it('means nothing when the plan has no further instant', () => {
    const planned: Heart = { ...heart, rhythm: { kind: 'schedule', dueAt: null } };
    assert.deepEqual(judgeSilence(planned, 1e15), { kind: 'on_time', lookAt: null });
    assert.deepEqual(judgeSilence({ ...planned, lastHeardAt: null }, 1e15), {
      kind: 'never_heard',
      lookAt: null,
    });
  });

  it('of one never heard is unknown until the first deadline, then missed, never late', () => {
    const unheard: Heart = { ...heart, firstSeenAt: 10 * minute, lastHeardAt: null };
    assert.deepEqual(judgeSilence(unheard, 10 * minute), { kind: 'never_heard', lookAt: 13 * minute });
    assert.deepEqual(judgeSilence(unheard, 13 * minute - 1), { kind: 'never_heard', lookAt: 13 * minute });
    assert.deepEqual(judgeSilence(unheard, 13 * minute), { kind: 'missed', dueAt, lookAt: null });
  });
  it('looks for the next instant of a plan after the last heartbeat, or after it was first seen', () => {
    assert.equal(plannedAfter({ firstSeenAt: 5, lastHeardAt: null }), 5);
    assert.ok(plannedAfter(heart) >= 10 * minute);
  });
  it('takes a heartbeat just before an instant of the plan for that instant', () => {
    const twoOClock = 120 * minute;
    const afterwards = plannedAfter({ firstSeenAt: 0, lastHeardAt: twoOClock - 1000 });
    assert.ok(afterwards >= twoOClock && afterwards < twoOClock + minute);
    assert.ok(plannedAfter({ firstSeenAt: 0, lastHeardAt: twoOClock - minute }) < twoOClock);
  });
});

describe('a node that could not hear', () => {
  const restarted: Heart = { ...heart, listeningSinceAt: 60 * minute };

  it('gives the sender one interval to come again', () => {
    assert.deepEqual(judgeSilence(restarted, 60 * minute), { kind: 'on_time', lookAt: 61 * minute });
    assert.deepEqual(judgeSilence(restarted, 61 * minute), { kind: 'missed', dueAt, lookAt: null });
  });
  it('does not shorten what is left of a grace', () => {
    const early: Heart = { ...heart, listeningSinceAt: 10.5 * minute };
    assert.deepEqual(judgeSilence(early, 11.5 * minute), { kind: 'late', dueAt, lookAt: 13 * minute });
  });
  it('waits at most half an hour, so that restarts never hide an outage of a daily job', () => {
    const day = 1440 * minute;
    const daily: Heart = {
      ...heart,
      rhythm: { kind: 'interval', intervalMs: day },
      listeningSinceAt: 3 * day,
    };
    assert.equal(judgeSilence(daily, 3 * day + 29 * minute).kind, 'on_time');
    assert.equal(judgeSilence(daily, 3 * day + 30 * minute).kind, 'missed');
    const planned: Heart = { ...daily, rhythm: { kind: 'schedule', dueAt: 2 * day } };
    assert.equal(judgeSilence(planned, 3 * day + 29 * minute).kind, 'on_time');
    assert.equal(judgeSilence(planned, 3 * day + 30 * minute).kind, 'missed');
  });
});

/** The statuses shown, minute by minute, of a sender that says these things in these minutes. */
function shownBy(
  says: Readonly<Record<number, HeartbeatStatus>>,
  { minutes, policy }: { readonly minutes: number; readonly policy?: Partial<Policy> },
): string {
  const given: Policy = {
    failThreshold: 3,
    recoverThreshold: 1,
    degradedOverMs: null,
    forgetAfterMs: null,
    ...policy,
  };
  let state = freshState;
  let lastHeardAt: number | null = null;
  let shown = '';
  const feed = (sample: Sample) => {
    state = confirm(state, sample, given).state;
  };
  for (let now = 0; now < minutes; now++) {
    const at = now * minute;
    const said = says[now];
    if (said !== undefined) {
      feed(heartbeatSample(said, at, null));
      lastHeardAt = at;
    } else {
      const sample = silenceSample(judgeSilence({ ...heart, lastHeardAt }, at), at);
      if (sample !== null) feed(sample);
    }
    shown += { up: 'u', degraded: 'd', down: 'D', unknown: '?' }[state.status];
  }
  return shown;
}

describe('a push monitor, by the minute', () => {
  it('shows what it says of itself from its first word on, a single down as degraded', () => {
    assert.deepEqual(
      heartbeatStatuses.map((status) => shownBy({ 0: status }, { minutes: 1 })),
      ['u', 'd', 'd'],
    );
  });
  it('that stops is degraded, then down, then up with the next heartbeat', () => {
    assert.equal(shownBy({ 0: 'up', 1: 'up', 6: 'up' }, { minutes: 7 }), 'uuddDDu');
  });
  it('that never speaks is unknown, then down', () => {
    assert.equal(shownBy({}, { minutes: 5 }), '???DD');
  });
  it('that says down is degraded until it has said so as often as confirms', () => {
    assert.equal(shownBy({ 0: 'up', 1: 'down', 2: 'down', 3: 'down', 4: 'up' }, { minutes: 5 }), 'uddDu');
  });
  it('that says degraded is degraded', () => {
    assert.equal(shownBy({ 0: 'up', 1: 'degraded', 2: 'up' }, { minutes: 3 }), 'udu');
  });
  it('that says it took long is degraded by latency', () => {
    const { state } = confirm(freshState, heartbeatSample('up', 0, 5000), {
      failThreshold: 3,
      recoverThreshold: 1,
      degradedOverMs: 1000,
      forgetAfterMs: null,
    });
    assert.equal(state.status, 'degraded');
  });
});
