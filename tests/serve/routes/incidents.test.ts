import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { decisions } from '../../../src/db/tables/decisions.ts';
import { events } from '../../../src/db/tables/events.ts';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { outbox } from '../../../src/db/tables/outbox.ts';
import { recorded, type RecordedIncidentRow } from '../../../src/db/tables/recorded-incidents.ts';
import { samples } from '../../../src/db/tables/samples.ts';
import { postmortems } from '../../../src/db/tables/incident-updates.ts';
import { broadcasts } from '../../../src/db/tables/broadcasts.ts';
import { subscribers } from '../../../src/db/tables/subscribers.ts';
import { openWorld, startAt, type World } from '../world.ts';

const config = `
auth_token = "operator-token"
rate_limit_burst = 1000

[[monitors]]
id = "web"
target = "https://example.com"

[[monitors]]
id = "hidden"
target = "https://hidden.example.com"
public = false
`;

const headers = { authorization: 'Bearer operator-token' };

interface Update {
  readonly state: string;
  readonly message: string | null;
  readonly author?: string | null;
}

interface View {
  readonly id?: number;
  readonly uid: string;
  readonly monitor: string | null;
  readonly name: string;
  readonly kind: string;
  readonly state: string;
  readonly impact: string;
  readonly monitors: readonly string[];
  readonly ended_at: string | null;
  readonly updates: readonly Update[];
  readonly postmortem?: string | null;
  readonly events?: readonly { readonly title: string; readonly monitors: readonly string[] }[];
  readonly detail?: string;
}

