/** What operators say of an incident is on every page that shows it, and in its plain text. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { postmortems } from '../../../src/db/tables/incident-updates.ts';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { monitorTables, openWorld, startAt, upBefore, type World } from '../world.ts';

const config = `auth_token = "operator-token"\nrate_limit_burst = 1000\n${monitorTables(['web', 'db'], {
  web: 'name = "Website"\ndepends_on = ["db"]',
  db: 'name = "Database"',
})}`;

const operator = { authorization: 'Bearer operator-token', 'content-type': 'application/json' };
const minute = 60_000;

/** An incident in a list of a page. */
function entryOf(page: string, uid: string): string {
  const [, entry = ''] = page.split(`id="${uid}">`);
  return entry.split('<li class="past')[0] ?? '';
}

describe('what is said of an incident', () => {
  let world: World;
  let uid = '';
  before(async () => {
    world = await openWorld(config);
    await world.store.write(upBefore(['web', 'db']));
    const outage = (monitor: string, cause: string | null) => {
      const startedAt = startAt - 65 * minute;
      const found = { category: 'status', reason: null, snapshot: null, vantage: null } as const;
      const place = { uid: `outage-${monitor}`, monitor, name: monitor === 'db' ? 'Database' : 'Website' };
      const impacted = cause === null ? ['web'] : [];
      return [
        incidents.open({ ...place, ...found, cause, impacted, startedAt, confirmedAt: startedAt + minute }),
        incidents.close({ uid: place.uid, endedAt: startedAt + 5 * minute }),
      ];
    };
    await world.store.write([...outage('db', null), ...outage('web', 'db')]);
    const opened = await post('/api/incidents', {
      title: 'Mails are late',
      message: 'We look at it.\n\nMore follows.',
      impact: 'degraded',
      monitors: ['web'],
    });
    uid = (opened as { uid: string }).uid;
    world.clock.advance(minute);
    await post(`/api/incidents/${uid}/updates`, { state: 'identified', message: 'A queue is full.' });
    world.clock.advance(minute);
    await post(`/api/incidents/${uid}/updates`, { state: 'resolved', message: 'All are delivered.' });
    await world.store.write([]);
    world.clock.advance(10_000);
  });
  after(() => world.close());

  async function post(path: string, body: object): Promise<unknown> {
    const reply = await world.ask(path, { method: 'POST', headers: operator, body: JSON.stringify(body) });
    assert.equal(reply.status, 201, reply.text);
    return reply.json();
  }

  const text = async (path: string) =>
    (await world.ask(path, { headers: { 'user-agent': 'curl/8.5.0' } })).text;
  const page = async (path: string) => (await world.ask(path, { headers: { accept: 'text/html' } })).text;

  it('is all in the plain text of its page, the newest first', async () => {
    const shown = await text(`/incidents/${uid}`);
    assert.match(
      shown,
      /^Status: incident .*\n\n2026-06-07 12:00 {2}Mails are late was open for 2m\. Affects Website\.\n/,
    );
    const said = shown.split('\n').slice(3).join('\n').replaceAll(/^ +/gm, '');
    assert.equal(
      said,
      [
        '12:02 UTC, resolved: All are delivered.',
        '12:01 UTC, identified: A queue is full.',
        '12:00 UTC, investigating: We look at it.',
        '',
        'More follows.',
        '',
      ].join('\n'),
    );
    assert.doesNotMatch(shown, / $/m);
    assert.match(await text('/incidents/outage-db'), /11:00 UTC, resolved\n +10:56 UTC, detected\n/);
  });

  it('is there with the post-mortem, as on the page', async () => {
    const written = '# Why\n\nNobody watched the queue.';
    await world.store.write([postmortems.set({ incident: uid, text: written, at: world.clock.now() })]);
    world.clock.advance(10_000);
    assert.match(
      await text(`/incidents/${uid}`),
      /\n\nPost-mortem {2}# Why\n\n {13}Nobody watched the queue\.\n$/,
    );
    assert.match(await page(`/incidents/${uid}`), /Nobody watched the queue\./);
  });

  it('is in the history and among the past days by its newest words, with whom it was about', async () => {
    assert.match(
      await text('/history'),
      /Mails are late was open for 2m\. Affects Website\.\n +12:02 UTC, resolved: All are delivered\.\n\n/,
    );
    for (const path of ['/history', '/']) {
      const entry = entryOf(await page(path), uid);
      assert.match(entry, /<b>Resolved:<\/b> All are delivered\.</, path);
      assert.match(entry, /<ul class="chips"[^>]*><li><bdi>Website</, path);
      assert.doesNotMatch(entry, /A queue is full/, path);
    }
  });

  it('is not all: what an outage was caused by, and what it took along, stands on pages as in plain text', async () => {
    assert.match(await text('/history'), /Website was down for 5m\.[^.]*\.\s+Because of\s+Database\./);
    for (const path of ['/history', '/', '/monitor/web']) {
      const entry = entryOf(await page(path), 'outage-web');
      assert.match(entry, /It answered with an error\. Because of Database\./, path);
    }
    assert.match(entryOf(await page('/history'), 'outage-db'), /<ul class="chips"[^>]*><li><bdi>Website</);
  });
});
