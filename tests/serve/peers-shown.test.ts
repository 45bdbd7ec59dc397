/** Where peers show: to the operator each of them, to strangers how many. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { incidents } from '../../src/db/tables/incidents.ts';
import { peers } from '../../src/db/tables/peers.ts';
import { freshPeer } from '../../src/engine/peers/rules/state.ts';
import { openWorld, startAt, type World } from './world.ts';

const config = `
auth_token = "operator-token"
group_tokens = { own = "group-token" }

[[peers]]
id = "node-b"
name = "Paris <b>"
listen_token = "token-of-b"
expect_every_secs = 60

[[peers]]
id = "node-c"
name = "Tokyo"
listen_token = "token-of-c"
expect_every_secs = 60

[[peers]]
id = "node-d"
name = "Unwatched"
listen_token = "token-of-d"

[[monitors]]
id = "open"
target = "https://open.example.com"
group = "own"
public_error_detail = true

[[monitors]]
id = "shut"
target = "https://shut.example.com"
`;

const operator = { authorization: 'Bearer operator-token' };
const page = { accept: 'text/html' };
const text = { 'user-agent': 'curl/8.5.0' };

describe('the peers', () => {
  let world: World;
  before(async () => {
    world = await openWorld(config);
    const heardAt = startAt - 754_000;
    const vantage = [
      { peer: 'Paris <b>', verdict: 'down', error: 'refused <i>' },
      { peer: 'Tokyo', verdict: 'down', error: null },
    ];
    const incident = (uid: string, monitor: string) =>
      incidents.open({
        uid,
        monitor,
        name: monitor,
        startedAt: startAt - 60_000,
        confirmedAt: startAt - 30_000,
        category: 'timeout',
        reason: 'it timed out',
        cause: null,
        impacted: [],
        snapshot: null,
        vantage,
      });
    await world.store.write([
      peers.save({ id: 'node-b', heardAt: startAt, state: { ...freshPeer, state: 'up', heardAt: startAt } }),
      peers.save({
        id: 'node-c',
        heardAt,
        state: { ...freshPeer, state: 'down', heardAt, troubleAt: heardAt, reason: 'no heartbeat came' },
      }),
      peers.saveVerdict({
        peer: 'node-b',
        monitor: 'open',
        at: startAt,
        status: 'up',
        latencyMs: 1,
        error: null,
        skewMs: 61_000,
      }),
      incident('u1', 'open'),
      incident('u2', 'shut'),
    ]);
  });
  after(() => world.close());

  it('are in the summary for the operator, as counts for all', async () => {
    const counts = { up: 1, down: 1, link_degraded: 0, unknown: 0 };
    const summary = async (headers: Readonly<Record<string, string>>) =>
      (await world.ask('/api/summary', { headers })).json() as Record<string, unknown>;
    const known = await summary(operator);
    assert.deepEqual(known['peer_counts'], counts);
    assert.deepEqual(known['peers'], [
      {
        id: 'node-b',
        name: 'Paris <b>',
        state: 'up',
        age: 0,
        clock_skew_ms: 61_000,
        reason: null,
        seen_by: [],
      },
      {
        id: 'node-c',
        name: 'Tokyo',
        state: 'down',
        age: 754,
        clock_skew_ms: null,
        reason: 'no heartbeat came',
        seen_by: [],
      },
    ]);
    for (const headers of [{}, { 'x-push-token': 'token-of-b' }]) {
      const { peers: shown, peer_counts } = await summary(headers);
      assert.deepEqual([shown, peer_counts], [[], counts]);
    }
  });

  it('are a section of the page for the operator, and one line for the public', async () => {
    const { text: known } = await world.ask('/', { headers: { ...operator, ...page } });
    assert.match(known, /<h2 id="peers">Other nodes <small>1 of 2 is heard<\/small><\/h2>/);
    assert.match(known, /<bdi>Paris &lt;b&gt;<\/bdi>.*>Up<\/span>: heard 0s ago, clock 1m 1s ahead/);
    assert.match(known, /<bdi>Tokyo<\/bdi>.*>Down<\/span>: heard 12m 34s ago, no heartbeat came/);
    const { text: strange } = await world.ask('/', { headers: page });
    assert.match(strange, /<p[^>]*>1 of 2 other monitoring nodes responds\.<\/p>/);
    assert.doesNotMatch(strange, /Paris|Tokyo/);
    const { text: group } = await world.ask('/status/own?token=group-token', { headers: page });
    assert.doesNotMatch(group, /monitoring nodes|Paris|Tokyo/);
  });

  it('are lines of the plain text in the same way', async () => {
    const { text: known } = await world.ask('/', { headers: { ...operator, ...text } });
    assert.match(known, /^Node {2}Paris <b>: up, heard 0s ago, clock 1m 1s ahead$/m);
    assert.match(known, /^Node {2}Tokyo: down, heard 12m 34s ago, no heartbeat came$/m);
    const { text: strange } = await world.ask('/', { headers: text });
    assert.match(strange, /^Other nodes {2}1 of 2 is heard\.$/m);
    assert.doesNotMatch(strange, /Paris|Tokyo/);
  });

  it('are measured for the operator alone', async () => {
    const { text: known } = await world.ask('/metrics', { headers: operator });
    assert.match(known, /^statusd_peer_up\{id="node-b",name="Paris <b>"\} 1$/m);
    assert.match(known, /^statusd_peer_up\{id="node-c",name="Tokyo"\} 0$/m);
    assert.match(known, /^statusd_peer_heartbeat_age_seconds\{id="node-c",name="Tokyo"\} 754$/m);
    const { text: strange } = await world.ask('/metrics');
    assert.doesNotMatch(strange, /statusd_peer|Paris|Tokyo/);
  });

  it('stand in the history by name for the operator, by number where the detail is public', async () => {
    const read = async (headers: Readonly<Record<string, string>>) => {
      const pages = ['u1', 'u2'].map((uid) => world.ask(`/incidents/${uid}`, { headers }));
      return (await Promise.all(pages)).map(({ text }) => text).join('');
    };
    const known = await read({ ...operator, ...page });
    assert.equal(known.split('Confirmed down from 3 of 3 nodes.').length, 3);
    assert.match(known, /What each node saw.*<bdi>Paris &lt;b&gt;<\/bdi>: down, refused &lt;i&gt;/);
    const strange = await read(page);
    assert.equal(strange.split('Confirmed down from 3 of 3 nodes.').length, 2);
    assert.doesNotMatch(strange, /Paris|Tokyo|What each node saw/);
    const record = (await world.ask('/api/incidents')).json() as {
      readonly incidents: readonly { readonly uid: string; readonly vantage: unknown }[];
    };
    const anonymous = { peer: null, verdict: 'down', error: null };
    assert.deepEqual(
      new Map(record.incidents.map(({ uid, vantage }) => [uid, vantage])),
      new Map<string, unknown>([
        ['u2', null],
        ['u1', [anonymous, anonymous]],
      ]),
    );
  });
});
