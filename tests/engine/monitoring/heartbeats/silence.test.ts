import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { confirm } from '../../../../src/engine/monitoring/confirm/confirm.ts';
import type { CheckPolicy, ConfirmSample } from '../../../../src/engine/core/sample.ts';
import { freshState } from '../../../../src/engine/monitoring/confirm/state.ts';
import {
  type ListeningGap,
  readGaps,
  withGap,
} from '../../../../src/engine/monitoring/heartbeats/listening-gaps.ts';
import {
  heartbeatStatuses,
  plannedAfter,
  heartbeatSample,
  judgeSilence,
  silenceSample,
  type PushMonitorState,
  type HeartbeatStatus,
} from '../../../../src/engine/monitoring/heartbeats/silence.ts';

const minute = 60_000;

/** Every minute with two of grace, heard at minute 10 by a node that always listened. */
const pushMonitorState: PushMonitorState = {
  schedule: { kind: 'interval', intervalMs: minute },
  graceMs: 2 * minute,
  firstSeenAt: 0,
  lastHeardAt: 10 * minute,
  expectedAt: null,
  isDown: false,
  listeningGaps: [],
};
const dueAt = 11 * minute;

describe('the silence of a push monitor', () => {
  it('is on time until its interval is over', () => {
    assert.deepEqual(judgeSilence(pushMonitorState, dueAt - 1), { kind: 'on_time', lookAt: dueAt });
  });
  it('is late from then on', () => {
    assert.deepEqual(judgeSilence(pushMonitorState, dueAt), { kind: 'late', dueAt, lookAt: 13 * minute });
    assert.deepEqual(judgeSilence(pushMonitorState, 13 * minute - 1), {
      kind: 'late',
      dueAt,
      lookAt: 13 * minute,
    });
  });
  it('is missed when the grace is over', () => {
    assert.deepEqual(judgeSilence(pushMonitorState, 13 * minute), {
      kind: 'missed',
      dueAt,
      lookAt: null,
    });
  });
  it('is missed at once without a grace', () => {
    assert.equal(judgeSilence({ ...pushMonitorState, graceMs: 0 }, dueAt).kind, 'missed');
    assert.equal(judgeSilence({ ...pushMonitorState, graceMs: 0 }, dueAt - 1).kind, 'on_time');
  });

  it('stays missed until a heartbeat, though the clock is set back', () => {
    assert.deepEqual(judgeSilence({ ...pushMonitorState, isDown: true }, dueAt - 1), {
      kind: 'missed',
      dueAt,
      lookAt: null,
    });
  });

  it('counts from the instant of a plan where there is one', () => {
    const planned: PushMonitorState = {
      ...pushMonitorState,
      schedule: { kind: 'schedule', dueAt: 120 * minute, nextAfter: () => null },
      graceMs: 30 * minute,
    };
    assert.deepEqual(judgeSilence(planned, 119 * minute), { kind: 'on_time', lookAt: 120 * minute });
    assert.equal(judgeSilence(planned, 120 * minute).kind, 'late');
    assert.equal(judgeSilence(planned, 149 * minute).kind, 'late');
    assert.equal(judgeSilence(planned, 150 * minute).kind, 'missed');
  });
  it('means nothing when the plan has no further instant', () => {
    const planned: PushMonitorState = {
      ...pushMonitorState,
      schedule: { kind: 'schedule', dueAt: null, nextAfter: () => null },
    };
    assert.deepEqual(judgeSilence(planned, 1e15), { kind: 'on_time', lookAt: null });
    assert.deepEqual(judgeSilence({ ...planned, lastHeardAt: null }, 1e15), {
      kind: 'never_heard',
      lookAt: null,
    });
  });

  it('of one never heard is unknown until the first deadline, then missed, never late', () => {
    const unheard: PushMonitorState = { ...pushMonitorState, firstSeenAt: 10 * minute, lastHeardAt: null };
    assert.deepEqual(judgeSilence(unheard, 10 * minute), { kind: 'never_heard', lookAt: 13 * minute });
    assert.deepEqual(judgeSilence(unheard, 13 * minute - 1), { kind: 'never_heard', lookAt: 13 * minute });
    assert.deepEqual(judgeSilence(unheard, 13 * minute), { kind: 'missed', dueAt, lookAt: null });
  });
  it('looks for the next instant of a plan after the last heartbeat, or after it was first seen', () => {
    assert.equal(plannedAfter({ firstSeenAt: 5, lastHeardAt: null, expectedAt: null }), 5);
    assert.ok(plannedAfter(pushMonitorState) >= 10 * minute);
  });
  it('takes a heartbeat just before an instant of the plan for that instant', () => {
    const twoOClock = 120 * minute;
    const afterwards = plannedAfter({ firstSeenAt: 0, lastHeardAt: twoOClock - 1000, expectedAt: null });
    assert.ok(afterwards >= twoOClock && afterwards < twoOClock + minute);
    assert.ok(
      plannedAfter({ firstSeenAt: 0, lastHeardAt: twoOClock - minute, expectedAt: null }) < twoOClock,
    );
  });
});

