import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { comparisonText, type Comparison } from '../../../src/commands/replay/render.ts';
import { compareAlerts } from '../../../src/engine/alerting/replay/compare.ts';
import type { AlertOutcome, JudgedEpisode } from '../../../src/engine/alerting/replay/judge-episodes.ts';
import { assertGolden } from '../../support/golden.ts';
import { outputOf } from '../../support/sheet.ts';

const startAt = Date.UTC(2026, 10, 1);
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

const alert = (
  hour: number,
  fate: AlertOutcome['kind'] | 'late',
  event: JudgedEpisode['event'] = 'down',
): JudgedEpisode => {
  const startedAt = startAt + hour * hourMs;
  const at = startedAt + (fate === 'late' ? 4.5 : 2.5) * minuteMs;
  const fates: Readonly<Record<typeof fate, AlertOutcome>> = {
    told: { kind: 'told', at },
    late: { kind: 'told', at },
    flap: { kind: 'flap' },
    muted: { kind: 'muted', by: 'Upgrade of the\u202e rack' },
    folded: { kind: 'folded', into: 'db' },
    quiet_hours: { kind: 'quiet_hours' },
    nobody_routed: { kind: 'nobody_routed' },
    degraded_not_told: { kind: 'degraded_not_told' },
  };
  const endedAt = hour === 40 ? null : startedAt + 20 * minuteMs;
  const confirmedAt = startedAt + 2 * minuteMs;
  return {
    monitor: 'api',
    event,
    startedAt,
    confirmedAt,
    endedAt,
    checks: 9,
    unseenMs: 0,
    fate: fates[fate],
    calls: [],
    reminders: 0,
  };
};

const comparison: Comparison = {
  fromAt: startAt,
  toAt: startAt + 48 * hourMs,
  files: { now: 'statusd.toml', then: 'other.toml' },
  samples: 9000,
  monitors: [
    {
      id: 'api',
      alerts: compareAlerts(
        [0, 4, 8, 12, 16, 20, 40].map((hour) => alert(hour, 'told')),
        [
          alert(0, 'late'),
          alert(8, 'flap'),
          alert(12, 'muted'),
          alert(16, 'folded'),
          alert(20, 'nobody_routed'),
          alert(30, 'told', 'degraded'),
        ],
      ),
    },
    {
      id: 'noisy',
      alerts: compareAlerts(
        [],
        Array.from({ length: 25 }, (_, hour) => alert(hour, 'told')),
      ),
    },
    { id: 'quiet', alerts: [] },
  ],
  renames: [{ from: 'mail', to: 'mail-in' }],
  onlyNow: ['gone'],
  onlyThen: ['new-one', 'newer-one'],
  notReplayed: [{ id: 'api', keys: ['interval_secs', 'target'] }],
};

describe('what replay prints', () => {
  it('shows the difference, the decisions of each side, and what is not replayed', () => {
    for (const columns of [80, 200]) {
      const text = comparisonText(comparison, { isQuiet: false }, outputOf({ columns, isColoured: false }));
      assertGolden(new URL(`golden/comparison-${columns}.txt`, import.meta.url), text);
    }
    const text = comparisonText(comparison, { isQuiet: false }, outputOf({ columns: 100, isColoured: true }));
    assertGolden(new URL('golden/comparison-colour.txt', import.meta.url), text);
  });

  it('says what quiet hours hold back, on the side that has them', () => {
    const held = (hour: number, heldMs: number) => ({
      ...alert(hour, 'told'),
      calls: [{ channel: 'ops', at: startAt + hour * hourMs + heldMs, heldMs, step: 0 }],
    });
    const hours = [0, 4, 8];
    const alerts = compareAlerts(
      hours.map((hour) => held(hour, 0)),
      hours.map((hour) => held(hour, hour * hourMs)),
    );
    const text = comparisonText(
      { ...comparison, monitors: [{ id: 'api', alerts }] },
      { isQuiet: false },
      outputOf({ columns: 200, isColoured: false }),
    );
    const line = text.replaceAll(/\s+/g, ' ');
    assert.match(
      line,
      /same 3 outage alerts\. other\.toml holds 2 messages back in quiet hours, for up to 8h\. /,
    );
    assert.doesNotMatch(line, /statusd\.toml holds/);
  });

  it('is only the lists when it should be quiet', () => {
    const text = comparisonText(comparison, { isQuiet: true }, outputOf({ columns: 80, isColoured: false }));
    assert.match(text, /^Sent under statusd\.toml only:/);
    assert.ok(!text.includes('Not replayed'));
  });
});
