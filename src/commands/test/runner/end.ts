/** Decides when a test is over. */
import type { Scenario } from './scenario.ts';
import { longestMs } from '../format/times.ts';
import type { Test } from '../format/test-file.ts';

/** After the last thing a test names, whatever is still on its way comes out. */
const afterMs = 600_000;

export function endOf(test: Test, scenarios: Iterable<Scenario>): number {
  if (test.untilMs !== null) return test.untilMs;
  const named = [
    0,
    ...[...scenarios].map(({ settledMs }) => settledMs),
    ...test.events.map((event) => event.atMs + ('forMs' in event ? event.forMs : 0)),
    ...test.expectations.map((each) => (each.kind === 'state' ? each.atMs : finite(each))),
  ];
  const waits = [test.config, ...test.reloads.values()].map(({ alerts }) => alerts.group_window_secs * 1000);
  return Math.min(longestMs, withMaintenance(test, Math.max(...named)) + Math.max(...waits) + afterMs);
}

function finite({ fromMs, toMs }: { readonly fromMs: number; readonly toMs: number }): number {
  return toMs === Infinity ? fromMs : toMs;
}

/** A window that begins before the end holds messages back until it is over. */
function withMaintenance({ config, startAt }: Test, endMs: number): number {
  return config.maintenance
    .toSorted((a, b) => a.start - b.start)
    .reduce(
      (latest, { start, end }) =>
        start - startAt <= latest && end > startAt ? Math.max(latest, end - startAt) : latest,
      endMs,
    );
}