describe('incidents over HTTP', () => {
  let world: World;
  before(async () => {
    world = await openWorld(config);
    await world.store.write([
      incidents.open({
        uid: 'down',
        monitor: 'web',
        name: 'web',
        startedAt: startAt - 600_000,
        confirmedAt: startAt - 540_000,
        category: 'timeout',
        reason: 'no answer',
        cause: null,
        impacted: [],
        snapshot: null,
        vantage: null,
      }),
    ]);
  });
  after(() => world.close());

  const post = async (path: string, body: unknown, asked: object = { headers }) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const reply = await world.ask(path, { method: 'POST', body: text, ...asked });
    return { status: reply.status, json: reply.json() as View };
  };
  const get = async (path: string, asked: object = { headers }) => {
    const reply = await world.ask(path, asked);
    return { status: reply.status, json: reply.json() as View };
  };
  const found = (name: number | string): RecordedIncidentRow | null => recorded.find(world.store.sql, name);

  it('are opened, updated and resolved, and each answers the incident as it is by then', async () => {
    const opened = await post('/api/incidents', {
      title: 'Payments fail',
      message: 'We are looking.',
      impact: 'major',
      monitors: ['web', 'hidden'],
    });
    assert.equal(opened.status, 201);
    const { id, uid, kind, state, impact, monitors, name, monitor } = opened.json;
    assert.deepEqual(
      [id, kind, state, impact, monitors, name, monitor],
      [2, 'operator', 'investigating', 'major', ['web', 'hidden'], 'Payments fail', null],
    );
    const updated = await post(`/api/incidents/${uid}/updates`, { state: 'identified', message: 'A key.' });
    assert.deepEqual(
      [updated.status, updated.json.state, updated.json.updates[0]?.message, updated.json.updates[0]?.author],
      [201, 'identified', 'A key.', 'api'],
    );
    const resolved = await post(`/api/incidents/2/updates`, { state: 'resolved', message: 'Done.' });
    assert.deepEqual([resolved.json.state, resolved.json.ended_at], ['resolved', '2026-06-07T12:00:00Z']);
    assert.equal(found(uid)?.endedAt, startAt);
    assert.equal((await post(`/api/incidents/2/updates`, { state: 'resolved', message: 'x' })).status, 409);
    await world.store.write([postmortems.set({ incident: uid, text: '# Why', at: startAt })]);
    assert.equal((await get(`/api/incidents/${uid}`)).json.postmortem, '# Why');
    assert.equal((await get('/api/incidents/2')).json.uid, uid);
    const page = async (path: string) =>
      (await world.ask(path, { headers: { ...headers, accept: 'text/html' } })).text;
    assert.match(await page(`/incidents/${uid}`), /<h2 id="postmortem">Post-mortem<\/h2>.*<h3>Why<\/h3>/s);
    assert.match(await page('/incidents/2'), /<h3>Why<\/h3>/);
    const status = await page('/');
    assert.match(status, new RegExp(`<h2 id="past">.*${uid}`, 's'), 'it is in the past days');
    assert.doesNotMatch(status, /No incidents in the past 7 days/);
  });

  it('name what was changed shortly before, to those who may see a monitor of it', async () => {
    const mark = (title: string, monitors: readonly string[], at: string) =>
      post('/api/event', { title, monitors, at });
    await mark('deploy v2.3', ['web', 'hidden'], '20m');
    await mark('too old', [], '41m');
    await mark('of another', ['hidden'], '15m');
    const { json } = await get('/api/incidents/down', {});
    assert.deepEqual(
      json.events?.map(({ title, monitors }) => [title, monitors]),
      [['deploy v2.3', ['web']]],
    );
  });

  it('have what was changed on the charts of the monitors it concerns', async () => {
    await world.store.write(
      [1, 2, 3].map((hours) =>
        samples.add({
          monitor: 'web',
          at: startAt - hours * 3_600_000,
          status: 'up',
          latencyMs: 20 * hours,
          holdSecs: 3600,
          isHeartbeat: false,
          category: null,
          message: null,
        }),
      ),
    );
    const marks = async (path: string, asked: object = { headers: { accept: 'text/html' } }) => {
      const { text } = await world.ask(path, asked);
      const chart = /<figure><figcaption><b>24 hours<[\s\S]*?<\/figure>/.exec(text)?.[0] ?? '';
      return [...chart.matchAll(/<path class="mk" d="M([\d.]+) 0v72"><title>([^<]*)<\/title>/g)].map(
        ([, x, title]) => [Number(x), title],
      );
    };
    const { text } = await world.ask('/monitor/web', { headers: { accept: 'text/html' } });
    assert.match(text, /aria-label="24 hours: average [^"]*; deploy v2\.3, 11:40/);
    assert.deepEqual(await marks('/monitor/web'), [
      [92.3, 'too old, 11:19 UTC'],
      [93.7, 'deploy v2.3, 11:40 UTC'],
    ]);
  });

  it('of a monitor take updates, and no end by hand', async () => {
    const { status, json } = await post('/api/incidents/down/updates', { state: 'resolved', message: 'x' });
    assert.equal(status, 409);
    assert.match(
      json.detail ?? '',
      /^Incident 1 cannot be resolved by hand: web is down\. It is resolved by/,
    );
    assert.equal((await post('/api/incidents/down/updates', { message: 'We know.' })).status, 201);
    assert.deepEqual(
      (await get('/api/incidents/down')).json.updates.map(({ state, message }) => [state, message]),
      [
        ['detected', 'We know.'],
        ['detected', null],
      ],
    );
  });

  it('have their newest words in the text of the status page', async () => {
    await post('/api/incidents/down/updates', { message: 'Old words.', state: 'investigating' });
    await post('/api/incidents/down/updates', { message: 'We found the cable.', state: 'identified' });
    const { text } = await world.ask('/', { headers: { 'user-agent': 'curl/8.5.0' } });
    assert.match(text, /web since 11:50[^\n]*\n {6}12:00( UTC)?, identified: We found the cable\./);
    assert.doesNotMatch(text, /Old words/);
  });

  it('show the public what it may see: no number, author or private monitor', async () => {
    const { uid } = (await get('/api/incidents/2')).json;
    assert.equal((await get('/api/incidents/2', {})).status, 404);
    const { json } = await get(`/api/incidents/${uid}`, {});
    assert.deepEqual(
      [json.monitors, 'id' in json, 'author' in (json.updates[0] ?? {})],
      [['web'], false, false],
    );
    const secret = await post('/api/incidents', { title: 'Inside', monitors: ['hidden'] });
    assert.equal((await get(`/api/incidents/${secret.json.uid}`, {})).status, 404);
    const all = await post('/api/incidents', { title: 'Everything is slow' });
    assert.equal((await get(`/api/incidents/${all.json.uid}`, {})).status, 200);
    const names = async (path: string) =>
      ((await world.ask(path)).json() as { incidents: View[] }).incidents.map(({ name }) => name).sort();
    assert.deepEqual(await names('/api/incidents'), ['Everything is slow', 'Payments fail', 'web']);
    assert.deepEqual(await names('/api/incidents?monitor=web'), ['Payments fail', 'web']);
    assert.deepEqual(await names('/api/summary'), ['Everything is slow', 'web']);
    const plain = (await world.ask('/', { headers: { 'user-agent': 'curl/8.5.0' } })).text;
    assert.match(plain, /^INCIDENT +Everything is slow since /m);
    assert.doesNotMatch(plain, /cannot be checked|Inside/);
    const feed = (await world.ask('/history.atom')).text;
    assert.match(feed, /We know\./);
    assert.doesNotMatch(feed, /Inside|hidden/);
  });

  it('refuse what they do not understand, and clients other than the operator', async () => {
    for (const [body, detail] of [
      ['{', /^The body must be JSON/],
      [{}, /^The title is empty\. Say/],
      [{ title: 7 }, /^title must be a text\.$/],
      [{ title: 'x', monitors: 'web' }, /^monitors must be a list of texts\.$/],
      [{ title: 'x', impact: 'huge' }, /^There is no impact 'huge'\. It is one of: degraded, /],
      [{ title: 'x', state: 'fixed' }, /^There is no state 'fixed'\./],
      [{ title: 'x', notify: 'ops' }, /^notify must be true, false or a list of channels\.$/],
    ] as const) {
      const { status, json } = await post('/api/incidents', body);
      assert.deepEqual([status, detail.test(json.detail ?? '')], [400, true], json.detail);
    }
    assert.equal((await post('/api/incidents', { title: 'x', monitors: ['nope'] })).status, 404);
    const unknown = await post('/api/incidents', { title: 'x', notify: ['nope'] });
    assert.equal(unknown.status, 404);
    assert.equal(unknown.json.detail, "There is no channel 'nope'.");
    assert.equal((await post('/api/incidents/nope/updates', { message: 'x' })).status, 404);
    assert.equal((await post('/api/incidents/down/updates', {})).status, 400);
    for (const path of ['/api/incidents', '/api/incidents/down/updates', '/api/event'])
      assert.equal((await post(path, { title: 'x', message: 'x' }, {})).status, 401);
  });

  it('cut what is too long', async () => {
    const { json } = await post('/api/incidents', { title: 't'.repeat(300), message: 'm'.repeat(3000) });
    assert.deepEqual([json.name.length, json.updates[0]?.message?.length], [200, 2000]);
  });
});

