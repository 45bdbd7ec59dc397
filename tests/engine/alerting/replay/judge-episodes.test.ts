import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { graphOf } from '../../../../src/engine/core/graph.ts';
import { compareAlerts } from '../../../../src/engine/alerting/replay/compare.ts';
import {
  judgeEpisodes,
  type EpisodeOf,
  type AlertingRules,
} from '../../../../src/engine/alerting/replay/judge-episodes.ts';

const rules: AlertingRules = {
  graph: graphOf([
    { id: 'db', dependsOn: [] },
    { id: 'api', dependsOn: ['db'] },
    { id: 'web', dependsOn: ['api'] },
  ]),
  windows: [],
  windowMs: 30,
  isDegradedNotified: false,
  intervalMsOf: () => 30_000,
  channelsOf: () => ['ops'],
  followUp: {
    quieted: () => ({ kind: 'open' }),
    repeatMsOf: () => null,
    stepsOf: () => [],
    isUnrouted: () => false,
    acknowledgedAt: () => null,
    untilAt: 1_000_000,
  },
};
const down = (monitor: string, startedAt: number, endedAt: number | null): EpisodeOf => ({
  monitor,
  event: 'down',
  startedAt,
  confirmedAt: startedAt + 100,
  endedAt,
  checks: 3,
  unseenMs: 0,
});
const confirmed = (confirmedAt: number, episodeOf: EpisodeOf): EpisodeOf => ({ ...episodeOf, confirmedAt });
const fates = (episodeOf: readonly EpisodeOf[], changes: Partial<AlertingRules> = {}) =>
  judgeEpisodes(episodeOf, { ...rules, ...changes }).map(({ fate }) => fate);

