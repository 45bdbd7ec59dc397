/** Finds names in a test that its configurations do not have. */
import type { Config } from '../../../engine/config/config.ts';
import { failure, type ConfigFinding } from '../../../engine/config/finding.ts';
import type { Path } from '../../../engine/config/types/value.ts';
import { nearest } from '../../../engine/core/nearest.ts';
import type { TestDraft } from './test-file.ts';

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

interface Known {
  readonly known: readonly string[];
  readonly path: Path;
}

function unknownIn(
  what: 'monitor' | 'channel',
  name: string | null,
  { known, path }: Known,
): readonly ConfigFinding[] {
  if (name === null || known.includes(name)) return [];
  const guess = nearest(name, known);
  const all = [...new Set(known)];
  const list = all.length > 8 || all.length === 0 ? null : `there is ${all.join(', ')}`;
  const message = `names ${what === 'monitor' ? 'a monitor' : 'a channel'} that the configuration does not have`;
  return [failure(path, message, guess === null ? list : `did you mean ${guess}?`)];
}
