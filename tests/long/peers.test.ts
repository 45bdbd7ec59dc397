/** What three nodes say of an outage, and of a target that one of them alone does not reach. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openNetworkLab } from '../support/network-lab.ts';
import { bys, latenessOf, names, openTrio, type Trio, verdictsIn } from './peers-trio.ts';

/** What a message may be later for asking the peers, and what a busy machine may need on top of it. */
const mostLateMs = 12_000 + 4000;

const lab = openNetworkLab(names);

describe('three nodes', { skip: lab === null && 'this machine does not allow network namespaces' }, () => {
  let trio: Trio;
  before(async () => {
    if (lab !== null) trio = await openTrio(lab);
  });
  after(async () => {
    if (lab === null) return;
    try {
      await trio.close();
    } finally {
      lab.close();
    }
  });

  it('receive heartbeats of each other, and notify nobody', async () => {
    await trio.untilAllWell();
    assert.deepEqual(trio.notified, []);
    await trio.missSooner();
  });

  it('notify a real outage as confirmed by the others, once each, also beside a liar', async (t) => {
    trio.statuses.web = 500;
    await trio.untilNotified('down', 'web', names);
    for (const message of trio.heard('down', 'web')) {
      assert.ok(latenessOf(message) <= mostLateMs, `${latenessOf(message)} ms late`);
      const others = names.filter((name) => name !== message.by).map((name) => `${name} down`);
      assert.deepEqual(verdictsIn(message), message.by === 'c' ? [...others, 'liar up'] : others);
    }
    const late = trio.heard('down', 'web').map(latenessOf);
    t.diagnostic(`told ${Math.max(...late)} ms after their windows, at most`);
    trio.statuses.web = 200;
    await trio.untilNotified('recovered', 'web', names);
    assert.deepEqual(bys(trio.heard('down')), ['a', 'b', 'c']);
  });

  it('show in one table what each of them sees', async () => {
    const { code, stdout } = await trio.cli('a', 'peers', '--json', 'web', 'steady');
    const { monitors, peers } = JSON.parse(stdout) as {
      monitors: { id: string; nodes: Record<string, { status: string; source: string }> }[];
      peers: { id: string; state: string; reachable: boolean; clock_skew_ms: number }[];
    };
    assert.equal(code, 0);
    const seen = (id: string) => monitors.map(({ nodes }) => `${nodes[id]?.source} ${nodes[id]?.status}`);
    assert.deepEqual(
      [seen('b'), seen('c')],
      [
        ['live up', 'live up'],
        ['live up', 'live up'],
      ],
    );
    assert.deepEqual(
      peers.map(({ id, state, reachable }) => ({ id, state, reachable })),
      ['b', 'c'].map((id) => ({ id, state: 'up', reachable: true })),
    );
    // They share one clock, and a Date header counts whole seconds.
    for (const { clock_skew_ms } of peers) assert.ok(Math.abs(clock_skew_ms) < 2000, String(clock_skew_ms));
  });

  it('take no token but the right one, and know of each other what doctor wants to know', async () => {
    const body = JSON.stringify({ from: 'b', id: 'web', kind: 'http', target: trio.targets[0] });
    const ask = async (token: string) => {
      const headers = { 'x-push-token': token };
      const url = `${trio.node('a').url}api/peer/probe`;
      return (await fetch(url, { method: 'POST', headers, body })).status;
    };
    assert.deepEqual(
      [await ask('from-b'), await ask('from-a'), await ask('operator-token')],
      [200, 401, 401],
    );
    const { stdout } = await trio.cli('c', 'doctor', '--json');
    const { checks } = JSON.parse(stdout) as {
      checks: { check: string; verdict: string; message: string }[];
    };
    const found = checks.filter(({ check }) => check === 'peers');
    assert.deepEqual(new Set(found.map(({ verdict }) => verdict)), new Set(['ok']), JSON.stringify(found));
    const known = 'b accepts the token, and monitors 3 of 3 compared targets';
    assert.ok(
      found.some(({ message }) => message === known),
      JSON.stringify(found),
    );
  });

  it('with one sick vantage, notify at low severity what that one alone does not reach, and no node down', async (t) => {
    const shop = new URL(trio.targets[1] ?? '').hostname;
    lab?.cut('a', shop);
    lab?.cut('a', lab.addressOf('b'));
    await Promise.all([
      trio.untilNotified('down', 'shop', ['a']),
      trio.untilNotified('peer_link_degraded', 'b', ['a']),
      trio.untilNotified('peer_link_degraded', 'a', ['b']),
    ]);
    const [message] = trio.heard('down', 'shop');
    assert.deepEqual(verdictsIn(message), ['b nothing', 'c up']);
    assert.ok(message !== undefined && latenessOf(message) <= mostLateMs);
    t.diagnostic(`told ${latenessOf(message)} ms after its window, with a peer that does not answer`);
    lab?.heal('a', shop);
    lab?.heal('a', lab.addressOf('b'));
    await Promise.all([trio.untilAllWell(), trio.untilNotified('recovered', 'shop', ['a'])]);
    assert.deepEqual(bys(trio.heard('down', 'shop')), ['a']);
    assert.deepEqual(trio.heard('peer_down'), []);
  });
});