describe('alerting on a replayed history', () => {
  it('alerts on what outlasts its window, also while it is still open', () => {
    assert.deepEqual(fates([down('db', 0, 129), down('db', 1000, 1130), down('db', 2000, null)]), [
      { kind: 'flap' },
      { kind: 'told', at: 1130 },
      { kind: 'told', at: 2130 },
    ]);
  });

  it('holds back under a window until it is over', () => {
    const windows = [{ title: 'Upgrade', startAt: 0, endAt: 500, monitors: ['api'] }];
    assert.deepEqual(fates([down('api', 0, 400), down('api', 300, 600)], { windows }), [
      { kind: 'muted', by: 'Upgrade' },
      { kind: 'told', at: 500 },
    ]);
  });

  it('folds into the upstream at the root, and alerts on what outlasts it', () => {
    const episodeOf = [down('db', 0, 1000), down('api', 10, 900), down('web', 20, 2000)];
    assert.deepEqual(fates(episodeOf), [
      { kind: 'told', at: 130 },
      { kind: 'folded', into: 'db' },
      { kind: 'told', at: 1030 },
    ]);
  });

  it('sends what a healthy monitor parts from the root, and what failed after the message about it left', () => {
    assert.deepEqual(fates([down('db', 0, 1000), down('web', 10, 3000)])[1], { kind: 'told', at: 140 });
    assert.deepEqual(fates([down('db', 0, 1000), down('api', 130, 900)])[1], { kind: 'folded', into: 'db' });
    assert.deepEqual(fates([down('db', 0, 1000), down('api', 131, 900)])[1], { kind: 'told', at: 261 });
  });

  it('sends a dependent of an upstream in a crash loop alone, at the limit', () => {
    const loop = Array.from({ length: 20 }, (_, turn) =>
      confirmed(turn * 30_000 + 10_000, down('db', turn * 30_000, turn * 30_000 + 25_000)),
    );
    const api = (endedAt: number | null) => confirmed(0, down('api', 0, endedAt));
    const windowMs = 20_000;
    assert.deepEqual(fates([api(null), ...loop], { windowMs })[0], { kind: 'told', at: 95_000 });
    assert.deepEqual(fates([api(90_000), ...loop], { windowMs })[0], { kind: 'told', at: 90_000 }, 'late');
    assert.ok(fates(loop, { windowMs }).every(({ kind }) => kind === 'flap'));
  });

  it('waits for an upstream that is failing and is confirmed later', () => {
    assert.deepEqual(fates([confirmed(200, down('db', 0, 1000)), confirmed(50, down('api', 0, 900))])[1], {
      kind: 'folded',
      into: 'db',
    });
  });

  it('sends what failed long before its upstream alone', () => {
    assert.deepEqual(fates([down('api', 0, 900), down('db', 500, 900)])[0], { kind: 'told', at: 130 });
  });

  it('folds on no channel without alerts of the upstream, and folds nothing without a window', () => {
    const episodeOf = [down('db', 0, 1000), down('api', 10, 900)];
    const channelsOf = (id: string) => (id === 'db' ? ['ops'] : ['ops', 'dev']);
    assert.equal(fates(episodeOf, { channelsOf })[1]?.kind, 'told');
    assert.equal(fates(episodeOf, { windowMs: 0 })[1]?.kind, 'told');
    assert.equal(fates(episodeOf, { channelsOf: () => [] })[0]?.kind, 'nobody_routed');
  });

  it('sends no degradation late', () => {
    const loop = Array.from({ length: 20 }, (_, turn) =>
      confirmed(turn * 30_000 + 10_000, down('db', turn * 30_000, turn * 30_000 + 25_000)),
    );
    const slow = { ...confirmed(0, down('api', 0, 90_000)), event: 'degraded' } as const;
    const [fate] = fates([slow, ...loop], { windowMs: 20_000, isDegradedNotified: true });
    assert.deepEqual(fate, { kind: 'folded', into: 'db' });
  });

  it('is part of an upstream that failed by the end of its window, at that very moment too', () => {
    const api = down('api', 0, 900);
    assert.deepEqual(fates([api, down('db', 130, 1000)])[0], { kind: 'folded', into: 'db' });
    assert.deepEqual(fates([api, down('db', 131, 1000)])[0], { kind: 'told', at: 130 });
    const windows = [{ title: 'Upgrade', startAt: 0, endAt: 500, monitors: ['api'] }];
    const later = fates([api, down('db', 390, 2000)], { windows })[0];
    assert.deepEqual(later, { kind: 'told', at: 500 }, 'a mute is no other window');
  });

  it('does not wait for an upstream that is over when its message is due', () => {
    const api = confirmed(90, down('api', 0, 900));
    assert.deepEqual(fates([api, down('db', 0, 130)])[0], { kind: 'told', at: 130 });
    assert.deepEqual(fates([api, down('db', 0, 129)])[0], { kind: 'told', at: 159 }, 'another window');
  });

  it('waits for no upstream that is confirmed already', () => {
    const channelsOf = (id: string) => (id === 'db' ? ['dev'] : ['ops']);
    const db = confirmed(130, down('db', 0, 1000));
    assert.deepEqual(fates([down('api', 0, 900), db], { channelsOf })[0], { kind: 'told', at: 130 });
  });

  it('takes no degradation of an upstream for an outage of it', () => {
    const slow = { ...down('db', 0, 1000), event: 'degraded' } as const;
    assert.deepEqual(fates([slow, down('api', 10, 900)])[1], { kind: 'told', at: 140 });
  });

  it('says what a mute of an upstream covers, and sends what outlasts it at its end', () => {
    const windows = [
      { title: 'Upgrade', startAt: 0, endAt: 500, monitors: ['db'] },
      { title: 'More', startAt: 500, endAt: 700, monitors: ['api'] },
    ];
    const long = down('api', 0, 700);
    assert.deepEqual(fates([long, down('api', 10, 699), down('db', 0, 600)], { windows }), [
      { kind: 'told', at: 700 },
      { kind: 'muted', by: 'More' },
      { kind: 'told', at: 500 },
    ]);
    const months = [{ title: 'Upgrade', startAt: 0, endAt: 1e9, monitors: ['db'] }];
    const db = down('db', 0, null);
    // The interval of the dependent, 30 s here, and a minute.
    assert.deepEqual(fates([down('api', 90_000, null), db], { windows: months })[0], {
      kind: 'told',
      at: 1e9,
    });
    assert.deepEqual(fates([down('api', 90_001, null), db], { windows: months })[0], {
      kind: 'told',
      at: 90_131,
    });
  });

  it('holds back a dependent for no longer than the limit, which a cover extends', () => {
    const db = confirmed(10_000_000, down('db', 0, null));
    const api = confirmed(0, down('api', 0, null));
    assert.deepEqual(fates([api, db])[0], { kind: 'told', at: 55_060 }, 'two windows and a minute');
    const sent = confirmed(0, down('db', 0, 200_000));
    const loop = Array.from({ length: 20 }, (_, turn) => {
      const startedAt = 200_000 + turn * 30_000;
      return confirmed(startedAt + 10_000, down('db', startedAt, startedAt + 25_000));
    });
    const [covered] = fates([api, sent, ...loop], { windowMs: 20_000 });
    assert.deepEqual(covered, { kind: 'told', at: 275_000 }, 'the message about it covered 180 s');
  });

  it('sends what quiet hours hold when they end, and says so where they drop it', () => {
    const quieted = (kind: 'hold' | 'drop') => ({
      followUp: {
        ...rules.followUp,
        quieted: () =>
          kind === 'drop' ? ({ kind } as const) : ({ kind, untilAt: 700, isDropping: true } as const),
      },
    });
    assert.deepEqual(fates([down('db', 0, 1000)], quieted('hold')), [{ kind: 'told', at: 700 }]);
    assert.deepEqual(fates([down('db', 0, 600)], quieted('hold')), [{ kind: 'quiet_hours' }]);
    assert.deepEqual(fates([down('db', 0, 1000)], quieted('drop')), [{ kind: 'quiet_hours' }]);
  });

  it('escalates an outage that is routed to nobody, once its window is over, and no degradation', () => {
    const steps = {
      channelsOf: () => [],
      isDegradedNotified: true,
      followUp: { ...rules.followUp, stepsOf: () => [{ afterMs: 50, channelsAt: () => ['boss'] }] },
    };
    const nobody = { kind: 'nobody_routed' };
    assert.deepEqual(fates([down('db', 0, 1000)], steps), [{ kind: 'told', at: 130 }]);
    assert.deepEqual(fates([down('db', 0, 131)], steps), [{ kind: 'told', at: 130 }]);
    assert.deepEqual(fates([down('db', 0, 130)], steps), [nobody], 'it is over by then');
    assert.deepEqual(fates([down('db', 0, null)], steps), [{ kind: 'told', at: 130 }]);
    assert.deepEqual(fates([{ ...down('db', 0, 1000), event: 'degraded' }], steps), [nobody]);
    const unrouted = { ...steps, followUp: { ...steps.followUp, isUnrouted: () => true } };
    assert.deepEqual(fates([down('db', 0, 1000)], unrouted), [{ kind: 'told', at: 180 }]);
  });

  it('is sent when one channel gets it, and else what becomes of it on the first one', () => {
    const episodes = [down('db', 0, 1000), down('api', 10, 900)];
    const channelsOf = (id: string) => (id === 'db' ? ['ops'] : ['ops', 'dev']);
    const [, api] = judgeEpisodes(episodes, { ...rules, channelsOf });
    assert.deepEqual(api?.calls, [{ channel: 'dev', at: 140, heldMs: 0, step: 0 }]);
    const [flap] = judgeEpisodes([down('db', 0, 110)], rules);
    assert.deepEqual([flap?.fate, flap?.calls, flap?.reminders], [{ kind: 'flap' }, [], 0]);
    const routes: unknown[] = [];
    judgeEpisodes([down('db', 0, 1000)], {
      ...rules,
      channelsOf: (...asked) => {
        routes.push(asked);
        return [];
      },
    });
    assert.deepEqual(routes, [['db', 130, 'down']], 'routed as it is when the alert is due');
  });

  it('alerts on degradations only with alert_on_degraded', () => {
    const slow = { ...down('db', 0, 1000), event: 'degraded' } as const;
    assert.equal(fates([slow])[0]?.kind, 'degraded_not_told');
    assert.equal(fates([slow], { isDegradedNotified: true })[0]?.kind, 'told');
  });
});

