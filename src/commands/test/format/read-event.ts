/** One table of [[tests.events]] to what happens. */
import { failure } from '../../../engine/config/finding.ts';
import { isTable, type Path } from '../../../engine/config/types/value.ts';
import { readKeys, type ReadKey } from './read-keys.ts';
import { eventsSection, type EventValues } from './rows.ts';
import type { TestEvent } from './test-file.ts';

const actions = ['silence', 'clear_silences', 'restart', 'reload', 'channel_fails'] as const;

export function readEvent(raw: unknown, path: Path): ReadKey<TestEvent> {
  const { values, findings } = readKeys<EventValues>(raw, path, eventsSection);
  if (findings.length > 0) return { found: [], findings };
  const given = actions.filter((action) => isTable(raw) && Object.hasOwn(raw, action));
  const atMs = values.at ?? 0;
  const refuse = (message: string, hint: string, key?: string): ReadKey<TestEvent> => ({
    found: [],
    findings: [failure(key === undefined ? path : [...path, key], message, hint)],
  });
  const [action] = given;
  if (action === undefined) return refuse('does nothing', `give it one of ${actions.join(', ')}`);
  if (given.length > 1) return refuse(`does ${given.join(' and ')}`, 'write an event for each');
  if (values[action] === false) return refuse('must be true', 'or remove it', action);
  const forMs = values.for ?? null;
  const needsFor = (): ReadKey<TestEvent> => refuse('needs a for', `for example for = "10m"`);
  const takesNoFor = (): ReadKey<TestEvent> => refuse(`does not go with ${action}`, 'remove it', 'for');
  const one = (event: TestEvent): ReadKey<TestEvent> => ({ found: [event], findings: [] });
  switch (action) {
    case 'silence': {
      const monitors = values.silence ?? [];
      if (forMs === null) return needsFor();
      return one({
        kind: 'silence',
        atMs,
        path,
        forMs,
        monitors: monitors.includes('all') ? null : monitors,
      });
    }
    case 'channel_fails':
      if (forMs === null) return needsFor();
      return one({ kind: 'channel_fails', atMs, path, forMs, channel: values.channel_fails ?? '' });
    case 'restart':
      return one({ kind: 'restart', atMs, path, forMs: forMs ?? 0 });
    case 'clear_silences':
      return forMs === null ? one({ kind: 'clear_silences', atMs, path }) : takesNoFor();
    case 'reload':
      return forMs === null
        ? one({ kind: 'reload', atMs, path, settings: values.reload ?? {} })
        : takesNoFor();
  }
}
