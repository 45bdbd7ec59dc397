import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { decisions } from '../../../src/db/tables/decisions.ts';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { samples } from '../../../src/db/tables/samples.ts';
import type { LiveView } from '../../../src/engine/views/live.ts';
import { openWorld, startAt, type World } from '../world.ts';

const config = `
auth_token = "operator-token"
rate_limit_burst = 1000

[[monitors]]
id = "db"
kind = "tcp"
target = "db.example.com:5432"

[[monitors]]
id = "web"
target = "https://example.com/?key=operator-token"
depends_on = ["db"]
public = false
`;

const headers = { authorization: 'Bearer operator-token' };

describe('/api/live', () => {
  let world: World;
  before(async () => {
    world = await openWorld(config);
  });
  after(() => world.close());

  const live = async (query = '') => (await world.ask(`/api/live${query}`, { headers })).json() as LiveView;

  it('has the last checks of the monitors that were asked for, and of no other', async () => {
    const minutes = Array.from({ length: 40 }, (_, index) => index);
    await world.store.write(
      minutes.map((minute) =>
        samples.add({
          monitor: 'db',
          at: startAt - (40 - minute) * 60_000,
          status: minute < 37 ? 'up' : 'down',
          latencyMs: minute < 37 ? 4 : null,
          holdSecs: 60,
          isHeartbeat: false,
          category: null,
          message: null,
        }),
      ),
    );
    const { monitors } = await live('?monitors=db,none,db');
    assert.equal(monitors.length, 1);
    const [db] = monitors;
    assert.deepEqual(db?.checks, [...Array<string>(27).fill('up'), 'down', 'down', 'down']);
    assert.equal(db.hours.length, 24);
    assert.deepEqual(db.hours.at(-2), { latency_ms: 4, status: 'down' });
    assert.deepEqual(db.hours[0], { latency_ms: null, status: 'unknown' });
    assert.equal(db.days.length, 90);
    assert.equal(db.target, 'db.example.com:5432');
    assert.deepEqual(db.dependents, ['web']);
    assert.deepEqual((await live()).monitors, []);
  });

  it('masks the secrets of a target', async () => {
    const [web] = (await live('?monitors=web')).monitors;
    assert.doesNotMatch(JSON.stringify(web), /operator-token/);
  });

  it('says who got the alert of an open incident, and counts it once', async () => {
    const uid = 'k3jd8s2a';
    const decision = { monitor: 'db', incident: uid, event: 'down', detail: null };
    const at = startAt - 60_000;
    await world.store.write([
      incidents.open({
        uid,
        monitor: 'db',
        name: 'db',
        startedAt: at,
        confirmedAt: at,
        category: null,
        reason: null,
        cause: null,
        impacted: [],
        snapshot: null,
        vantage: null,
      }),
      decisions.log({ ...decision, at, channel: 'phone', verdict: 'told', reason: 'sent' }),
      decisions.log({ ...decision, at: at + 500, channel: 'chat', verdict: 'told', reason: 'sent' }),
      decisions.log({ ...decision, at, channel: 'mail', verdict: 'undelivered', reason: 'channel_failed' }),
      // What follows an alert is none.
      ...['reminder', 'recovered'].map((event) =>
        decisions.log({
          ...decision,
          event,
          incident: 'old',
          at,
          channel: 'chat',
          verdict: 'told',
          reason: 'sent',
        }),
      ),
    ]);
    const { incidents: open, alerts_by_hour: alerts } = await live();
    assert.deepEqual(open, [
      {
        uid,
        sent: [
          { channel: 'phone', at: '2026-06-07T11:59:00Z' },
          { channel: 'chat', at: '2026-06-07T11:59:00.500Z' },
        ],
        failed: ['mail'],
        folded: false,
        withheld: null,
      },
    ]);
    assert.deepEqual(alerts, [...Array<number>(23).fill(0), 1]);
  });

  it('says which filters leave out the alert of an open incident, unless a channel waits for it', async () => {
    const uid = 'f1lt3r3d';
    const decision = { monitor: 'web', incident: uid, event: 'down', reason: 'filtered' } as const;
    const at = startAt - 30_000;
    const said = async () => (await live()).incidents.find((one) => one.uid === uid)?.withheld;
    const spared = (channel: string, detail: string) =>
      decisions.log({ ...decision, at, channel, verdict: 'spared', detail });
    await world.store.write([
      incidents.open({
        uid,
        monitor: 'web',
        name: 'web',
        startedAt: at,
        confirmedAt: at,
        category: null,
        reason: null,
        cause: null,
        impacted: [],
        snapshot: null,
        vantage: null,
      }),
    ]);
    assert.equal(await said(), null);
    await world.store.write([
      spared('phone', 'phone takes critical and above; this is an error.'),
      spared('chat', 'chat takes certificate only.'),
    ]);
    assert.equal(
      await said(),
      'phone takes critical and above; this is an error. chat takes certificate only.',
    );
    const queued = { ...decision, at, channel: 'phone', reason: 'rerouted', detail: null } as const;
    await world.store.write([decisions.log({ ...queued, verdict: 'queued' })]);
    assert.equal(await said(), null);
    await world.store.write([incidents.close({ uid, endedAt: startAt })]);
  });

  it('lists the silences, which can be ended one by one', async () => {
    await world.ask('/api/silence?monitors=db&duration=1h&reason=rack', { method: 'POST', headers });
    const silence = { id: 1, monitors: ['db'], until: '2026-06-07T13:00:00Z', reason: 'rack' };
    assert.deepEqual((await live()).silences, [silence]);
    const end = (id: number) => world.ask(`/api/silence?id=${id}`, { method: 'DELETE', headers });
    assert.equal((await end(2)).status, 404);
    assert.deepEqual((await end(1)).json(), { cleared: 1 });
    assert.deepEqual((await live()).silences, []);
  });
});