describe('comparing the alerts of two configurations', () => {
  const judged = (episodeOf: readonly EpisodeOf[], changes: Partial<AlertingRules> = {}) =>
    judgeEpisodes(episodeOf, { ...rules, ...changes });
  const words = (now: readonly EpisodeOf[], then: readonly EpisodeOf[]) =>
    compareAlerts(judged(now), judged(then)).map(({ notified, now: a, then: b }) => [
      notified,
      a?.fate.kind ?? null,
      b?.fate.kind ?? null,
    ]);

  it('takes two alerts of one time for one, however they differ', () => {
    assert.deepEqual(words([down('db', 0, 1000)], [confirmed(500, down('db', 0, 1000))]), [
      ['both', 'told', 'told'],
    ]);
  });

  it('names what the other side made of it: nothing, a flap', () => {
    assert.deepEqual(
      words([down('db', 0, 1000), down('db', 2000, 2200)], [confirmed(2190, down('db', 2000, 2200))]),
      [
        ['now', 'told', null],
        ['now', 'told', 'flap'],
      ],
    );
    assert.deepEqual(words([], [down('db', 0, 1000)]), [['then', null, 'told']]);
  });

  it('pairs each alert once when two became one', () => {
    assert.deepEqual(words([down('db', 0, 400), down('db', 500, 900)], [down('db', 0, 900)]), [
      ['both', 'told', 'told'],
      ['now', 'told', 'told'],
    ]);
  });

  it('does not take a degradation for an outage', () => {
    const slow = { ...down('db', 0, 1000), event: 'degraded' } as const;
    const now = judged([slow], { isDegradedNotified: true });
    assert.deepEqual(
      compareAlerts(now, judged([down('db', 0, 1000)])).map(({ notified }) => notified),
      ['now', 'then'],
    );
  });
});
