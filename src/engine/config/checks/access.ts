/** Who may see what: private monitors, groups and their tokens. */
import type { Draft } from '../draft.ts';
import { failure, quote, warning, type Finding } from '../finding.ts';

export function* checkAccess({ monitors, server }: Draft): Generator<Finding> {
  if (server.auth_token === null) {
    for (const [index, monitor] of monitors.entries()) {
      if (monitor.public !== false) continue;
      const message = 'needs server.auth_token: without it nobody could see the monitor';
      yield failure(
        ['monitors', index, 'public'],
        message,
        'set auth_token in [server], or remove public = false',
      );
    }
  }
  const groups = new Set(monitors.map(({ group }) => group));
  for (const group of Object.keys(server.group_tokens ?? {})) {
    if (groups.has(group)) continue;
    yield warning(
      ['server', 'group_tokens', group],
      `is a token for no group: no monitor is in ${quote(group)}`,
      'is it misspelt?',
    );
  }
}
