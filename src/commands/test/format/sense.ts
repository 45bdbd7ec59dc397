/** Finds contradictions in a test, and names that the configuration does not have. */
import type { Config } from '../../../engine/config/config.ts';
import { type ConfigFinding, failure } from '../../../engine/config/finding.ts';
import type { Path } from '../../../engine/config/types/value.ts';
import type { Series } from './series.ts';
import type { TestDraft } from './test-file.ts';
import { offsetText } from './times.ts';
import { nearest } from '../../../engine/core/nearest.ts';

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

/** `configs`: all that are in force at some time of the test. */
export function unknownNames(draft: TestDraft, configs: readonly Config[]): readonly ConfigFinding[] {
  const monitors = configs.flatMap((config) => config.monitors.map(({ id }) => id));
  const channels = configs.flatMap((config) => config.channels.map(({ name }) => name));
  const monitor = (id: string | null, path: Path) => unknownIn('monitor', id, { known: monitors, path });
  const channel = (name: string | null, path: Path) => unknownIn('channel', name, { known: channels, path });
  return [
    ...Object.keys(draft.series).flatMap((id) => monitor(id, [...draft.path, 'series', id])),
    ...draft.events.flatMap((event): readonly ConfigFinding[] => {
      switch (event.kind) {
        case 'silence':
          return (event.monitors ?? []).flatMap((id) => monitor(id, [...event.path, 'silence']));
        case 'acknowledge':
          return monitor(event.monitor, [...event.path, 'acknowledge']);
        case 'channel_fails':
          return channel(event.channel, [...event.path, 'channel_fails']);
        case 'clear_silences':
        case 'restart':
        case 'reload':
          return [];
      }
    }),
    ...draft.expectations.flatMap((expectation): readonly ConfigFinding[] => {
      const { path } = expectation;
      const about = monitor(expectation.monitor, [...path, 'monitor']);
      switch (expectation.kind) {
        case 'message':
          return [
            ...about,
            ...channel(expectation.channel, [...path, 'channel']),
            ...monitor(expectation.cause, [...path, 'cause']),
            ...(expectation.impacted ?? []).flatMap((id) => monitor(id, [...path, 'impacted'])),
          ];
        case 'nothing':
          return [
            ...about,
            ...(expectation.channels ?? []).flatMap((name) => channel(name, [...path, 'channel'])),
          ];
        case 'state':
          return about;
      }
    }),
  ];
}

interface KnownNames {
  readonly known: readonly string[];
  readonly path: Path;
}

function unknownIn(
  what: 'monitor' | 'channel',
  name: string | null,
  { known, path }: KnownNames,
): readonly ConfigFinding[] {
  if (name === null || known.includes(name)) return [];
  const guess = nearest(name, known);
  const all = [...new Set(known)];
  const list = all.length > 8 || all.length === 0 ? null : `there is ${all.join(', ')}`;
  const message = `names ${what === 'monitor' ? 'a monitor' : 'a channel'} that the configuration does not have`;
  return [failure(path, message, guess === null ? list : `did you mean ${guess}?`)];
}
