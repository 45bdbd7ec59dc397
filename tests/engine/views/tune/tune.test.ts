import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseConfig } from '../../../../src/engine/config/load.ts';
import { graphOf } from '../../../../src/engine/core/graph.ts';
import type { SampleHistory } from '../../../../src/engine/core/sample-history.ts';
import { spansLeftOut } from '../../../../src/engine/views/tune/left-out.ts';
import { tuneMonitor } from '../../../../src/engine/views/tune/tune.ts';
import { limitWhy, thresholdWhy } from '../../../../src/engine/views/tune/words.ts';
import { historyOf, policy } from '../../alerting/replay/letters.ts';

const { config } = await parseConfig(
  `
[[monitors]]
id = "api"
target = "http://127.0.0.1:1/"
depends_on = ["db"]
[[monitors]]
id = "db"
kind = "tcp"
target = "127.0.0.1:1"
[[monitors]]
id = "job"
kind = "push"
push_token = "a-token-for-the-tests"
interval_secs = 60
grace_secs = 60
`,
  { file: 'statusd.toml', env: {}, readFile: () => Promise.reject(new Error('none')) },
);

const tune = (id: string, history: SampleHistory, changes: Partial<typeof policy> = {}) =>
  tuneMonitor({
    monitor: config.monitors.find((monitor) => monitor.id === id) ?? assert.fail(),
    policy: { ...policy, ...changes },
    holdMs: 82_000,
    windowMs: 30_000,
    isDegradedNotified: false,
    history,
    leftOut: 0,
    askedMs: 7 * 86_400_000,
  });

const week = 'u1000 f4 u1000 f4 u2000 f4 u1000 f20 u3000 f3 u1500';

describe('tuning a monitor', () => {
  it('recommends, says why, and what it would have meant', () => {
    const tuning = tune('api', historyOf(week), { degradedOverMs: null });
    assert.deepEqual(tuning.threshold, { now: 3, then: 5, reason: 'quieter' });
    assert.deepEqual([tuning.now.alerts, tuning.then.alerts, tuning.outages], [5, 1, 1]);
    assert.equal(
      thresholdWhy(tuning),
      '4 of 5 alerts were flaps; none would be left, and every outage is kept.',
    );
    const of = (counts: object) => ({ ...tuning, now: { ...tuning.now, ...counts } });
    assert.match(thresholdWhy(of({ flaps: 1 })), /^1 of 5 alerts was a flap; none /);
    assert.match(thresholdWhy(of({ flaps: 1, alerts: 1 })), /^1 of 1 alert was a flap; none /);
    const keeps = {
      ...of({ kept: 1 }),
      threshold: { ...tuning.threshold, reason: 'keeps_outages' },
    } as const;
    assert.match(thresholdWhy(keeps), /^1 of 1 real outage is notified now; 1 would be\.$/);
    assert.deepEqual([tuning.limit.thenMs, tuning.limit.reason], [130, 'none_set']);
    assert.match(limitWhy(tuning), /99\.5 % of the answers take at most 100 ms/);
    assert.deepEqual(tuning.notes, [
      'A degraded monitor is shown, but notifies nobody: alert_on_degraded is off.',
      'Counted on its own: what would be folded into an outage of db is counted too.',
    ]);
  });

  it('recommends nothing from too little history, and says so', () => {
    const tuning = tune('db', historyOf('u1000 f4 u1000 f4 u1000'));
    assert.equal(tuning.isEnough, false);
    assert.deepEqual(tuning.threshold, { now: 3, then: 3, reason: 'too_little' });
    assert.deepEqual([tuning.limit.thenMs, tuning.limit.reason], [500, 'too_little']);
    assert.match(tuning.notes.join(' '), /It was watched for 2d 2h, 29 % of the time asked for\./);
    assert.deepEqual(tune('db', historyOf('')).notes, []);
  });

  it('mentions the grace of a push monitor, whose threshold does not matter', () => {
    const { threshold, notes } = tune('job', historyOf('u5000 l m u5000 l m m u'));
    assert.deepEqual(threshold, { now: 3, then: 3, reason: 'push' });
    assert.match(notes[0] ?? '', /when grace_secs \(60\) is over/);
    assert.match(notes[1] ?? '', /^2 heartbeats came within 5m .*: grace_secs = 180 would have waited\.$/);
  });

  it('names the recover_threshold for what comes and goes', () => {
    const comesAndGoes = 'u4000 f20 u1 f20 u1 f20 u2 f20 u5000';
    const { notes } = tune('db', historyOf(comesAndGoes));
    assert.match(
      notes.join(' '),
      /3 alerts came within 15m of a recovery; recover_threshold = 2 would leave 1/,
    );
  });

  it('says of outages what no threshold detects', () => {
    const { notes } = tuneMonitor({
      monitor: config.monitors[1] ?? assert.fail(),
      policy,
      holdMs: 82_000,
      windowMs: 3_600_000,
      isDegradedNotified: true,
      history: historyOf('u5000 f20 u5000'),
      leftOut: 1,
      askedMs: 7 * 86_400_000,
    });
    assert.deepEqual(notes, [
      'One real outage would be sent under no threshold: group_window_secs is longer.',
      'One sample under maintenance or a silence left out.',
    ]);
  });
});

describe('what is left out', () => {
  const graph = graphOf([
    { id: 'db', dependsOn: [] },
    { id: 'api', dependsOn: ['db'] },
  ]);
  const maintenance = [
    { title: 'all', startAt: 1, endAt: 2, monitors: [] },
    { title: 'db', startAt: 3, endAt: 4, monitors: ['db'] },
    { title: 'api', startAt: 5, endAt: 6, monitors: ['api'] },
  ];
  const silences = [
    { monitors: ['api'], createdAt: 7, untilAt: 8 },
    { monitors: null, createdAt: 9, untilAt: 10 },
  ];

  it('is what a window or a silence covers, over an upstream too', () => {
    const starts = (id: string) =>
      spansLeftOut(id, { maintenance, silences, graph }).map(({ fromAt }) => fromAt);
    assert.deepEqual(starts('api'), [1, 3, 5, 7, 9]);
    assert.deepEqual(starts('db'), [1, 3, 9]);
  });
});
