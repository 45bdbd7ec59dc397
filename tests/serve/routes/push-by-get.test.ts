import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openWorld, type World } from '../world.ts';

const tokenOf = (name: string) => `${name}-0123456789abcdefghij`;

const config = `
auth_token = "operator-token-0123456789"
rate_limit_burst = 1000

[[peers]]
id = "a-peer-with-a-long-listen-id"
listen_token = "${tokenOf('peer')}"

[[monitors]]
id = "job"
kind = "push"
push_token = "${tokenOf('job')}"

[[monitors]]
id = "hidden"
kind = "push"
push_token = "${tokenOf('hidden')}"
public = false

[[monitors]]
id = "short"
kind = "push"
push_token = "nineteen-characters"

[[monitors]]
id = "web"
target = "https://example.com"
push_token = "${tokenOf('web')}"

[[monitors]]
id = "one"
kind = "push"
push_token = "${tokenOf('shared')}"

[[monitors]]
id = "other"
kind = "push"
push_token = "${tokenOf('shared')}"

[[monitors]]
id = "${tokenOf('named')}"
kind = "push"
push_token = "${tokenOf('its-own')}"

[[monitors]]
id = "namesake"
kind = "push"
push_token = "${tokenOf('named')}"
`;

const secretId = 'a-private-one-with-a-long-id';

describe('a heartbeat', () => {
  let world: World;
  before(async () => {
    world = await openWorld(config);
  });
  after(() => world.close());

  const ask = (path: string, method = 'GET', headers: Readonly<Record<string, string>> = {}) =>
    world.ask(`/api/push/${path}`, { method, headers });
  const last = () => world.engine.heartbeats.at(-1);
  const count = () => world.engine.heartbeats.length;

  it('may come by GET, with the same parameters and in the same answer, which nobody keeps', async () => {
    const headers = { 'x-push-token': tokenOf('job') };
    const reply = await ask('job?status=degraded&msg=slow&ping=12', 'GET', headers);
    assert.deepEqual([reply.status, reply.json()], [200, { status: 'ok' }]);
    assert.equal(reply.headers.get('cache-control'), 'no-store');
    assert.deepEqual(last(), { monitor: 'job', status: 'degraded', message: 'slow', pingMs: 12 });
    assert.equal((await ask(`job?token=${tokenOf('job')}`)).status, 200);
    assert.equal((await ask('job')).status, 401);
    assert.equal((await ask('job?status=fine', 'GET', headers)).status, 400);
    const ofPeer = { 'x-push-token': tokenOf('peer') };
    assert.equal((await ask('a-peer-with-a-long-listen-id', 'GET', ofPeer)).status, 200);
  });

  it('may have its token in the path where else its id stands, as those for Uptime Kuma', async () => {
    for (const method of ['GET', 'POST']) {
      for (const id of ['job', 'hidden']) {
        const before = count();
        const reply = await ask(`${tokenOf(id)}?status=up&msg=OK&ping=`, method);
        assert.deepEqual([reply.status, count()], [200, before + 1], `${method} ${id}`);
        assert.equal(reply.headers.get('cache-control'), 'no-store');
        assert.deepEqual(last(), { monitor: id, status: 'up', message: 'OK', pingMs: null });
        assert.equal((await ask(tokenOf(id), method)).status, 200);
        assert.equal(last()?.monitor, id);
      }
    }
  });

  it('by token is taken by any method and with slashes at the end of its address, and never redirected', async () => {
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])
      for (const end of ['', '/', '//']) {
        const before = count();
        const reply = await ask(`${tokenOf('job')}${end}?status=down&msg=full&ping=7`, method);
        const what = `${method} with "${end}"`;
        assert.deepEqual(
          [reply.status, reply.headers.get('location'), count()],
          [200, null, before + 1],
          what,
        );
        assert.deepEqual(last(), { monitor: 'job', status: 'down', message: 'full', pingMs: 7 }, what);
      }
    const reply = await ask(tokenOf('job'), 'OPTIONS');
    assert.deepEqual([reply.status, reply.headers.get('allow')], [204, 'POST, GET, HEAD, OPTIONS']);
  });

  it('by token is up for "up" in any letter case, degraded for "degraded", and down for any other word, which is the reason', async () => {
    for (const [word, status, message] of [
      ['up', 'up', null],
      ['UP', 'up', null],
      ['Up%20', 'up', null],
      ['', 'up', null],
      ['Degraded', 'degraded', null],
      ['DOWN', 'down', null],
      ['fail', 'down', 'the heartbeat said fail'],
      ['1', 'down', 'the heartbeat said 1'],
      ['%20', 'down', null],
      [tokenOf('hidden'), 'down', 'the heartbeat said ***'],
      ['x'.repeat(200), 'down', `the heartbeat said ${'x'.repeat(64)}`],
    ] as const) {
      assert.equal((await ask(`${tokenOf('job')}?status=${word}`)).status, 200, word);
      assert.deepEqual(last(), { monitor: 'job', status, message, pingMs: null }, word);
    }
    await ask(`${tokenOf('job')}?status=fail&msg=disk%20full`);
    assert.deepEqual(last(), { monitor: 'job', status: 'down', message: 'disk full', pingMs: null });
    const sent = {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: '{"status":"Failed"}',
    };
    assert.equal((await world.ask(`/api/push/${tokenOf('job')}/`, sent)).status, 200);
    assert.equal(last()?.message, 'the heartbeat said Failed');
  });

  it('is taken with the leading number of its ping, and without a ping that has none, by token and by id', async () => {
    for (const [ping, pingMs] of [
      ['12', 12],
      ['12.7', 13],
      ['12.', 12],
      ['0.045', 0],
      ['12ms', 12],
      ['1e3', 1000],
      ['-0', 0],
      ['-1.5', null],
      ['abc', null],
      ['NaN', null],
      ['Infinity', null],
      ['99999999999999999999', null],
      ['', null],
    ] as const)
      for (const path of [`${tokenOf('job')}?`, `job?token=${tokenOf('job')}&`]) {
        assert.equal((await ask(`${path}ping=${ping}`)).status, 200, `${path}${ping}`);
        assert.deepEqual(last(), { monitor: 'job', status: 'up', message: null, pingMs }, `${path}${ping}`);
      }
  });

  it('is none by a token that is short, shared, of no push monitor, of a peer or of the operator', async () => {
    const before = count();
    const tokens = ['web', 'shared', 'peer'].map(tokenOf);
    const missing = (await ask('none')).text;
    for (const token of ['nineteen-characters', 'operator-token-0123456789', ...tokens]) {
      const reply = await ask(token);
      assert.deepEqual([reply.status, reply.text], [404, missing], token);
    }
    assert.equal(count(), before);
  });

  it('is for the monitor with the id before that with the token', async () => {
    assert.equal((await ask(tokenOf('named'))).status, 401);
    const headers = { 'x-push-token': tokenOf('its-own') };
    assert.equal((await ask(tokenOf('named'), 'GET', headers)).status, 200);
    assert.equal(last()?.monitor, tokenOf('named'));
  });

  it('by id may come by HEAD and with a slash at the end of its address; other methods are named as wrong', async () => {
    const known = `token=${tokenOf('job')}`;
    for (const method of ['GET', 'HEAD', 'POST'])
      for (const path of [`job?${known}`, `job/?${known}`]) {
        const before = count();
        assert.equal((await ask(path, method)).status, 200, `${method} ${path}`);
        assert.equal(count(), before + 1, `${method} ${path}`);
      }
    const peer = { 'x-push-token': tokenOf('peer') };
    assert.equal((await ask('a-peer-with-a-long-listen-id/', 'POST', peer)).status, 200);
    const before = count();
    for (const path of [`job?${known}`, `${tokenOf('named')}?token=${tokenOf('its-own')}`, 'nobody'])
      for (const method of ['PUT', 'DELETE']) {
        const reply = await ask(path, method);
        const found = [reply.status, reply.headers.get('allow')];
        assert.deepEqual(found, [405, 'POST, GET, HEAD, OPTIONS'], `${method} ${path}`);
      }
    assert.equal(count(), before);
  });

  it('leaves its token in no answer and in no log', async () => {
    world.engine.refusal = new Error('unforeseen');
    const broken = await ask(tokenOf('job'));
    world.engine.refusal = null;
    assert.equal(broken.status, 500);
    const wrong = `wrong-${tokenOf('job')}`;
    const refused = await ask(`${wrong}?status=fine`);
    const bad = await ask(`job?status=fine&token=${tokenOf('job')}`);
    assert.equal(bad.status, 400);
    const document = (await world.ask('/api/openapi.json')).text;
    const shown = JSON.stringify([broken.text, refused.text, bad.text, document, world.logged]);
    assert.doesNotMatch(shown, /0123456789abc/);
  });
});

