import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { openWorld, startAt } from '../world.ts';

const config = `
[[monitors]]
id = "web"
name = "The web"
target = "https://example.com"
`;

const minute = 60_000;

/** A world in which the web could not be checked for a while, and cannot be now. */
async function openBlocked() {
  const world = await openWorld(config);
  const unchecked = (uid: string, startedAt: number) =>
    incidents.open({
      uid,
      monitor: 'web',
      name: 'The web',
      startedAt,
      confirmedAt: startedAt + minute,
      category: 'own_fault',
      reason: 'no name server answered for secret.example (ETIMEOUT)',
      cause: null,
      impacted: [],
      snapshot: null,
      vantage: null,
      ownFault: 'resolver',
    });
  await world.store.write([
    unchecked('past', startAt - 60 * minute),
    incidents.close({ uid: 'past', endedAt: startAt - 50 * minute }),
    unchecked('open', startAt - 5 * minute),
  ]);
  return world;
}

const asText = { headers: { accept: 'text/plain', 'user-agent': 'curl/8' } };
const asPage = { headers: { accept: 'text/html' } };

describe('a monitor that cannot be checked', () => {
  it('is shown as that everywhere, never as down, and the public does not see why', async () => {
    const world = await openBlocked();
    try {
      const shown = {
        page: (await world.ask('/', asPage)).text,
        history: (await world.ask('/history', asPage)).text,
        text: (await world.ask('/', asText)).text,
        past: (await world.ask('/history', asText)).text,
        feed: (await world.ask('/history.atom')).text,
        summary: (await world.ask('/api/summary')).text,
      };
      assert.match(shown.page, /<bdi>The web<\/bdi> cannot be checked<\/a><\/h3>/);
      assert.match(shown.history, /could not be checked<\/a>.*lasted 10 min/);
      assert.match(shown.text, /^UNKNOWN +The web cannot be checked since/m);
      assert.match(shown.past, /The web cannot be checked for/);
      assert.match(shown.past, /The web could not be checked for 10m/);
      assert.match(shown.feed, /<title>The web could not be checked, lasted 10 min<\/title>/);
      assert.match(shown.feed, /The fault is on the side of the monitoring\./);
      for (const [where, text] of Object.entries(shown)) {
        assert.doesNotMatch(text, /\b(is|was) down\b|DOWN/, where);
        assert.doesNotMatch(text, /secret/, where);
      }
      const { incidents: listed } = JSON.parse(shown.summary) as { incidents: { kind: string }[] };
      assert.deepEqual(
        listed.map(({ kind }) => kind),
        ['unknown'],
      );
    } finally {
      await world.close();
    }
  });

  it('has no incident in the report of the month', async () => {
    const world = await openBlocked();
    try {
      const { text } = await world.ask('/report/2026-06', asText);
      assert.match(text, /The web/);
      assert.doesNotMatch(text, /\b[12] incidents?\b/);
    } finally {
      await world.close();
    }
  });
});