describe('a node that could not receive heartbeats', () => {
  const restarted: PushMonitorState = {
    ...pushMonitorState,
    listeningGaps: [{ fromAt: 10 * minute, toAt: 60 * minute }],
  };

  it('gives the sender one interval to come again, and its grace', () => {
    assert.deepEqual(judgeSilence(restarted, 60 * minute), { kind: 'on_time', lookAt: 61 * minute });
    assert.deepEqual(judgeSilence(restarted, 61 * minute), { kind: 'late', dueAt, lookAt: 63 * minute });
    // A heartbeat due meanwhile may have been sent, so the silence counts from the interval that the sender was given.
    const missed = { kind: 'missed', dueAt: 61 * minute, lookAt: null } as const;
    assert.deepEqual(judgeSilence(restarted, 63 * minute), missed);
  });

  it('counts a silence that began before it could not receive any from then on', () => {
    const later = { ...restarted, listeningGaps: [{ fromAt: 12 * minute, toAt: 60 * minute }] };
    assert.deepEqual(judgeSilence(later, 70 * minute), { kind: 'missed', dueAt, lookAt: null });
  });
  it('does not shorten what is left of a grace', () => {
    const early: PushMonitorState = {
      ...pushMonitorState,
      listeningGaps: [{ fromAt: 10 * minute, toAt: 10.5 * minute }],
    };
    assert.deepEqual(judgeSilence(early, 11.5 * minute), { kind: 'late', dueAt, lookAt: 13 * minute });
  });
  it('waits at most half an hour, so that restarts never hide an outage of a daily job', () => {
    const day = 1440 * minute;
    const daily: PushMonitorState = {
      ...pushMonitorState,
      schedule: { kind: 'interval', intervalMs: day },
      listeningGaps: [{ fromAt: day, toAt: 3 * day }],
    };
    assert.equal(judgeSilence(daily, 3 * day + 29 * minute).kind, 'on_time');
    assert.equal(judgeSilence(daily, 3 * day + 30 * minute).kind, 'missed');
    const planned: PushMonitorState = {
      ...daily,
      schedule: { kind: 'schedule', dueAt: 2 * day, nextAfter: () => 4 * day },
    };
    assert.equal(judgeSilence(planned, 3 * day + 29 * minute).kind, 'on_time');
    assert.equal(judgeSilence(planned, 3 * day + 30 * minute).kind, 'missed');
  });
});

