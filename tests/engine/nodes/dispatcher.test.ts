/** A leader and its nodes in one process: what is asked of whom, what counts, and who is left out. */
import assert from 'node:assert/strict';
import { afterEach, before, describe, it } from 'node:test';
import type { Config } from '../../../src/engine/config/config.ts';
import { rankNodes } from '../../../src/engine/nodes/rank.ts';
import { load } from '../../support/config.ts';
import { until } from '../../support/daemon.ts';
import { Fleet, type FleetOptions, healthy, refused, silent, unable } from './fleet.ts';

const monitors = Array.from(
  { length: 12 },
  (_, index) =>
    `[[monitors]]\nid = "m${index}"\ntarget = "http://host${index}.example/"\nprobe_retries = 1\ntimeout_secs = 60\n`,
);
const text = `
[node]
token = "t"

${monitors.join('\n')}
[[monitors]]
id = "only-b"
target = "http://inside.example/"
nodes = ["b"]
`;

describe('checks by several nodes', () => {
  let config: Config;
  const fleets: Fleet[] = [];
  before(async () => {
    ({ config } = await load(text));
  });
  afterEach(() => {
    for (const fleet of fleets.splice(0)) fleet.stop();
  });

  const start = (options: Omit<FleetOptions, 'config'> & Partial<FleetOptions>): Fleet => {
    const fleet = new Fleet({ config, ...options });
    fleets.push(fleet);
    return fleet;
  };
  const ids = Array.from({ length: 12 }, (_, index) => `m${index}`);
  const ofNode = (node: string) => ids.filter((id) => rankNodes(id, ['a', 'b'])[0] === node);
  const [ofA = '', ofA2 = ''] = ofNode('a');
  const [ofB = '', ofB2 = '', ofB3 = ''] = ofNode('b');
  const up = () => healthy;

  it('are shared by rank, and hand the result of the other node over whole', async () => {
    const both = start({ sees: { a: up, b: (id) => ({ ...healthy, latencyMs: Number(id.slice(1)) }) } });
    const results = await Promise.all(ids.map((id) => both.check(id)));
    for (const [index, id] of ids.entries()) {
      const node = rankNodes(id, ['a', 'b'])[0] ?? '';
      assert.deepEqual(results[index], node === 'a' ? healthy : { ...healthy, latencyMs: index });
      assert.ok(both.attempted.includes(`${node} ${id}`));
    }
    assert.equal(both.attempted.length, ids.length);
    assert.ok(both.posts <= 4, `${both.posts} questions for ${ofNode('b').length} checks`);
  });

  it('are made here alone without a token', async () => {
    const { config: bare } = await load(text.replace('token = "t"', 'token = ""'));
    const alone = start({ config: bare, sees: { a: up, b: up } });
    for (const id of ids) await alone.check(id);
    assert.deepEqual(new Set(alone.attempted.map((attempt) => attempt[0])), new Set(['a']));
    assert.equal(alone.posts, 0);
  });

  it('fail when two nodes have seen it, and name both', async () => {
    const down = start({ sees: { a: () => refused, b: () => refused } });
    const result = await down.check(ofB);
    assert.equal(result.outcome, 'failed');
    assert.equal(result.reason?.message, 'answered 503, seen from b and a');
    assert.deepEqual(down.nodesAsked(ofB), ['b', 'a']);
  });

  it('do not fail where the other node gets an answer, and stay with that node', async () => {
    const split = start({ sees: { a: up, b: (id) => (id === ofB ? refused : healthy) } });
    assert.equal((await split.check(ofB)).outcome, 'healthy');
    assert.deepEqual(split.nodesAsked(ofB), ['b', 'a']);
    assert.equal((await split.check(ofB)).outcome, 'healthy');
    assert.deepEqual(split.nodesAsked(ofB), ['a']);
  });

  it('go to the next node where one cannot ask', async () => {
    const noPing = start({ sees: { a: up, b: () => unable } });
    assert.equal((await noPing.check(ofB)).outcome, 'healthy');
    const none = start({ sees: { a: () => unable, b: () => unable } });
    const result = await none.check(ofB);
    assert.equal(result.outcome, 'unknown');
    assert.match(result.reason?.message ?? '', /ping is missing, seen from/);
  });

  it('are not asked of a node that makes none, unless that leads and is the last', async () => {
    const other = start({ selfProbes: false, sees: { a: up, b: up } });
    for (const id of ids) await other.check(id);
    assert.deepEqual(new Set(other.attempted.map((attempt) => attempt[0])), new Set(['b']));
    other.gone.add('b');
    const last = start({ selfProbes: false, sees: { a: up } });
    assert.equal((await last.check(ofA)).outcome, 'healthy');
  });

  it('of a monitor for one node are made there or not at all', async () => {
    const there = start({ sees: { a: () => refused, b: up } });
    assert.equal((await there.check('only-b')).outcome, 'healthy');
    const away = start({ sees: { a: up } });
    const result = await away.check('only-b');
    assert.equal(result.outcome, 'unknown');
    assert.equal(result.reason?.message, 'no node of those that may check it is there: b');
    assert.deepEqual(away.attempted, []);
  });

  it('are nothing to leave a node out for once this one no longer leads, which ends what it asks', async () => {
    const posts: ((posted: { status: number; text: string }) => void)[] = [];
    const both = start({ sees: { a: up, b: up }, between: () => new Promise((end) => posts.push(end)) });
    const checked = both.check(ofB).catch(() => undefined);
    await until(
      () => posts.length > 0,
      () => 'b is not asked',
    );
    both.stop();
    for (const end of posts) end({ status: 0, text: 'The client is destroyed' });
    await checked;
    assert.deepEqual(both.events('node.left_out'), []);
  });

  describe('with a node that does not answer as it should', () => {
    const troubles: readonly (readonly [string, FleetOptions['between'] & object, RegExp])[] = [
      [
        'is gone',
        () => ({ status: 0, text: 'connect ECONNREFUSED' }),
        /^b does not answer: connect ECONNREFUSED/,
      ],
      ['knows another token', () => ({ status: 401, text: '{}' }), /^b refuses the token/],
      ['answers garbage', () => ({ status: 200, text: '<html>' }), /^b answers what no node does/],
      ['answers lists', () => ({ status: 200, text: '[]' }), /^b answers what no node does/],
      ['fails', () => ({ status: 500, text: '' }), /^b answers with status 500/],
    ];
    for (const [what, between, message] of troubles)
      it(`goes on when it ${what}, and says so once`, async () => {
        const both = start({
          sees: { a: up, b: up },
          between: (node) => (node === 'b' ? between(node, noPost) : undefined),
        });
        const results = await Promise.all(ids.map((id) => both.check(id)));
        assert.ok(results.every(({ outcome }) => outcome === 'healthy'));
        for (const id of ids) assert.equal((await both.check(id)).outcome, 'healthy');
        assert.equal(both.events('node.left_out').length, 1);
        assert.match(both.events('node.left_out')[0] ?? '', message);
        for (const id of ofNode('b')) assert.ok(both.attempted.includes(`a ${id}`));
      });

    it('takes a result that cannot be read for none, and still sees a real outage', async () => {
      const broken = start({
        sees: { a: (id) => (id === ofB2 ? refused : healthy), b: up },
        between: (node, { body }) => {
          const { checks } = JSON.parse(body) as { readonly checks: readonly { readonly n: number }[] };
          const findings = checks.map(({ n }) => ({ n, result: { outcome: 'splendid' } }));
          return { status: 200, text: JSON.stringify({ node, at: Date.now(), findings }) };
        },
      });
      const [first, second] = await Promise.all([broken.check(ofB), broken.check(ofB2)]);
      assert.equal(first.outcome, 'healthy');
      assert.equal(second.outcome, 'failed');
    });

    it('tries it again after a pause, and gives it back what was its own', async () => {
      let isGone = true;
      const both = start({
        sees: { a: up, b: up },
        between: () => (isGone ? { status: 0, text: 'gone' } : undefined),
      });
      await both.check(ofB);
      isGone = false;
      await until(
        () => both.events('node.back').length === 1,
        () => JSON.stringify(both.log),
      );
      both.attempted.splice(0);
      await both.check(ofB);
      assert.deepEqual(both.nodesAsked(ofB), ['b']);
    });

    it('leaves out a node on another configuration, or with a clock far off', async () => {
      const other = start({ sees: { a: up, b: up } });
      other.changed.add('b');
      assert.equal((await other.check(ofB)).outcome, 'healthy');
      assert.match(other.events('node.left_out')[0] ?? '', /another configuration or version/);
      const late = start({ sees: { a: up, b: up }, skewMs: { b: -3_600_000 } });
      await late.check(ofB);
      assert.match(late.events('node.left_out')[0] ?? '', /^b has a clock that is 1h behind/);
    });

    it('asks elsewhere what is too much for it, and does not leave it out', async () => {
      const busy = start({ sees: { a: up, b: up }, places: 0 });
      assert.equal((await busy.check(ofB)).outcome, 'healthy');
      assert.deepEqual(busy.nodesAsked(ofB), ['a']);
      assert.deepEqual(busy.log, []);
    });
  });

  describe('are counted', () => {
    const countsOf = (fleet: Fleet) =>
      Object.fromEntries(fleet.counts.all().map(({ node, outcome, count }) => [`${node} ${outcome}`, count]));

    it('by node and by what came of them', async () => {
      const both = start({ sees: { a: up, b: () => unable } });
      for (const id of ids) await both.check(id);
      const [own, other] = [ofNode('a').length, ofNode('b').length];
      assert.deepEqual(countsOf(both), { 'a result': own + other, 'b result': other });
      const busy = start({ sees: { a: up, b: up }, places: 0 });
      for (const id of ids) await busy.check(id);
      assert.deepEqual(countsOf(busy), { 'a result': own + other, 'b busy': other });
    });

    it('while the leader has no other node, too, and not without a token', async () => {
      const last = start({ sees: { a: up } });
      await last.check(ofA);
      assert.deepEqual([countsOf(last), last.counts.fallbacks], [{ 'a result': 1 }, 0]);
      const { config: bare } = await load(text.replace('token = "t"', 'token = ""'));
      const alone = start({ config: bare, sees: { a: up, b: up } });
      await alone.check(ofA);
      assert.deepEqual(countsOf(alone), {});
      assert.deepEqual(alone.dispatcher.standings(), []);
    });

    it('as made in place of others where none of these can, once a check', async () => {
      const down = { a: () => refused, b: () => unable };
      const both = start({ sees: down });
      assert.equal((await both.check(ofB)).outcome, 'failed');
      assert.equal(both.counts.fallbacks, 1);
      // Those of its own are not among them.
      await both.check(ofA);
      assert.equal(both.counts.fallbacks, 1);
      const third = start({ sees: { ...down, c: up } });
      for (const id of ids) await third.check(id);
      assert.equal(third.counts.fallbacks, 0);
    });

    it('with the nodes that are left out', async () => {
      const both = start({
        sees: { a: up, b: up },
        between: () => ({ status: 0, text: 'gone' }),
      });
      const standings = () =>
        both.dispatcher.standings().map(({ node, isLeftOut }) => `${node} ${isLeftOut ? 'out' : 'in'}`);
      assert.deepEqual(standings(), ['a in', 'b in']);
      await both.check(ofB);
      assert.deepEqual(standings(), ['a in', 'b out']);
      assert.deepEqual(countsOf(both), { 'a result': 1, 'b no_reply': 1 });
      assert.equal(both.counts.fallbacks, 1);
      await both.check(ofB2);
      assert.equal(both.counts.fallbacks, 2);
      both.gone.add('b');
      await until(
        () => standings().length === 1,
        () => standings().join(),
      );
    });
  });

  describe('with a node whose network is gone', () => {
    const without = (dead: readonly string[]) => (id: string) => (dead.includes(id) ? silent : healthy);

    it('reports no target as down that this node alone does not reach, and leaves the node out', async () => {
      const cut = start({ sees: { a: up, b: () => silent } });
      for (const id of ofNode('a')) await cut.check(id);
      const results = await Promise.all(ofNode('b').map((id) => cut.check(id)));
      assert.ok(results.every(({ outcome }) => outcome === 'healthy'));
      await until(
        () => cut.events('node.left_out').length > 0,
        () => 'it is not left out',
      );
      assert.deepEqual(cut.events('node.left_out'), [
        'b reaches none of the hosts that other nodes reach: other nodes make its checks',
      ]);
      cut.attempted.splice(0);
      await cut.check(ofB);
      assert.deepEqual(cut.nodesAsked(ofB), ['a']);
    });

    it('sees a real outage meanwhile', async () => {
      const cut = start({ sees: { a: without([ofB, ofA]), b: () => silent } });
      for (const id of ofNode('a')) await cut.check(id);
      for (const id of [ofA, ofB]) {
        const result = await cut.check(id);
        assert.equal(result.outcome, 'failed', id);
        assert.equal(result.isSilence, true);
      }
    });

    it('goes on through the other node when it is the one that leads', async () => {
      const cut = start({ sees: { a: () => silent, b: without([ofA2]) } });
      for (const id of ofNode('b')) await cut.check(id);
      assert.equal((await cut.check(ofA)).outcome, 'healthy');
      // With a real outage in it.
      assert.equal((await cut.check(ofA2)).outcome, 'failed');
      await until(
        () => cut.events('node.left_out').length > 0,
        () => 'the leader is not left out',
      );
      assert.match(cut.events('node.left_out')[0] ?? '', /^a reaches none/);
      assert.equal(await cut.dispatcher.ownReachability()?.reachesHosts(Infinity), false);
    });

    it('hands over when it is the one that leads, once it stays so', async () => {
      const cut = start({ sees: { a: () => silent, b: up } });
      for (const id of ofNode('b')) await cut.check(id);
      await cut.check(ofA);
      await until(
        () => cut.events('node.left_out').length > 0,
        () => 'the leader is not left out',
      );
      assert.equal(cut.handedOver, 0);
      await until(
        async () => (await cut.check(ofB)).outcome === 'healthy' && cut.handedOver > 0,
        () => 'it goes on leading',
      );
    });

    it('finds out when it cannot send, also when it makes no checks, and hands over', async () => {
      const cut = start({ selfProbes: false, sees: { a: () => silent, b: up } });
      for (const id of ids) await cut.check(id);
      assert.deepEqual(cut.events('node.left_out'), []);
      cut.dispatcher.noteUnsent();
      await until(
        async () => (await cut.check(ofB)).outcome === 'healthy' && cut.handedOver > 0,
        () => 'it goes on leading',
      );
    });

    it('goes on leading when only what it cannot send to is gone', async () => {
      const well = start({ selfProbes: false, sees: { a: up, b: up } });
      for (const id of ids) await well.check(id);
      well.dispatcher.noteUnsent();
      assert.equal(await well.dispatcher.ownReachability()?.reachesHosts(Infinity), true);
      assert.ok(well.attempted.some((attempt) => attempt.startsWith('a ')));
      assert.deepEqual([well.events('node.left_out'), well.handedOver], [[], 0]);
    });

    it('does not hand over when it is only cut off for a while, or nobody reaches more', async () => {
      let isCut = true;
      const brief = start({ sees: { a: () => (isCut ? silent : healthy), b: up } });
      const dark = start({ sees: { a: () => silent, b: () => (isCut ? healthy : silent) } });
      for (const each of [brief, dark]) {
        for (const id of ofNode('b')) await each.check(id);
        await each.check(ofA);
        await until(
          () => each.events('node.left_out').length > 0,
          () => 'the leader is not left out',
        );
      }
      isCut = false;
      await until(
        () => brief.events('node.back').length > 0,
        () => 'it is not back',
      );
      await until(
        () => dark.attempted.filter((attempt) => attempt.startsWith('a ')).length > 20,
        () => dark.attempted.join(),
      );
      assert.deepEqual([brief.handedOver, dark.handedOver], [0, 0]);
    });

    it('knows nothing of a target that only that node may check', async () => {
      const cut = start({ sees: { a: up, b: () => silent } });
      for (const id of ofNode('a')) await cut.check(id);
      const result = await cut.check('only-b');
      assert.equal(result.outcome, 'unknown');
      assert.equal(result.reason?.ownFault, 'node_network b');
      // The same with a real outage in it: b reaches the others.
      const well = start({ sees: { a: up, b: without(['only-b']) } });
      for (const id of ids) await well.check(id);
      assert.equal((await well.check('only-b')).outcome, 'failed');
    });

    it('leaves it to the one that leads to suspect the network of all when nobody reaches anything', async () => {
      const dark = start({ sees: { a: () => silent, b: () => silent } });
      const results = await Promise.all(ids.map((id) => dark.check(id)));
      assert.ok(results.every(({ outcome, isSilence }) => outcome === 'failed' && isSilence === true));
      assert.deepEqual(dark.events('node.left_out'), []);
    });

    it('keeps the silence that the leader met when another node cannot check at all', async () => {
      const { config: single } = await load(text.replaceAll('probe_retries = 1', 'probe_retries = 0'));
      let isDark = false;
      const sees = { a: () => (isDark ? silent : healthy), b: () => (isDark ? unable : healthy) };
      const dark = start({ config: single, sees });
      for (const id of ids) await dark.check(id);
      isDark = true;
      const { outcome, isSilence } = await dark.check(ofA);
      assert.deepEqual([outcome, isSilence], ['failed', true]);
      // What b cannot check, a does: a real outage of it is seen.
      const down = start({ config: single, sees: { a: without([ofA]), b: () => unable } });
      await down.check(ofA2);
      assert.equal((await down.check(ofA)).outcome, 'failed');
    });

    it('takes it back when it reaches them again', async () => {
      let isCut = true;
      const cut = start({ sees: { a: up, b: () => (isCut ? silent : healthy) } });
      for (const id of ofNode('a')) await cut.check(id);
      await cut.check(ofB3);
      await until(
        () => cut.events('node.left_out').length > 0,
        () => 'it is not left out',
      );
      isCut = false;
      await until(
        () => cut.events('node.back').length === 1,
        () => JSON.stringify(cut.log),
      );
    });
  });
});

const noPost = { url: '', token: '', body: '', timeoutMs: 0 };
