/** The report of a month has what was recorded in it, and nothing of the months beside it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { monitors } from '../../../src/db/tables/monitors.ts';
import { samples } from '../../../src/db/tables/samples.ts';
import { createFigures } from '../../../src/serve/scope/figures.ts';
import { readReport } from '../../../src/serve/scope/report.ts';
import { load } from '../../support/config.ts';
import { openFacts } from '../../support/facts.ts';

const minuteMs = 60_000;
const { config } = await load('[[monitors]]\nid = "api"\ntarget = "http://127.0.0.1/"');

/** An hour of checks; so many minutes of it down. */
const hourOf = (fromAt: number, down: number) =>
  samples.addHistory(
    'api',
    Array.from({ length: 60 }, (_, minute) => ({
      at: fromAt + minute * minuteMs,
      status: minute < down ? ('down' as const) : ('up' as const),
      latencyMs: 20,
      holdSecs: 60,
      isHeartbeat: false,
    })),
  );

const hourMs = 60 * minuteMs;
const [february, march] = [Date.UTC(2026, 1, 1), Date.UTC(2026, 2, 1)];

/** Uptimes of three months, in ten-thousandths. */
async function uptimesAt(nowAt: number) {
  const facts = await openFacts();
  facts.apply(
    monitors.see({ id: 'api', name: 'api', at: february - hourMs }),
    ...hourOf(february - hourMs, 60),
    ...hourOf(february, 0),
    ...hourOf(march - hourMs, 30),
    ...hourOf(march, 60),
  );
  const sources = { store: facts, figures: createFigures(facts, () => config) };
  const visible = config.monitors;
  const known = new Map(visible.map((monitor) => [monitor.id, monitor]));
  const reader = {
    isTrusted: true,
    isVisible: () => true,
    hasDetail: () => true,
    isCritical: () => false,
    nowAt,
  };
  const asked = { config, visible, known, reader, blindSinceAt: null, mayShowRemoved: () => true };
  return ['2026-01', '2026-02', '2026-03'].map((month) => {
    const groups = readReport(sources, asked, { month })?.report.groups ?? [];
    return groups.flatMap(({ rows }) => rows.map(({ uptime }) => uptime));
  });
}

describe('the report of a month', () => {
  const expected = [[0], [7500], [0]];

  it('has its own days, while the bars of the page have those before and after it as well', async () => {
    assert.deepEqual(await uptimesAt(march + 4 * 24 * hourMs), expected);
  });

  it('has the same when the bars begin within it, and when it is long past', async () => {
    for (const days of [70, 89, 90, 95, 120, 300])
      assert.deepEqual(await uptimesAt(march + days * 24 * hourMs), expected, `${days} days later`);
  });
});
