import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { meta } from '../../../src/db/tables/meta.ts';
import { linkLastsMs } from '../../../src/engine/operations/acknowledge.ts';
import { ackLinkWrites, ackTokenFor } from '../../support/ack-link.ts';
import { openWorld, startAt, type World } from '../world.ts';

const config = `
auth_token = "operator-token"
rate_limit_burst = 100000

[[channels]]
name = "ops"
type = "webhook"
url = "http://127.0.0.1:1/"

[[monitors]]
id = "web"
target = "https://example.com"

[[monitors]]
id = "hidden"
public = false
target = "https://example.com"
`;
const page = { accept: 'text/html' };
const operator = { authorization: 'Bearer operator-token' };

interface Answered {
  readonly root: { readonly monitor: string } | null;
}

interface Shown {
  readonly uid: string;
  readonly acknowledged: { readonly at: string; readonly by?: string; readonly reason?: string } | null;
}

describe('acknowledging an incident', () => {
  let world: World;
  let count = 0;
  before(async () => {
    world = await openWorld(config);
  });
  after(() => world.close());

  /** An open incident with a message on its way to `ops`. */
  async function begin(monitor = 'web'): Promise<{ readonly uid: string; readonly token: string }> {
    const uid = `incident-${(count += 1)}`;
    const at = world.clock.now();
    const open = incidents
      .listOpen(world.store.sql)
      .map((each) => incidents.close({ uid: each.uid, endedAt: at }));
    await world.store.write([
      ...open,
      incidents.open({
        uid,
        monitor,
        name: `The ${monitor}`,
        startedAt: at,
        confirmedAt: at,
        category: null,
        reason: null,
        cause: null,
        impacted: [],
        snapshot: null,
        vantage: null,
      }),
      ...ackLinkWrites(uid, monitor, at),
    ]);
    return { uid, token: ackTokenFor(uid, at) };
  }
  const stored = (uid: string) => incidents.find(world.store.sql, uid)?.acknowledged ?? null;
  const press = (token: string, headers: Readonly<Record<string, string>> = page) =>
    world.ask(`/ack/${token}`, { method: 'POST', headers });

  it('by the link of a message takes a button: looking at the page changes nothing', async () => {
    const { uid, token } = await begin();
    for (const method of ['GET', 'HEAD']) await world.ask(`/ack/${token}`, { method, headers: page });
    const { status, text, headers } = await world.ask(`/ack/${token}`, { headers: page });
    assert.equal(status, 200);
    assert.equal(stored(uid), null);
    assert.match(text, /<form[^>]* method="post" action="\/ack\//);
    assert.match(text, /The web/);
    assert.match(headers.get('cache-control') ?? '', /no-store/);
    assert.match(headers.get('content-security-policy') ?? '', /form-action 'self'/);
    assert.match((await press(token)).text, /Acknowledged \(ops\)/);
    assert.deepEqual(stored(uid), { at: startAt, by: 'ops', reason: null });
  });

  it('is done once, however often the button is pressed, by the first to press it', async () => {
    const { uid, token } = await begin();
    await press(token);
    const first = stored(uid);
    world.clock.advance(60_000);
    assert.equal((await press(token)).status, 200);
    await world.ask(`/api/incidents/${uid}/ack`, { method: 'POST', headers: operator, body: '{"by":"ann"}' });
    assert.deepEqual(stored(uid), first);
    assert.doesNotMatch((await world.ask(`/ack/${token}`, { headers: page })).text, /<form/);
  });

  it('refuses links that are guessed, altered, foreign, for another incident or too old in the same words', async () => {
    const { uid, token } = await begin();
    const other = await begin('hidden');
    const [id = '', until = '', signature = ''] = token.split('~');
    const [otherId = ''] = other.token.split('~');
    const later = (Number.parseInt(until, 36) + 1).toString(36);
    const flipped = `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`;
    const wrong = [
      'guessed',
      `${id}~${until}~${flipped}`,
      `${id}~${until}~${signature.slice(0, -1)}`,
      `${id}~${later}~${signature}`,
      `${otherId}~${until}~${signature}`,
      `${id}.x~${until}~${signature}`,
      `${id}~${until}~${'A'.repeat(43)}`,
      ackTokenFor('no-such-incident', startAt),
      ackTokenFor(uid, startAt - linkLastsMs - 120_000),
    ];
    const answers = new Set<string>();
    for (const each of wrong)
      for (const method of ['GET', 'POST']) {
        const { status, text } = await world.ask(`/ack/${each}`, {
          method,
          headers: { accept: 'application/json' },
        });
        answers.add(`${status} ${text}`);
      }
    assert.equal(answers.size, 1);
    assert.match([...answers][0] ?? '', /^404 .*lasts 24 hours/);
    assert.equal(stored(uid), null);
    assert.equal(stored(other.uid), null);
    await world.store.write([meta.setLinkKey('of another server')]);
    assert.equal((await press(token)).status, 404);
  });

  it('of a folded incident takes its root along, over the API and by link, and says so', async () => {
    const root = await begin('hidden');
    const at = world.clock.now();
    const below = 'below';
    const fold = async (uid: string) => {
      await world.store.write([
        incidents.open({
          uid,
          monitor: 'web',
          name: 'The web',
          startedAt: at,
          confirmedAt: at,
          category: null,
          reason: null,
          cause: null,
          impacted: [],
          snapshot: null,
          vantage: null,
        }),
        incidents.describe({ uid, cause: 'hidden', impacted: [], vantage: null }),
        ...ackLinkWrites(uid, 'web', at),
      ]);
    };
    await fold(below);
    const path = `/api/incidents/${below}/ack`;
    const asked = { method: 'POST', headers: operator, body: '{"by":"ann","reason":"on it"}' };
    const answer = (await world.ask(path, asked)).json() as Answered;
    assert.equal(answer.root?.monitor, 'hidden');
    assert.deepEqual(stored(root.uid), { at, by: 'ann', reason: 'on it' });
    assert.deepEqual(stored(below), stored(root.uid));
    const cleared = await world.ask(path, { method: 'DELETE', headers: operator });
    assert.deepEqual((cleared.json() as Answered).root?.monitor, 'hidden');
    assert.deepEqual([stored(root.uid), stored(below)], [null, null]);
    const token = ackTokenFor(below, at);
    assert.match((await world.ask(`/ack/${token}`, { headers: page })).text, /The hidden/);
    assert.equal(stored(root.uid), null);
    const lines = (await press(token, { accept: 'text/plain' })).text.split('\n');
    assert.match(lines[0] ?? '', /^#\d+ The web: Acknowledged \(ops\)/);
    assert.match(lines[1] ?? '', /^#\d+ The hidden: Acknowledged \(ops\)/);
    assert.deepEqual(stored(root.uid), { at, by: 'ops', reason: null });
    // What was acknowledged before its cause was known can still take it along.
    await world.store.write([incidents.unacknowledge({ uid: root.uid })]);
    assert.match((await world.ask(`/ack/${token}`, { headers: page })).text, /<form/);
    await press(token);
    assert.equal(stored(root.uid)?.by, 'ops');
    // The root is over: only the incident itself is left to be acknowledged.
    await world.store.write([incidents.close({ uid: root.uid, endedAt: at })]);
    assert.equal(((await world.ask(path, asked)).json() as Answered).root, null);
  });

  it('by link works for 24 hours, and says when the incident is over', async () => {
    const { uid, token } = await begin();
    world.clock.advance(linkLastsMs - 1000);
    assert.equal((await world.ask(`/ack/${token}`)).status, 200);
    await world.store.write([incidents.close({ uid, endedAt: world.clock.now() })]);
    const over = await press(token);
    assert.equal(over.status, 200);
    assert.match(over.text, /Resolved/);
    assert.equal(stored(uid), null);
    world.clock.advance(2000);
    assert.equal((await world.ask(`/ack/${token}`)).status, 404);
  });

  it('by link gives no other right, and a form of another site cannot do it', async () => {
    const { uid, token } = await begin('hidden');
    assert.equal((await world.ask(`/incidents/${uid}?token=${token}`)).status, 404);
    assert.equal(
      (
        await world.ask(`/api/incidents/${uid}/ack`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}` },
        })
      ).status,
      401,
    );
    assert.equal((await press(token, { ...page, 'sec-fetch-site': 'cross-site' })).status, 403);
    assert.equal(stored(uid), null);
  });

  it('over the API names who and why, to the operator alone, and can be taken back', async () => {
    const { uid } = await begin();
    const asked = { method: 'POST', headers: operator, body: '{"by":"ann","reason":"restarting it"}' };
    const acknowledged = (await world.ask(`/api/incidents/${uid}/ack`, asked)).json() as Shown;
    assert.deepEqual(
      [acknowledged.acknowledged?.by, acknowledged.acknowledged?.reason],
      ['ann', 'restarting it'],
    );
    const seen = (await world.ask(`/api/incidents/${uid}`)).json() as Shown;
    assert.deepEqual(Object.keys(seen.acknowledged ?? {}), ['at']);
    const strangers = (await world.ask(`/incidents/${uid}`, { headers: page })).text;
    assert.match(strangers, /Acknowledged/);
    assert.doesNotMatch(strangers, /ann|restarting|\/ack\//);
    assert.match(
      (await world.ask(`/incidents/${uid}?token=operator-token`, { headers: page })).text,
      /ann.*restarting it/s,
    );
    assert.match(
      (await world.ask('/metrics?token=operator-token')).text,
      /statusd_incidents_open\{acknowledged="true"\} 1\n/,
    );
    const back = await world.ask(`/api/incidents/${uid}/ack`, { method: 'DELETE', headers: operator });
    assert.equal((back.json() as Shown).acknowledged, null);
  });

  it('is refused for what is over (409), for what there is none of (404) and without the token (401)', async () => {
    const { uid } = await begin();
    const ask = (name: string, headers: Readonly<Record<string, string>> = operator) =>
      world.ask(`/api/incidents/${name}/ack`, { method: 'POST', headers });
    assert.equal((await ask('none')).status, 404);
    assert.equal((await ask(uid, {})).status, 401);
    await world.store.write([incidents.close({ uid, endedAt: world.clock.now() })]);
    assert.equal((await ask(uid)).status, 409);
  });

  it('leaves no link in the log', () => {
    assert.doesNotMatch(JSON.stringify(world.logged), /~/);
  });
});
