import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { decisions } from '../../../src/db/tables/decisions.ts';
import { outbox } from '../../../src/db/tables/outbox.ts';
import { producerAlerts } from '../../../src/db/tables/producer-alerts.ts';
import { silences } from '../../../src/db/tables/silences.ts';
import { openWorld, startAt, type World } from '../world.ts';

const config = `
auth_token = "operator-token"
rate_limit_burst = 1000

[[channels]]
name = "ops"
type = "webhook"
url = "https://hooks.example.com/ops"

[[channels]]
name = "dev"
type = "webhook"
url = "https://hooks.example.com/dev"

[[monitors]]
id = "web"
target = "https://example.com"

[[monitors]]
id = "job"
kind = "push"
push_token = "job-token"
notify = ["dev"]

[[monitors]]
id = "site"
target = "https://example.org"
push_token = "site-token"
public_error_detail = true

[[monitors]]
id = "port"
kind = "tcp"
target = "db.example.com:5432"
push_token = "port-token"
public = false
group = "inside"

[[monitors]]
id = "hidden"
kind = "push"
push_token = "hidden-token"
public = false
`;

describe('POST /api/monitors/{id}/alert', () => {
  let world: World;
  before(async () => {
    world = await openWorld(config);
  });
  after(() => world.close());

  const send = (id: string, body: unknown, headers: Readonly<Record<string, string>> = operator) =>
    world.ask(`/api/monitors/${id}/alert`, {
      method: 'POST',
      headers,
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const operator = { authorization: 'Bearer operator-token' };
  const due = () => outbox.due(world.store.sql, world.clock.now(), 100);

  it('puts one delivery a routed channel into the outbox, due at once', async () => {
    const reply = await send('job', {
      title: 'Backup slow',
      severity: 'warning',
      message: 'took 3 h',
      tags: { host: 'a' },
    });
    assert.equal(reply.status, 202);
    assert.deepEqual(reply.json(), { status: 'dispatched', id: 1 });
    const [delivery, ...others] = due();
    assert.deepEqual(others, []);
    assert.equal(delivery?.channel, 'dev');
    assert.equal(delivery.event, 'alert');
    assert.equal(delivery.nextAt, startAt);
    assert.match(delivery.deliveryId, /^alert\.made-\d+\.\w+$/);
    const payload = delivery.payload as Readonly<Record<string, unknown>>;
    assert.deepEqual(
      [payload['title'], payload['severity'], payload['message'], payload['tags']],
      ['Backup slow', 'warning', 'took 3 h', { host: 'a' }],
    );
    // What is noted on the side goes through the same queue.
    await world.store.write([silences.sweep({ at: 0 })]);
    assert.deepEqual(
      decisions
        .ofMonitor(world.store.sql, 'job', { at: startAt, limit: 9 })
        .map(({ event, channel, verdict }) => ({ event, channel, verdict })),
      [{ event: 'alert', channel: 'dev', verdict: 'queued' }],
    );
    await send('web', { title: 'All hear it' });
    assert.deepEqual(
      due().map(({ channel }) => channel),
      ['dev', 'ops', 'dev'],
    );
  });

  it('coalesces repeats of a key within the window', async () => {
    const alert = { title: 'Disk full', dedup_key: 'disk' };
    assert.equal(((await send('job', alert)).json() as { status: string }).status, 'dispatched');
    world.clock.advance(60_000);
    assert.deepEqual((await send('job', alert)).json(), {
      status: 'coalesced',
      suppressed: 1,
      retry_after_secs: 240,
    });
    world.clock.advance(240_000);
    assert.equal(((await send('job', alert)).json() as { status: string }).status, 'dispatched');
  });

  it('takes the push token and the access token, and nothing else', async () => {
    const alert = { title: 'x' };
    for (const [id, headers, status] of [
      ['job', { 'x-push-token': 'job-token' }, 202],
      ['job', { 'x-push-token': 'hidden-token' }, 401],
      ['job', {}, 401],
      ['web', {}, 401],
      ['hidden', {}, 404],
      ['hidden', { 'x-push-token': 'job-token' }, 404],
      ['hidden', { 'x-push-token': 'hidden-token' }, 202],
      ['hidden', operator, 202],
      ['nobody', operator, 404],
      ['site', { 'x-push-token': 'site-token' }, 202],
      ['site', { 'x-push-token': 'job-token' }, 401],
      ['site', {}, 401],
      ['port', { 'x-push-token': 'port-token' }, 202],
      ['port', { 'x-push-token': 'site-token' }, 404],
    ] as const) {
      assert.equal((await send(id, alert, headers)).status, status, `${id} ${JSON.stringify(headers)}`);
    }
    const query = await world.ask('/api/monitors/job/alert?token=job-token', {
      method: 'POST',
      body: JSON.stringify(alert),
    });
    assert.equal(query.status, 202);
  });

  it('takes heartbeats of push monitors alone, whatever has a token', async () => {
    const push = (id: string) =>
      world.ask(`/api/push/${id}`, { method: 'POST', headers: { 'x-push-token': `${id}-token` } });
    assert.equal((await push('site')).status, 404);
    assert.equal((await push('job')).status, 200);
  });

  it('is shown to the public by severity and time alone, in every form of the history', async () => {
    const alert = {
      title: 'tItLe-canary',
      message: 'mEssAge-canary of host-17',
      severity: 'critical',
      tags: { host: 'tAg-canary' },
      dedup_key: 'history',
    };
    for (const id of ['web', 'site']) {
      assert.equal((await send(id, alert)).status, 202);
      assert.equal((await send(id, alert)).status, 202);
    }
    const html = { accept: 'text/html', 'user-agent': 'Mozilla/5.0' };
    const plain = { accept: '*/*', 'user-agent': 'curl/8.5.0' };
    const paths = [
      '/',
      '/history',
      '/history?monitor=web',
      '/history.atom',
      '/api/summary',
      '/api/incidents',
    ];
    paths.push('/metrics', '/report/2026-06', '/api/badge/web/status', '/api/monitors/web/heatmap.svg');
    const words = (text: string) => text.match(/tItLe-canary|mEssAge-canary|host-17|tAg-canary/g) ?? [];
    for (const path of paths) {
      for (const headers of [html, plain]) {
        const { text: body } = await world.ask(path, { headers });
        const isOpen = path === '/history';
        assert.equal(words(body).length, isOpen ? 4 : 0, `${path} ${headers.accept}`);
      }
    }
    const web = await world.ask('/history?monitor=web', { headers: html });
    assert.match(web.text, /<h3><span class="word">Alert, Critical<\/span><\/h3>/);
    assert.doesNotMatch(web.text, /1 repeat/);
    const text = await world.ask('/history?monitor=web', { headers: plain });
    assert.match(text.text, /web: alert, critical$/m);
    for (const headers of [html, plain]) {
      const { text: body } = await world.ask('/history', { headers: { ...headers, ...operator } });
      assert.equal(words(body).length, 8, 'the operator sees both');
    }
  });

  it('refuses what is no alert', async () => {
    for (const [body, detail] of [
      ['', /JSON/],
      ['{', /JSON/],
      ['[]', /JSON object/],
      ['null', /JSON object/],
      [{}, /^title is missing/],
      [{ title: ' \n ' }, /^title is missing/],
      // Characters that show nothing: a title of them alone reaches people as none.
      [{ title: '\u200b' }, /^title is missing/],
      [{ title: ' \u202e\u2060\ufeff ' }, /^title is missing/],
      [{ title: '\u001b[31m\u0007' }, /^title is missing/],
      [{ title: 5 }, /^title must be a text/],
      [{ title: 'x', severity: 'loud' }, /^severity must be one of info, warning, error, critical/],
      [{ title: 'x', tags: ['a'] }, /^tags must be/],
      [{ title: 'x', tags: { a: 1 } }, /^tags must be/],
    ] as const) {
      const reply = await send('job', body);
      assert.equal(reply.status, 400, JSON.stringify(body));
      assert.match((reply.json() as { detail: string }).detail, detail);
    }
    assert.equal((await send('job', { title: 'x', message: 'y'.repeat(65_536) })).status, 413);
  });

  it('takes a severity in any letter case', async () => {
    assert.equal((await send('job', { title: 'Loud', severity: 'ERROR' })).status, 202);
    const kept = producerAlerts.listWithin(world.store.sql, { fromAt: 0, toAt: Infinity });
    assert.equal(kept.find(({ title }) => title === 'Loud')?.severity, 'error');
  });

  it('cuts what is too long and masks secrets', async () => {
    const tags = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`k${index}`, 'v'.repeat(200)]));
    await send('job', {
      title: 't'.repeat(300),
      message: `a\nb\u0000 hidden-token ${'m'.repeat(3000)}`,
      dedup_key: 'd'.repeat(300),
      tags: { ...tags, __proto__: 'x' },
    });
    const [kept] = producerAlerts.listWithin(world.store.sql, { fromAt: 0, toAt: Infinity });
    assert.equal(kept?.title.length, 200);
    assert.equal(kept.message?.length, 2000);
    assert.match(kept.message, /^a\nb \*\*\* mmm/);
    assert.equal(kept.dedupKey?.length, 200);
    assert.equal(Object.keys(kept.tags).length, 20);
    assert.equal(kept.tags['k0']?.length, 100);
  });
});