describe('/api/event', () => {
  it('keeps a marker, with the time it is given', async () => {
    const world = await openWorld(config);
    try {
      const post = (body: object) =>
        world.ask('/api/event', { method: 'POST', body: JSON.stringify(body), headers });
      const reply = await post({ title: 'deploy v2.3', monitors: ['web'], at: '10m' });
      assert.equal(reply.status, 201);
      const { uid, ...rest } = reply.json() as { readonly uid: string };
      assert.deepEqual(rest, { id: 1, title: 'deploy v2.3', monitors: ['web'], at: '2026-06-07T11:50:00Z' });
      assert.equal(events.listWithin(world.store.sql, { fromAt: 0, toAt: startAt })[0]?.uid, uid);
      assert.equal((await post({ title: 'x', at: '2026-06-07T13:00:00Z' })).status, 400);
      assert.equal((await post({ title: 'x', monitors: ['nope'] })).status, 404);
    } finally {
      await world.close();
    }
  });
});

describe('an incident of which channels are to know', () => {
  let world: World;
  before(async () => {
    const channel = (name: string) =>
      `[[channels]]\nname = "${name}"\ntype = "ntfy"\nurl = "https://ntfy.example.com/${name}"\n`;
    const routed = config.replace(
      'target = "https://example.com"',
      'target = "https://example.com"\nnotify = ["mail"]',
    );
    world = await openWorld(`${routed}${channel('ops')}${channel('mail')}`);
  });
  after(() => world.close());

  const post = async (path: string, body: object) => {
    const reply = await world.ask(path, { method: 'POST', body: JSON.stringify(body), headers });
    assert.equal(reply.status, 201, reply.text);
    return reply.json() as View;
  };
  const told = (uid: string) =>
    outbox.ofIncident(world.store.sql, uid).map(({ channel, event, payload }) => {
      const { state, message } = payload as { state: string | null; message: string | null };
      return [channel, event, state, message];
    });

  it('is queued for those of its monitors, or for those that are named, with its updates and its end', async () => {
    const { uid } = await post('/api/incidents', { title: 'Slow', monitors: ['web'], notify: true });
    assert.deepEqual(told(uid), [['mail', 'incident', 'investigating', null]]);
    await post(`/api/incidents/${uid}/updates`, { message: 'We know.' });
    await post(`/api/incidents/${uid}/updates`, { message: 'Done.', state: 'resolved' });
    assert.deepEqual(told(uid).slice(1), [
      ['mail', 'incident', null, 'We know.'],
      ['mail', 'incident', 'resolved', 'Done.'],
    ]);
    const all = await post('/api/incidents', { title: 'Everything', notify: true });
    assert.deepEqual(
      told(all.uid).map(([channel]) => channel),
      ['ops', 'mail'],
    );
    const one = await post('/api/incidents', { title: 'For ops', monitors: ['web'], notify: ['ops'] });
    assert.deepEqual(
      told(one.uid).map(([channel]) => channel),
      ['ops'],
    );
    assert.deepEqual(
      decisions
        .ofIncident(world.store.sql, one.uid)
        .map(({ channel, verdict, reason }) => [channel, verdict, reason]),
      [['ops', 'queued', 'at_once']],
    );
  });

  it('is none where nobody asked for it, whatever is said about it later', async () => {
    for (const notify of [undefined, null, false, []]) {
      const { uid } = await post('/api/incidents', { title: 'Quiet', notify });
      await post(`/api/incidents/${uid}/updates`, { message: 'Still quiet.' });
      assert.deepEqual(told(uid), []);
    }
  });

  it('reaches readers who subscribed too, unless it said that nobody is to hear of it', async () => {
    await world.store.write([
      subscribers.ask({ uid: 'one', address: 'a@example.com', groups: [], at: startAt, max: 9 }),
      subscribers.confirm({ uid: 'one', at: startAt }),
    ]);
    const mailed = (uid: string) =>
      broadcasts.open(world.store.sql).filter(({ incident }) => incident === uid).length;
    for (const [notify, count] of [
      [undefined, 2],
      [true, 2],
      [['ops'], 2],
      [false, 0],
      [[], 0],
    ] as const) {
      const { uid } = await post('/api/incidents', { title: 'Slow', notify });
      await post(`/api/incidents/${uid}/updates`, { message: 'Still slow.' });
      assert.equal(mailed(uid), count, JSON.stringify(notify));
    }
  });
});
