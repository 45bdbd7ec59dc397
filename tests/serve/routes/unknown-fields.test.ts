/** A misspelt field of an operator's request is refused: taken for nothing said, it would change what is covered. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { events } from '../../../src/db/tables/events.ts';
import { incidentUpdates } from '../../../src/db/tables/incident-updates.ts';
import { recorded } from '../../../src/db/tables/recorded-incidents.ts';
import { routes } from '../../../src/serve/routes/all.ts';
import { openWorld, pastIncident, startAt, type World } from '../world.ts';

const config = `
auth_token = "operator-token"
rate_limit_burst = 1000

[[monitors]]
id = "web"
target = "https://example.com"

[[monitors]]
id = "job"
kind = "push"
push_token = "job-token"
`;

const headers = { authorization: 'Bearer operator-token' };

describe('unknown fields in the body of a request', () => {
  let world: World;
  before(async () => {
    world = await openWorld(config);
    await world.store.write(pastIncident('web', 'seen'));
  });
  after(() => world.close());

  const post = async (path: string, body: unknown, sent: Readonly<Record<string, string>> = headers) => {
    const { status, text } = await world.ask(path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: sent,
    });
    return { status, text };
  };

  it('are refused by every route of operators that has one, in the words of the description', async () => {
    const withBody = routes.filter(({ access, body }) => access === 'operator' && body !== undefined);
    assert.deepEqual(withBody.map(({ path }) => path).sort(), [
      '/api/event',
      '/api/incidents',
      '/api/incidents/{uid}/ack',
      '/api/incidents/{uid}/updates',
      '/api/maintenance',
    ]);
    for (const { path, body } of withBody) {
      assert.equal(body?.schema['additionalProperties'], false, path);
      const reply = await post(path.replace('{uid}', 'seen'), { title: 'x', message: 'x', zzzzzzzz: 1 });
      assert.equal(reply.status, 400, path);
      assert.match(reply.text, /is an unknown field/, path);
    }
  });

  it('change nothing, and the refusal names the nearest field, or all of them', async () => {
    const refusals: readonly (readonly [string, object, RegExp])[] = [
      [
        '/api/incidents',
        { title: 'Payments fail', monitor: ['web'] },
        /monitor is an unknown field; did you mean monitors\?/,
      ],
      [
        '/api/incidents',
        { title: 'x', ids: ['web'] },
        /ids is an unknown field; there are title, monitors, message, state, impact, notify\./,
      ],
      [
        '/api/incidents/seen/updates',
        { message: 'x', stat: 'resolved' },
        /stat is an unknown field; did you mean state\?/,
      ],
      ['/api/incidents/seen/ack', { resaon: 'mine' }, /resaon is an unknown field; did you mean reason\?/],
      [
        '/api/event',
        { title: 'deploy', monitor: ['web'] },
        /monitor is an unknown field; did you mean monitors\?/,
      ],
    ];
    for (const [path, body, says] of refusals) {
      const reply = await post(path, body);
      assert.deepEqual([reply.status, says.test(reply.text)], [400, true], reply.text);
    }
    assert.deepEqual(events.listWithin(world.store.sql, { fromAt: 0, toAt: startAt * 2 }), []);
    assert.equal(recorded.find(world.store.sql, 2), null);
    assert.equal(incidentUpdates.of(world.store.sql, ['seen']).size, 0);
  });

  it('end nothing when they are misspelt parameters of what ends something', async () => {
    const query = '/api/announce?title=Move';
    assert.equal((await world.ask(query, { method: 'POST', headers })).status, 200);
    const clear = (asked: string) => world.ask(`/api/announce?${asked}`, { method: 'DELETE', headers });
    for (const [asked, says] of [
      ['ids=2', /ids is an unknown parameter; did you mean id\?/],
      ['banner=2', /banner is an unknown parameter; there are id, token\./],
    ] as const) {
      const reply = await clear(asked);
      assert.deepEqual([reply.status, says.test(reply.text)], [400, true], reply.text);
    }
    assert.equal((await clear('token=operator-token')).text, '{"cleared":1}');
  });

  it('are left alone where other programs send them: producers of alerts, and senders of heartbeats', async () => {
    const other = { title: 'Backup failed', monitor: ['web'], extra: 1 };
    assert.equal((await post('/api/monitors/job/alert', other, { 'x-push-token': 'job-token' })).status, 202);
    assert.equal((await post('/api/push/job', other, { 'x-push-token': 'job-token' })).status, 200);
  });
});
