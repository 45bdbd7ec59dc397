/** Finds what a test cannot mean, though every word of it is right. */
import type { Config } from '../../../engine/config/config.ts';
import { failure, type ConfigFinding } from '../../../engine/config/finding.ts';
import type { Path } from '../../../engine/config/types/value.ts';
import type { Series } from './series.ts';
import type { TestDraft } from './test-file.ts';
import { offsetText } from './times.ts';

/** `configs`: all that are in force at some time of the test. */
export function senseless(draft: TestDraft, configs: readonly Config[]): readonly ConfigFinding[] {
  const monitors = configs.flatMap((config) => config.monitors);
  const ofSeries = Object.entries(draft.series).flatMap(([id, series]): readonly ConfigFinding[] => {
    const own = monitors.filter((monitor) => monitor.id === id);
    const path = [...draft.path, 'series', id];
    if (own.length === 0) return [];
    if (own.every(({ kind }) => kind === 'push')) return inPush(series, path);
    return own.every(({ degraded_over_ms }) => degraded_over_ms === null) ? inFast(series, path) : [];
  });
  return [...ofSeries, ...afterEnd(draft)];
}

function inPush(series: Series, path: Path): readonly ConfigFinding[] {
  const word = series
    .map((stretch) => stretch.word.name)
    .find((name) => name === 'timeout' || name === 'unknown');
  const hint = 'nobody asks a push monitor: write - for no heartbeat';
  return word === undefined ? [] : [failure(path, `says ${word}`, hint)];
}

function inFast(series: Series, path: Path): readonly ConfigFinding[] {
  const hint = 'without degraded_over_ms the monitor is never slow; degraded is a warning of its own';
  return series.some(({ word }) => word.name === 'slow') ? [failure(path, 'says slow', hint)] : [];
}

function afterEnd({ untilMs, events, expectations }: TestDraft): readonly ConfigFinding[] {
  if (untilMs === null) return [];
  const times = [
    ...events.map(({ atMs, path }) => ({ atMs, path })),
    ...expectations.map((each) => ({
      atMs: each.kind === 'state' ? each.atMs : each.fromMs,
      path: each.path,
    })),
  ];
  return times
    .filter(({ atMs }) => atMs > untilMs)
    .map(({ path }) =>
      failure(path, 'comes after the end of the test', `which is at ${offsetText(untilMs)}, by its until`),
    );
}
