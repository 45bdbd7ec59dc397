import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { StatusdError } from '../../../src/engine/core/errors.ts';
import { openWorld, type World } from '../world.ts';

const config = `
auth_token = "operator-token"
rate_limit_burst = 1000

[[peers]]
id = "node-b"
listen_token = "token-of-b"

[[peers]]
id = "node-c"
listen_id = "from-c"
listen_token = "token-of-c"

[[peers]]
id = "trusting"

[[monitors]]
id = "web"
target = "https://example.com"

[[monitors]]
id = "job"
kind = "push"
push_token = "job-token"

[[monitors]]
id = "open"
kind = "push"

[[monitors]]
id = "hidden"
kind = "push"
push_token = "hidden-token"
public = false
`;

describe('POST /api/push/{id}', () => {
  let world: World;
  before(async () => {
    world = await openWorld(config);
  });
  after(() => world.close());

  const push = (path: string, headers: Readonly<Record<string, string>> = { 'x-push-token': 'job-token' }) =>
    world.ask(`/api/push/${path}`, { method: 'POST', headers });
  const last = () => world.engine.heartbeats.at(-1);

  it('answers ok once the engine has taken the heartbeat', async () => {
    const reply = await push('job?status=degraded&msg=slow%20disk&ping=12');
    assert.equal(reply.status, 200);
    assert.deepEqual(reply.json(), { status: 'ok' });
    assert.deepEqual(last(), { monitor: 'job', status: 'degraded', message: 'slow disk', pingMs: 12 });
  });

  it('takes up for granted, and what is empty for absent', async () => {
    assert.equal((await push('job?status=&msg=&ping=')).status, 200);
    assert.deepEqual(last(), { monitor: 'job', status: 'up', message: null, pingMs: null });
  });

  describe('with a body', () => {
    const form = 'application/x-www-form-urlencoded';
    const send = (path: string, type: string, body: string | Buffer) =>
      world.ask(`/api/push/${path}`, {
        method: 'POST',
        headers: { 'x-push-token': 'job-token', 'content-type': type },
        body,
      });
    const down = { monitor: 'job', status: 'down', message: 'disk full', pingMs: 7 };
    const up = { monitor: 'job', status: 'up', message: null, pingMs: null };

    it('takes what the query leaves out from a form or from JSON, so that no failure counts as healthy', async () => {
      for (const [type, body] of [
        [form, 'status=down&msg=disk+full&ping=7'],
        [`${form}; charset=utf-8`, 'status=down&msg=disk+full&ping=7&host=web-1'],
        ['application/json', '{"status":"down","msg":"disk full","ping":7}'],
        ['application/json', ' {"msg":"disk full","ping":"7","status":"down"}'],
      ] as const) {
        assert.equal((await send('job', type, body)).status, 200, body);
        assert.deepEqual(last(), down, body);
      }
    });

    it('reads JSON under the content types that senders use by default', async () => {
      for (const type of [form, 'text/plain;charset=UTF-8', 'application/octet-stream', '']) {
        assert.equal((await send('job', type, '{"status":"down","msg":"disk full","ping":7}')).status, 200);
        assert.deepEqual(last(), down, type);
      }
    });

    it('takes a form in parts', async () => {
      const part = (name: string, text: string) =>
        `--of-parts\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`;
      const whole = [
        part('log"; filename="status=up', 'status\r\n--status=up'),
        part('status', 'down'),
        part('status-before', 'up'),
        part('msg', 'disk full'),
        part('ping', '7'),
        '--of-parts--\r\n',
      ].join('');
      for (const type of [
        'multipart/form-data; boundary=of-parts',
        'Multipart/Form-Data; boundary="of-parts"',
      ]) {
        assert.equal((await send('job', type, whole)).status, 200);
        assert.deepEqual(last(), down, type);
      }
      for (const type of ['multipart/form-data', 'multipart/form-data; boundary=others']) {
        assert.equal((await send('job', type, whole)).status, 200);
        assert.deepEqual(last(), up, type);
      }
    });

    it('counts parameters beside a message in another encoding, or cut within a character', async () => {
      for (const [type, body] of [
        [form, Buffer.from('status=down&msg=gr\xf6\xdfer', 'latin1')],
        [form, Buffer.from('msg=caf\u00e9', 'utf8').subarray(0, -1).toString('latin1') + '&status=down'],
        ['application/json', Buffer.from('{"status":"down","msg":"gr\xf6\xdfer"}', 'latin1')],
      ] as const) {
        const bytes = typeof body === 'string' ? Buffer.from(body, 'latin1') : body;
        assert.equal((await send('job', type, bytes)).status, 200);
        const { status, message } = last() ?? {};
        assert.equal(status, 'down');
        assert.match(message ?? '', /\ufffd/);
      }
    });

    it('refuses what is nested beyond measure', async () => {
      const deep = `${'['.repeat(30_000)}${']'.repeat(30_000)}`;
      assert.equal((await send('job', 'application/json', `{"msg":${deep}}`)).status, 400);
      assert.equal((await send('job', 'application/json', `{"status":${deep}}`)).status, 400);
      assert.deepEqual(world.logged, []);
    });

    it('takes the query before it', async () => {
      assert.equal(
        (await send('job?status=down&ping=7', form, 'status=up&msg=disk+full&ping=9')).status,
        200,
      );
      assert.deepEqual(last(), down);
    });

    it('names what is wrong in it', async () => {
      for (const [type, body, detail] of [
        [form, 'status=broken', /^status must be one of/],
        ['application/json', '{"status":"broken"}', /^status must be one of/],
        ['application/json', '{"status":["down"]}', /^status must be one of/],
      ] as const) {
        const refused = await send('job', type, body);
        assert.equal(refused.status, 400, body);
        assert.match((refused.json() as { readonly detail: string }).detail, detail);
      }
    });

    it('does not take what another program or a log says for the status of the monitor', async () => {
      for (const [type, body] of [
        // A webhook of Alertmanager, whose watchdog is a heartbeat while it fires.
        ['application/json', '{"version":"4","status":"firing","alerts":[]}'],
        ['application/json', '{"version":"4","status":"down","alerts":[]}'],
        ['application/json', '[{"status":"down"}]'],
        ['application/json', '{"status":"down"'],
        ['application/json', 'null'],
        ['text/plain', 'status=down'],
        ['', 'status=down'],
        [form, 'backup of 12 files: 0 errors'],
        [form, '\u0000\ufffd%%%'],
        [form, 'status=&msg=&ping='],
        ['application/json', '{"status":null}'],
        ['application/json', '{}'],
      ] as const) {
        assert.equal((await send('job', type, body)).status, 200, body);
        assert.deepEqual(last(), up, body);
      }
    });

    it('masks secrets in it and cuts it as in the query', async () => {
      const msg = `job-token ${'x'.repeat(600)}`;
      assert.equal((await send('job', form, new URLSearchParams({ msg }).toString())).status, 200);
      const { message } = last() as { message: string };
      assert.ok(message.length <= 500 && !message.includes('job-token'), message);
    });

    it('is kept without a latency that it has and nobody can read', async () => {
      assert.equal((await send('job', form, 'status=Down&msg=disk+full&ping=soon')).status, 200);
      assert.deepEqual(last(), { ...down, pingMs: null });
    });

    it('is remembered for no other heartbeat', async () => {
      await send('job', form, 'status=down');
      assert.equal((await push('job')).status, 200);
      assert.deepEqual(last(), up);
    });
  });

  it('takes the token from the header or from the query', async () => {
    assert.equal((await push('job?token=job-token', {})).status, 200);
    assert.equal((await push('open', {})).status, 200);
    assert.equal((await push('hidden', { 'x-push-token': 'hidden-token' })).status, 200);
  });

  it('refuses a wrong token, and the access token', async () => {
    for (const headers of [{}, { 'x-push-token': 'no' }, { authorization: 'Bearer operator-token' }]) {
      const reply = await push('job', headers);
      assert.equal(reply.status, 401);
      assert.notEqual(reply.headers.get('www-authenticate'), null);
    }
  });

  it('answers for a private monitor as for one that is missing or no push monitor', async () => {
    const [missing, web, hidden] = [
      await push('nobody', {}),
      await push('web', {}),
      await push('hidden', {}),
    ];
    assert.equal(missing.status, 404);
    assert.deepEqual([web.status, web.text], [404, missing.text]);
    assert.deepEqual([hidden.status, hidden.text], [404, missing.text]);
  });

  it('names what is wrong, and what is allowed', async () => {
    const status = await push('job?status=fine');
    assert.equal(status.status, 400);
    assert.match(status.text, /status must be one of up, degraded, down\./);
    assert.equal((await push('job?status=DOWN')).status, 200);
    assert.equal(last()?.status, 'down');
  });

  it('takes the heartbeat of a peer at its listen_id, with its listen_token alone', async () => {
    const ofPeer = { 'x-push-token': 'token-of-c' };
    assert.deepEqual((await push('from-c?status=degraded&msg=busy', ofPeer)).json(), { status: 'ok' });
    assert.deepEqual(world.engine.peerHeartbeats.at(-1), {
      peer: 'node-c',
      status: 'degraded',
      message: 'busy',
    });
    assert.equal((await push('node-b?token=token-of-b', {})).status, 200);
    assert.equal(world.engine.peerHeartbeats.at(-1)?.peer, 'node-b');
    const taken = world.engine.peerHeartbeats.length;
    for (const headers of [{}, ofPeer, { 'x-push-token': 'job-token' }]) {
      assert.equal((await push('node-b', headers)).status, 401);
    }
    assert.equal((await push('node-c', ofPeer)).status, 404);
    assert.equal((await push('job', { 'x-push-token': 'token-of-b' })).status, 401);
    assert.equal(world.engine.peerHeartbeats.length, taken);
    // As a push monitor without a token, which a warning of the configuration is about.
    assert.equal((await push('trusting', {})).status, 200);
  });

  it('says to a peer, too, when its heartbeat cannot be kept', async () => {
    world.engine.refusal = new StatusdError('store_full', 'the disk is full');
    const reply = await push('node-b', { 'x-push-token': 'token-of-b' });
    world.engine.refusal = null;
    assert.equal(reply.status, 503);
  });

  it('cuts a long message on a character and masks the secrets in it', async () => {
    const family = '👨‍👩‍👧';
    await push(`job?msg=${encodeURIComponent('x'.repeat(497) + family)}`);
    assert.equal(last()?.message, 'x'.repeat(497));
    await push(`job?msg=${'x'.repeat(494)}%20hidden-token`);
    assert.equal(last()?.message, `${'x'.repeat(494)} ***`);
    await push('job?msg=a%0d%0ab%1b[31mc%00');
    assert.equal(last()?.message, 'a bc');
  });

  it('says to come back while the store cannot keep it', async () => {
    world.engine.refusal = new StatusdError('store_full', 'the disk of /var/lib/statusd is full');
    const reply = await push('job');
    world.engine.refusal = null;
    assert.equal(reply.status, 503);
    assert.equal(reply.headers.get('retry-after'), '5');
    assert.doesNotMatch(reply.text, /var/);
  });
});
