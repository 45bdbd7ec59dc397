/** Who may see what: private monitors, groups and their tokens. */
import type { ConfigDraft } from '../draft.ts';
import { failure, quote, warning, type ConfigFinding } from '../finding.ts';
import type { Secret } from '../secret.ts';

export function* checkAccess({ monitors, server }: ConfigDraft): Generator<ConfigFinding> {
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
  yield* checkBearer(['server', 'auth_token'], server.auth_token);
  const groups = new Set(monitors.map(({ group }) => group));
  for (const group of Object.keys(server.group_tokens ?? {})) {
    if (groups.has(group)) continue;
    yield warning(
      ['server', 'group_tokens', group],
      `is a token for no group: no monitor is in ${quote(group)}`,
      'is it misspelt?',
    );
  }
  for (const [group, token] of Object.entries(server.group_tokens ?? {}))
    yield* checkBearer(['server', 'group_tokens', group], token);
}

/** A header carries visible ASCII only, and a blank ends the token. */
function* checkBearer(path: readonly string[], token: Secret | null | undefined): Generator<ConfigFinding> {
  if (token === null || token === undefined || /^[!-~]*$/.test(token.reveal())) return;
  yield warning(
    path,
    'holds a character that a header cannot carry: it works as ?token= only',
    'use letters, digits and signs of ASCII, without blanks',
  );
}