describe('patience for what fell due while this node was not listening', () => {
  const second = 1000;
  const gap = (fromAt: number, toAt: number) => ({ fromAt, toAt });
  const missedAt = (parts: Partial<PushMonitorState>): number => {
    const given: PushMonitorState = { ...pushMonitorState, ...parts };
    let at = dueAt;
    for (let looks = 0; looks < 1000; looks += 1) {
      const { kind, lookAt } = judgeSilence(given, at);
      if (kind === 'missed') return at;
      assert.ok(lookAt !== null && lookAt > at, 'looks ahead');
      at = lookAt;
    }
    throw new Error('it is never missed');
  };

  it('is none for a heartbeat that falls due later', () => {
    assert.equal(missedAt({ listeningGaps: [gap(0, dueAt - second)] }), 13 * minute);
  });
  it('is the length of the gap and the grace, from its end on', () => {
    const listeningGaps = [gap(dueAt - second, dueAt + second)];
    assert.equal(missedAt({ graceMs: 0, listeningGaps }), dueAt + 3 * second);
    assert.equal(missedAt({ graceMs: 30 * second, listeningGaps }), dueAt + 33 * second);
  });
  it('is at least a second, for what waits in the sockets', () => {
    assert.equal(missedAt({ graceMs: 0, listeningGaps: [gap(dueAt - 100, dueAt + 100)] }), dueAt + 1100);
  });
  it('adds the length of a gap within the grace, and nothing after it', () => {
    assert.equal(missedAt({ listeningGaps: [gap(12 * minute, 12.5 * minute)] }), 13.5 * minute);
    assert.equal(missedAt({ listeningGaps: [gap(14 * minute, 15 * minute)] }), 13 * minute);
  });
  it('is given once: later gaps add no more than their own length', () => {
    const short = Array.from({ length: 50 }, (_, n) =>
      gap(dueAt + n * 16 * second, dueAt + (n * 16 + 2) * second),
    );
    const at = missedAt({ listeningGaps: short });
    assert.ok(at <= 13 * minute + 25 * second, `${(at - dueAt) / second} s`);
  });
  it('ends with the next instant of a plan that this node listened for', () => {
    const rhythm: PushMonitorState['schedule'] = {
      kind: 'schedule',
      dueAt,
      nextAfter: (at) => (Math.floor(at / minute) + 1) * minute,
    };
    const listeningGaps = [gap(dueAt - second, dueAt + 10 * minute)];
    assert.equal(
      missedAt({ schedule: rhythm, graceMs: 6 * second, listeningGaps }),
      dueAt + 11 * minute + 6 * second,
    );
  });
});

describe('gaps in listening', () => {
  const gap = (fromAt: number, toAt: number) => ({ fromAt, toAt });

  it('are in order, those that touch are one, and an empty one is none', () => {
    assert.deepEqual(withGap([gap(10, 20), gap(30, 40)], gap(15, 30)), [gap(10, 40)]);
    assert.deepEqual(withGap([gap(10, 20)], gap(1, 2)), [gap(1, 2), gap(10, 20)]);
    assert.deepEqual(withGap([gap(10, 20)], gap(25, 25)), [gap(10, 20)]);
  });
  it('are bounded: the oldest are forgotten', () => {
    const many = Array.from({ length: 300 }, (_, n) => gap(n * 10, n * 10 + 1));
    const kept = many.reduce((gaps: readonly ListeningGap[], each) => withGap(gaps, each), []);
    assert.equal(kept.length, 100);
    assert.deepEqual(kept.at(-1), gap(2990, 2991));
  });
  it('are read as far as they can be, and never from the future', () => {
    assert.deepEqual(readGaps([[1, 2], 'x', [3], [5, 90], [100, 200]], 50), [gap(1, 2), gap(5, 50)]);
    assert.deepEqual(readGaps(null, 50), []);
  });
});

/** The statuses shown, minute by minute, of a sender that says these things in these minutes. */
function shownBy(
  says: Readonly<Record<number, HeartbeatStatus>>,
  { minutes, policy }: { readonly minutes: number; readonly policy?: Partial<CheckPolicy> },
): string {
  const given: CheckPolicy = {
    failThreshold: 3,
    recoverThreshold: 1,
    degradedOverMs: null,
    forgetAfterMs: null,
    ...policy,
  };
  let state = freshState;
  let lastHeardAt: number | null = null;
  let shown = '';
  const feed = (sample: ConfirmSample) => {
    state = confirm(state, sample, given).state;
  };
  for (let now = 0; now < minutes; now++) {
    const at = now * minute;
    const said = says[now];
    if (said !== undefined) {
      feed(heartbeatSample(said, at, null));
      lastHeardAt = at;
    } else {
      const sample = silenceSample(judgeSilence({ ...pushMonitorState, lastHeardAt }, at), at);
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
  it('that never sends is unknown, then down', () => {
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
