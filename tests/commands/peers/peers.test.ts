import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { peers } from '../../../src/db/tables/peers.ts';
import { rfc3339 } from '../../../src/engine/core/instant.ts';
import {
  notWatched,
  peerLines,
  seenDown,
  seenUp,
  startPeer,
  type FakePeer,
} from '../../support/fake-peer.ts';
import { makeOperatorWorld, type OperatorWorld } from '../../support/operator-world.ts';

interface Compared {
  readonly node: string | null;
  readonly monitors: readonly {
    readonly id: string;
    readonly status: string;
    readonly nodes: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  }[];
  readonly peers: readonly Readonly<Record<string, unknown>>[];
}

const monitors = (count: number) =>
  Array.from(
    { length: count },
    (_, index) => `[[monitors]]\nid = "m${index}"\ntarget = "http://127.0.0.1:1/${index}"\n`,
  );

const gone = 'http://127.0.0.1:1';
const verdict = { status: 'up', latencyMs: 41, error: null } as const;

describe('statusd peers', () => {
  let world: OperatorWorld;
  const open: FakePeer[] = [];
  before(async () => {
    world = makeOperatorWorld();
    // As after the first start of a daemon: there is a database.
    const at = Date.now();
    await world.write(
      peers.saveVerdict({ ...verdict, peer: 'nobody', monitor: 'nothing', at, skewMs: null }),
    );
  });
  after(async () => {
    await Promise.all(open.map((peer) => peer.close()));
    world.remove();
  });

  let files = 0;
  const configured = (...parts: readonly string[]) => {
    files += 1;
    const head = '[server]\ndatabase_path = "statusd.db"\n[health]\nid = "here"\n';
    writeFileSync(join(world.cwd, `${files}.toml`), head + parts.join('\n'));
    return `${files}.toml`;
  };
  const started = async (...given: Parameters<typeof startPeer>) => {
    const peer = await startPeer(...given);
    open.push(peer);
    return peer;
  };
  const compared = async (config: string, ...ids: readonly string[]) => {
    const { code, stdout, stderr } = await world.run('peers', '-c', config, '--json', ...ids);
    assert.notEqual(stdout, '', stderr);
    return { code, ...(JSON.parse(stdout) as Compared) };
  };

  it('says how every monitor looks from every node, now', async () => {
    const paris = await started({ answer: (id) => (id === 'm0' ? seenUp : notWatched) });
    const tokyo = await started({ id: 'tokyo', answer: () => seenDown, skewMs: 60_000 });
    const {
      code,
      node,
      monitors: rows,
      peers: nodes,
    } = await compared(
      configured(
        ...monitors(2),
        '[[monitors]]\nid = "job"\nkind = "push"\npush_token = "token"\n',
        peerLines('paris', paris.origin, 'name = "Paris"'),
        peerLines('tokyo', tokyo.origin),
      ),
    );
    assert.deepEqual([code, node], [0, 'here']);
    const of = (id: string, peer: string) => {
      const { at, ...rest } = rows.find((row) => row.id === id)?.nodes[peer] ?? {};
      assert.equal(at === null, rest['source'] === null);
      return rest;
    };
    assert.deepEqual(of('m0', 'paris'), { status: 'up', latency_ms: 23, error: null, source: 'live' });
    const nothing = { status: null, latency_ms: null, source: null };
    assert.deepEqual(of('m1', 'paris'), { ...nothing, error: 'it does not watch this target' });
    assert.deepEqual(of('m0', 'tokyo'), {
      status: 'down',
      latency_ms: null,
      error: 'it refuses connections',
      source: 'live',
    });
    assert.deepEqual(of('job', 'tokyo'), { ...nothing, error: 'there is no target to ask about' });
    const [first, second] = nodes;
    assert.deepEqual(
      { ...first, clock_skew_ms: 0 },
      { id: 'paris', name: 'Paris', state: null, age: null, reachable: true, error: null, clock_skew_ms: 0 },
    );
    assert.ok(Math.abs(Number(first?.['clock_skew_ms'])) < 2000);
    assert.ok(Math.abs(Number(second?.['clock_skew_ms']) - 60_000) < 2000);
  });

  it('asks about those that are named, and knows no others (exit 5)', async () => {
    const paris = await started();
    const config = configured(...monitors(3), peerLines('paris', paris.origin));
    const { monitors: rows } = await compared(config, 'm2', 'm0');
    assert.deepEqual(
      rows.map(({ id }) => id),
      ['m0', 'm2'],
    );
    assert.deepEqual(paris.asked.toSorted(), ['m0', 'm2']);
    const { code, stderr } = await world.run('peers', '-c', config, 'm9');
    assert.equal(code, 5);
    assert.match(stderr, /there is no monitor 'm9'/);
  });

  it('falls back on the last verdict where no answer can be had (exit 1)', async () => {
    const at = Date.now() - 3_600_000;
    await world.write(peers.saveVerdict({ ...verdict, peer: 'gone', monitor: 'm0', at, skewMs: null }));
    const config = configured(...monitors(2), peerLines('gone', gone));
    const { code, monitors: rows, peers: nodes } = await compared(config);
    assert.equal(code, 1);
    assert.deepEqual(rows[0]?.nodes['gone'], {
      status: 'up',
      latency_ms: 41,
      error: null,
      at: rfc3339(at),
      source: 'stored',
    });
    assert.equal(rows[1]?.nodes['gone']?.['source'], null);
    assert.deepEqual([nodes[0]?.['reachable'], typeof nodes[0]?.['error']], [false, 'string']);
  });

  it('learns once that a token is wrong, and does not insist', async () => {
    const paris = await started({ token: 'another' });
    const { code, peers: nodes } = await compared(
      configured(...monitors(30), peerLines('paris', paris.origin)),
    );
    assert.equal(code, 1);
    assert.deepEqual([nodes[0]?.['reachable'], nodes[0]?.['error']], [false, 'it does not accept the token']);
    assert.ok(paris.connections() <= 10, String(paris.connections()));
  });

  it('asks a few at a time, and comes back to a peer that has enough to do', async () => {
    const paris = await started({
      answer: (_, count) => (count <= 3 ? { status: 429, body: {} } : seenUp),
    });
    const { code, monitors: rows } = await compared(
      configured(...monitors(9), peerLines('paris', paris.origin)),
    );
    assert.equal(code, 0);
    assert.ok(rows.every(({ nodes }) => nodes['paris']?.['status'] === 'up'));
    assert.equal(paris.asked.length, 12);
    assert.ok(paris.mostAtOnce() <= 4, String(paris.mostAtOnce()));
  });

  it('helps where there are no peers, or one that is only listened to', async () => {
    const alone = await world.run('peers', '-c', configured(...monitors(1)));
    assert.deepEqual(
      [alone.code, alone.stdout],
      [0, 'No peers are configured: there is nobody to compare with. See [[peers]].\n'],
    );
    const listened = configured(
      ...monitors(1),
      '[[peers]]\nid = "quiet"\nlisten_token = "x"\nexpect_every_secs = 60',
    );
    const { code, stdout } = await world.run('peers', '-c', listened);
    assert.equal(code, 0);
    assert.match(stdout, /quiet +\? no heartbeat yet +– +not asked: it has no ping_url/);
  });
});
