/** Two configurations side by side: which alerts both send, and which only one of them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compareAlerts } from '../../../../src/engine/alerting/replay/compare.ts';
import type { AlertOutcome, JudgedEpisode } from '../../../../src/engine/alerting/replay/judge-episodes.ts';

const episode = (
  startedAt: number,
  endedAt: number | null,
  changes: Partial<JudgedEpisode> = {},
): JudgedEpisode => ({
  monitor: 'db',
  event: 'down',
  startedAt,
  confirmedAt: startedAt,
  endedAt,
  checks: 1,
  unseenMs: 0,
  fate: { kind: 'told', at: startedAt },
  calls: [],
  reminders: 0,
  ...changes,
});
const flap: { readonly fate: AlertOutcome } = { fate: { kind: 'flap' } };
const words = (now: readonly JudgedEpisode[], then: readonly JudgedEpisode[]) =>
  compareAlerts(now, then).map(({ notified, now: a, then: b }) =>
    [notified, a?.startedAt ?? 'none', b?.startedAt ?? 'none'].join(' '),
  );

describe('the alerts of two configurations', () => {
  it('are one where they were open at the same time, and two where one follows the other', () => {
    assert.deepEqual(words([episode(0, 100)], [episode(99, 200)]), ['both 0 99']);
    assert.deepEqual(words([episode(0, 100)], [episode(100, 200)]), ['now 0 none', 'then none 100']);
    assert.deepEqual(words([episode(100, 200)], [episode(0, 100)]), ['then none 0', 'now 100 none']);
    assert.deepEqual(words([episode(0, null)], [episode(900, null)]), ['both 0 900'], 'both are open still');
  });

  it('name what the other side made of the same time, whichever side it is', () => {
    assert.deepEqual(words([episode(0, 100)], [episode(10, 20, flap)]), ['now 0 10']);
    assert.deepEqual(words([episode(10, 20, flap)], [episode(0, 100)]), ['then 10 0']);
    assert.deepEqual(words([episode(10, 20, flap)], [episode(10, 20, flap)]), [], 'neither sends it');
  });

  it('are matched one to one, each with the first that is not taken', () => {
    const both = [episode(0, 100), episode(200, 300)];
    assert.deepEqual(words(both, both), ['both 0 0', 'both 200 200']);
    assert.deepEqual(words([episode(0, 300)], both), ['both 0 0', 'then 0 200']);
  });

  it('are in the order in which they began, on whichever side', () => {
    const now = [episode(500, 600), episode(100, 150)];
    const then = [episode(300, 310), episode(105, 120)];
    assert.deepEqual(words(now, then), ['both 100 105', 'then none 300', 'now 500 none']);
  });

  it('are of one event', () => {
    assert.deepEqual(words([episode(0, 100, { event: 'degraded' })], [episode(50, 100)]), [
      'now 0 none',
      'then none 50',
    ]);
  });
});