describe('tokens in the path of heartbeats', () => {
  it('do not show which private monitors there are: a long id of one is like a wrong token', async () => {
    const hidden = `[[monitors]]\nid = "${secretId}"\nkind = "push"\npush_token = "its-token"\npublic = false\n`;
    const statusesOf = async (id: string, headers: Readonly<Record<string, string>>) => {
      const world = await openWorld(config + hidden);
      const ask = async (path: string, method = 'GET') =>
        (await world.ask(`/api/push/${path}`, { method, headers })).status;
      const before = [await ask(id), await ask(id, 'PUT')];
      for (let index = 0; index < 9; index += 1) await ask(tokenOf(`guess-${index}`));
      const after = [await ask(id), await ask(`${id}-2`)];
      const right = await world.ask(`/api/push/${secretId}?token=its-token`);
      await world.close();
      return { before, after, right: right.status };
    };
    for (const headers of [{}, { 'x-push-token': 'wrong' }]) {
      const found = await statusesOf(secretId, headers);
      assert.deepEqual(found, await statusesOf('there-is-none-of-this-id', headers));
      assert.deepEqual(found, { before: [404, 404], after: [404, 429], right: 200 });
    }
  });

  it('count as guesses of their address, whatever they are, and hold up no known one', async () => {
    const world = await openWorld(config);
    const ask = async (path: string) => (await world.ask(`/api/push/${path}`)).status;
    assert.equal(await ask(tokenOf('job')), 200);
    const statuses: number[] = [];
    for (let index = 0; index < 12; index += 1) statuses.push(await ask(tokenOf(`guess-${index}`)));
    assert.deepEqual(statuses, [...Array.from({ length: 10 }, () => 404), 429, 429]);
    assert.equal(await ask(tokenOf('hidden')), 429, 'nothing says whether it is right');
    assert.equal(await ask(tokenOf('job')), 200, 'it was shown before');
    assert.equal(await ask(tokenOf('guess-3')), 404, 'so was this');
    await world.close();
  });
});
