/** What is an outage and what is a lost network: only silence accuses this node, and no outage is swallowed by it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { samples } from '../../../src/db/tables/samples.ts';
import { answerAll, downRows, hosts, lastStatus, minute, second, settings } from './episodes.ts';
import { type Answer, failed, httpMonitors, openWorld, silent, unknown, up, type World } from './world.ts';

const refused = () => failed('connection', 'connection refused by 192.0.2.1:443');
const noSuchName = () => failed('dns', 'a.example does not exist');
const brokenZone = () => failed('dns', 'the name servers of a.example are failing (SERVFAIL)');
const tlsAlert = () => failed('tls', 'TLS with 192.0.2.1:443 failed: handshake failure');
const hanging = () => silent(10 * second);

function watch(ids: readonly string[], { threshold = 2, intervalSecs = 30, more = '' } = {}): string {
  return settings(threshold) + httpMonitors(ids, `interval_secs = ${intervalSecs}`) + more;
}

function downOf(...ids: string[]): string[] {
  return ids.map((id) => `${id} down waiting`);
}

function blindRows(world: World): Record<string, unknown>[] {
  return world.store.sql.all(
    `SELECT payload FROM outbox WHERE event = 'node_blind' ORDER BY id`,
    [],
    (row) => JSON.parse(row.text('payload')) as Record<string, unknown>,
  );
}

/** How often the beginning of an episode was queued, whatever became of it. */
function beginnings(world: World): number {
  return blindRows(world).filter(({ kind }) => kind === 'node_blind').length;
}

describe('an answer is no sign of a lost network', () => {
  for (const [name, answer] of [
    ['refuse', refused],
    ['do not exist', noSuchName],
    ['have a broken zone', brokenZone],
    ['send a TLS alert', tlsAlert],
  ] as const) {
    for (const count of [3, 4, 8]) {
      it(`alerts for each of ${count} hosts when all ${count} ${name}`, async () => {
        const ids = hosts.slice(0, count);
        const world = await openWorld(watch(ids));
        await world.clock.run(5 * minute);
        answerAll(world, ids, answer);
        await world.clock.run(65 * second);
        assert.deepEqual(downRows(world).sort(), downOf(...ids));
        assert.equal(world.engine.health().network.state, 'ok');
        assert.deepEqual(blindRows(world), []);
        await world.engine.stop();
      });
    }
  }

  it('alerts for 3 of 4 hosts that refuse for 60 s', async () => {
    const world = await openWorld(watch(hosts.slice(0, 4), { intervalSecs: 20 }));
    await world.clock.run(5 * minute);
    answerAll(world, ['a', 'b', 'c'], refused);
    await world.clock.run(60 * second);
    answerAll(world, ['a', 'b', 'c'], () => up());
    await world.clock.run(5 * minute);
    assert.equal(world.openIncidents().length, 0);
    assert.deepEqual(downRows(world).length, 3);
    assert.deepEqual(blindRows(world), []);
    await world.engine.stop();
  });

  it('alerts for a majority that is silent while one host answers', async () => {
    const ids = [...hosts, 'i'];
    for (const count of [5, 8]) {
      const world = await openWorld(watch(ids));
      await world.clock.run(5 * minute);
      const gone = ids.slice(0, count);
      answerAll(world, gone, hanging);
      await world.clock.run(2 * minute);
      assert.deepEqual(downRows(world).sort(), downOf(...gone));
      assert.deepEqual(blindRows(world), []);
      await world.engine.stop();
    }
  });

  it('alerts for silent hosts when the only answer is a refusal', async () => {
    const ids = hosts.slice(0, 4);
    const world = await openWorld(watch(ids));
    await world.clock.run(5 * minute);
    answerAll(world, ids, hanging);
    world.targets.set('d', refused);
    await world.clock.run(2 * minute);
    assert.deepEqual(downRows(world).sort(), downOf(...ids));
    assert.deepEqual(blindRows(world), []);
    await world.engine.stop();
  });

  it('takes the answer of a host that has been down all along', async () => {
    const ids = hosts.slice(0, 4);
    const world = await openWorld(watch(ids));
    world.targets.set('d', refused);
    await world.clock.run(5 * minute);
    answerAll(world, ['a', 'b', 'c'], hanging);
    await world.clock.run(2 * minute);
    assert.deepEqual(downRows(world).sort(), downOf(...ids));
    await world.engine.stop();
  });

  it('asks a host that is checked once an hour before it suspects the network', async () => {
    const rare = httpMonitors(['rare'], 'interval_secs = 3600');
    const world = await openWorld(watch(['a', 'b', 'c'], { more: rare }));
    await world.clock.run(65 * minute);
    answerAll(world, ['a', 'b', 'c'], hanging);
    await world.clock.run(2 * minute);
    assert.deepEqual(downRows(world).sort(), downOf('a', 'b', 'c'));
    assert.deepEqual(blindRows(world), []);
    await world.engine.stop();
  });

  it('asks every host when the first ones asked are silent too', async () => {
    const many = Array.from({ length: 60 }, (_, at) => `m${String(at).padStart(2, '0')}`);
    const rare = httpMonitors(many, 'interval_secs = 7200');
    const world = await openWorld(watch(['a'], { more: rare }));
    await world.clock.run(125 * minute);
    const gone = ['a', ...many.slice(0, 55)];
    answerAll(world, gone, hanging);
    await world.clock.run(2 * minute);
    assert.deepEqual(downRows(world), downOf('a'));
    assert.deepEqual(blindRows(world), []);
    await world.engine.stop();
  });
});

describe('silence everywhere', () => {
  it('reports nothing down when it is over before the network is suspected', async () => {
    const slow = httpMonitors(['c', 'd', 'e'], 'interval_secs = 30');
    const world = await openWorld(watch(['a', 'b'], { intervalSecs: 5, more: slow }));
    let isCut = false;
    answerAll(world, ['a', 'b', 'c', 'd', 'e'], () => (isCut ? silent(5 * second) : up()));
    await world.clock.run(5 * minute);
    for (let cut = 0; cut < 40; cut += 1) {
      isCut = true;
      await world.clock.run(13 * second);
      isCut = false;
      await world.clock.run(2 * minute + 700);
    }
    assert.deepEqual(downRows(world), []);
    await world.engine.stop();
  });

  /** Three hosts whose checks seldom meet, and this machine, which is not cut off from itself. */
  const seldom =
    watch(['a'], { threshold: 1, intervalSecs: 5 }) +
    httpMonitors(['b', 'c'], 'interval_secs = 30') +
    '[[monitors]]\nid = "local"\nkind = "tcp"\ntarget = "127.0.0.1:5432"\ninterval_secs = 1\n';

  it('reports nothing down when a single check of a single host fell into it', async () => {
    const world = await openWorld(seldom);
    let isCut = false;
    answerAll(world, ['a', 'b', 'c'], () => (isCut ? silent(5 * second) : up()));
    await world.clock.run(5 * minute);
    for (let cut = 0; cut < 60; cut += 1) {
      isCut = true;
      await world.clock.run(4 * second);
      isCut = false;
      await world.clock.run(47 * second + 300);
    }
    assert.deepEqual(downRows(world), []);
    await world.engine.stop();
  });

  it('does not hide a host that hangs at a threshold of 1: it is asked once more, and reported', async () => {
    for (const at of [0, 11, 23]) {
      const world = await openWorld(seldom);
      await world.clock.run(5 * minute + at * second);
      world.targets.set('a', () => silent(5 * second));
      // Until its next check 5 s, two checks of 5 s with 1 s between them.
      await world.clock.run(17 * second);
      assert.deepEqual(downRows(world), downOf('a'));
      await world.engine.stop();
    }
  });

  /** Lets `a`, which was down, answer once, and all hosts be silent as its next check begins; it hangs then, or is up. */
  async function cutAsItRecovers({ isHanging }: { readonly isHanging: boolean }): Promise<World> {
    const more = httpMonitors(['b', 'c', 'd'], 'interval_secs = 30');
    const own = httpMonitors(['a'], 'interval_secs = 20\nrecover_threshold = 2');
    const world = await openWorld(settings(1) + own + more);
    let isCut = false;
    const isUp = { a: false, others: true };
    const answer = (of: 'a' | 'others') => () => (isCut || !isUp[of] ? silent(5 * second) : up());
    answerAll(world, ['b', 'c', 'd'], answer('others'));
    await world.clock.run(5 * minute);
    world.targets.set('a', refused);
    await world.clock.run(40 * second);
    assert.deepEqual(downRows(world), downOf('a'));
    isUp.a = true;
    world.targets.set('a', answer('a'));
    while (world.engine.stateOf('a')?.recoveries !== 1) await world.clock.run(second);
    await world.clock.run(17 * second);
    isCut = true;
    isUp.a = !isHanging;
    await world.clock.run(4 * second);
    isCut = false;
    return world;
  }

  it('does not keep an outage open whose target answers before and after it', async () => {
    const world = await cutAsItRecovers({ isHanging: false });
    await world.clock.run(25 * second);
    assert.deepEqual(world.openIncidents(), []);
    await world.engine.stop();
  });

  it('does not end an outage whose target hangs beyond it', async () => {
    const world = await cutAsItRecovers({ isHanging: true });
    await world.clock.run(25 * second);
    assert.equal(world.engine.stateOf('a')?.recoveries, 0);
    world.targets.set('a', () => up());
    await world.clock.run(19 * second);
    assert.equal(world.openIncidents().length, 1, 'the answer before it counts no more');
    await world.clock.run(30 * second);
    assert.deepEqual(world.openIncidents(), []);
    await world.engine.stop();
  });

  it('is no reason to ask once more where others answered all the while', async () => {
    const more = httpMonitors(['b', 'c', 'd'], 'interval_secs = 1');
    const world = await openWorld(watch(['a'], { threshold: 1, intervalSecs: 5, more }));
    await world.clock.run(5 * minute);
    world.targets.set('a', () => silent(5 * second));
    await world.clock.run(11 * second);
    assert.deepEqual(downRows(world), downOf('a'));
    await world.engine.stop();
  });

  it('is a lost network: no target is reported down, and one message names the monitors', async () => {
    const world = await openWorld(watch(hosts));
    await world.clock.run(5 * minute);
    answerAll(world, hosts, hanging);
    await world.clock.run(30 * minute);
    assert.deepEqual(downRows(world), []);
    assert.equal(beginnings(world), 1);
    assert.deepEqual(blindRows(world)[0]?.['monitors'], hosts);
    assert.equal(world.engine.health().network.state, 'lost');
    await world.engine.stop();
  });

  it('is seen the same where most names cannot be resolved', async () => {
    const world = await openWorld(watch(hosts.slice(0, 4)));
    await world.clock.run(5 * minute);
    answerAll(world, hosts.slice(0, 4), () => unknown('no name server answered for b.example (ETIMEOUT)'));
    world.targets.set('a', hanging);
    await world.clock.run(10 * minute);
    assert.deepEqual(downRows(world), []);
    assert.equal(world.engine.health().network.state, 'lost');
    await world.engine.stop();
  });

  it('reports nothing down when hosts that were down before leave two others alone', async () => {
    const ids = hosts.slice(0, 4);
    const world = await openWorld(watch(ids));
    answerAll(world, ['c', 'd'], hanging);
    await world.clock.run(10 * minute);
    assert.deepEqual(downRows(world).sort(), downOf('c', 'd'));
    answerAll(world, ids, hanging);
    await world.clock.run(10 * minute);
    assert.deepEqual(downRows(world).sort(), downOf('c', 'd'), 'a and b fell silent at once');
    assert.equal(beginnings(world), 1);
    await world.engine.stop();
  });

  it('records neither up nor down while it lasts, and shows unknown at once', async () => {
    const world = await openWorld(watch(hosts));
    await world.clock.run(5 * minute);
    answerAll(world, hosts, hanging);
    await world.clock.run(3 * minute);
    const sinceAt = world.clock.now();
    assert.equal(world.engine.health().network.state, 'lost');
    for (const id of hosts) assert.equal(world.engine.stateOf(id)?.status, 'unknown', id);
    await world.clock.run(20 * minute);
    for (const id of hosts) {
      const seen = samples
        .recent(world.store.sql, id, { limit: 100, hours: 2 })
        .filter(({ at }) => at > sinceAt);
      assert.ok(seen.length >= 30, 'it goes on asking');
      assert.deepEqual([...new Set(seen.map(({ status }) => status))], ['unknown']);
    }
    await world.engine.stop();
  });

  for (const answer of [hanging, refused]) {
    for (const threshold of [1, 3]) {
      it(`opens an incident from the first failure on for what is still down afterwards (${answer.name}, ${threshold})`, async () => {
        const world = await openWorld(watch(hosts, { threshold }));
        await world.clock.run(5 * minute);
        const cutAt = world.clock.now();
        answerAll(world, hosts, hanging);
        await world.clock.run(40 * minute);
        answerAll(world, hosts, () => up());
        world.targets.set('a', answer);
        const backAt = world.clock.now();
        await world.clock.run(75 * second);
        assert.deepEqual(downRows(world), downOf('a'));
        const [incident] = incidents.listOpen(world.store.sql);
        assert.ok(incident !== undefined);
        assert.ok(incident.startedAt - cutAt <= 42 * second, 'from its first failure');
        assert.ok(incident.confirmedAt >= backAt, 'believed when the network was there again');
        assert.equal(beginnings(world), 1);
        assert.equal(lastStatus(world, 'b'), 'up');
        await world.clock.run(20 * minute);
        assert.deepEqual(downRows(world), downOf('a'), 'and it is sent once');
        await world.engine.stop();
      });
    }
  }

  it('opens that incident after a restart in the middle as well', async () => {
    const world = await openWorld(watch(hosts, { threshold: 3 }));
    await world.clock.run(5 * minute);
    const cutAt = world.clock.now();
    answerAll(world, hosts, hanging);
    await world.clock.run(10 * minute);
    await world.restart();
    await world.clock.run(10 * minute);
    answerAll(world, hosts.slice(1), () => up());
    await world.clock.run(75 * second);
    assert.deepEqual(downRows(world), downOf('a'));
    const [incident] = incidents.listOpen(world.store.sql);
    assert.ok(incident !== undefined && incident.startedAt - cutAt <= 42 * second);
    assert.equal(beginnings(world), 1);
    await world.engine.stop();
  });

  it('looks soon at what is checked rarely when the network is back', async () => {
    const rare = httpMonitors(['rare'], 'interval_secs = 3600');
    const world = await openWorld(watch(hosts, { more: rare }));
    await world.clock.run(65 * minute);
    answerAll(world, [...hosts, 'rare'], hanging);
    await world.clock.run(5 * minute);
    answerAll(world, hosts, () => up());
    await world.clock.run(2 * minute);
    assert.deepEqual(downRows(world), downOf('rare'));
    await world.engine.stop();
  });

  it('is over for a monitor that answers: no incident, and the streak is gone', async () => {
    const world = await openWorld(watch(hosts, { threshold: 3 }));
    await world.clock.run(5 * minute);
    answerAll(world, hosts, hanging);
    await world.clock.run(10 * minute);
    answerAll(world, hosts, () => up());
    await world.clock.run(3 * minute);
    answerAll(world, ['a'], hanging);
    await world.clock.run(45 * second);
    answerAll(world, ['a'], () => up());
    await world.clock.run(5 * minute);
    assert.deepEqual(downRows(world), []);
    await world.engine.stop();
  });

  it('ends when a single host answers, and the failures of the others are trusted', async () => {
    const world = await openWorld(watch(hosts));
    await world.clock.run(5 * minute);
    answerAll(world, hosts, hanging);
    await world.clock.run(10 * minute);
    world.targets.set('h', refused);
    await world.clock.run(2 * minute);
    assert.equal(world.engine.health().network.state, 'ok');
    assert.deepEqual(downRows(world).sort(), downOf(...hosts));
    await world.engine.stop();
  });

  it('does not hide an outage on this machine', async () => {
    const local = '[[monitors]]\nid = "local"\nkind = "tcp"\ntarget = "127.0.0.1:5432"\ninterval_secs = 30\n';
    for (const answer of [refused, hanging]) {
      const world = await openWorld(watch(hosts, { more: local }));
      await world.clock.run(5 * minute);
      answerAll(world, hosts, hanging);
      await world.clock.run(5 * minute);
      world.targets.set('local', answer);
      await world.clock.run(2 * minute);
      assert.equal(world.engine.health().network.state, 'lost', 'a refusal here says nothing of the network');
      assert.deepEqual(downRows(world), downOf('local'));
      await world.engine.stop();
    }
  });
});

describe('one message for one episode', () => {
  const lasting = settings(2).replace('group_window_secs = 0', 'group_window_secs = 60');
  const ids = hosts.slice(0, 4);
  const toml = lasting + httpMonitors(ids, 'interval_secs = 10');

  async function cutShort(world: World, answer: () => Answer, ms: number): Promise<void> {
    answerAll(world, ids, answer);
    await world.clock.run(ms);
  }

  it('when the network comes back for a moment', async () => {
    const world = await openWorld(toml);
    await world.clock.run(5 * minute);
    await cutShort(world, silent, 5 * minute);
    assert.equal(beginnings(world), 1);
    await cutShort(world, () => up(), 20 * second);
    assert.equal(world.engine.health().network.state, 'ok');
    await cutShort(world, silent, 5 * minute);
    assert.equal(world.engine.health().network.state, 'lost');
    const waiting = world.outbox().filter((row) => row === '- node_blind waiting');
    assert.equal(waiting.length, 1, 'the end of the first half is not said');
    await cutShort(world, () => up(), 5 * minute);
    const ends = blindRows(world).filter(({ kind }) => kind === 'node_sighted');
    assert.deepEqual(
      new Set(ends.map(({ startedAt }) => startedAt)).size,
      1,
      'one episode from the first silence on',
    );
    assert.equal(world.outbox().filter((row) => row === '- node_blind waiting').length, 1);
    await world.engine.stop();
  });

  it('when the daemon is restarted or its configuration loaded anew meanwhile', async () => {
    const world = await openWorld(toml);
    await world.clock.run(5 * minute);
    await cutShort(world, silent, 5 * minute);
    await world.restart();
    await world.clock.run(5 * minute);
    await world.reload(toml + '\n[digest]\n');
    await world.clock.run(5 * minute);
    await world.reload(toml.replaceAll('interval_secs = 10', 'interval_secs = 11'));
    await world.clock.run(5 * minute);
    assert.equal(world.engine.health().network.state, 'lost');
    assert.equal(beginnings(world), 1);
    assert.deepEqual(downRows(world), []);
    await world.engine.stop();
  });

  it('when a load leaves too few hosts to judge, and what was silent meanwhile is not reported', async () => {
    const three = hosts.slice(0, 3);
    const two = three.slice(0, 2);
    const world = await openWorld(watch(three, { threshold: 3 }));
    await world.clock.run(5 * minute);
    answerAll(world, three, hanging);
    await world.clock.run(2 * minute);
    assert.equal(world.engine.health().network.state, 'lost');
    await world.reload(watch(two, { threshold: 3 }));
    await world.clock.run(50 * second);
    assert.deepEqual(downRows(world), []);
    answerAll(world, two, up);
    await world.clock.run(5 * minute);
    assert.deepEqual(downRows(world), []);
    // And the same with an outage in it: what stays silent is confirmed by checks of the time after.
    answerAll(world, two, hanging);
    await world.clock.run(3 * minute);
    assert.deepEqual(downRows(world).sort(), downOf(...two));
    await world.engine.stop();
  });

  for (const [how, intervalSecs, isRestarted] of [
    ['', 30, false],
    [' and changes their settings', 31, false],
    [', and the program is started again', 30, true],
  ] as const)
    it(`also when the load comes before anything is doubted${how}`, async () => {
      const three = hosts.slice(0, 3);
      const two = three.slice(0, 2);
      const world = await openWorld(watch(three, { threshold: 2 }));
      await world.clock.run(5 * minute);
      const before = world.checks.length;
      answerAll(world, three, hanging);
      const silent = () => new Set(world.checks.slice(before).map(({ id }) => id));
      while (silent().size < three.length) await world.clock.run(second);
      await world.clock.run(11 * second);
      assert.equal(world.engine.health().network.state, 'ok');
      await world.reload(watch(two, { threshold: 2, intervalSecs }));
      if (isRestarted) await world.restart();
      await world.clock.run(29 * second);
      assert.deepEqual(downRows(world), []);
      answerAll(world, two, up);
      await world.clock.run(5 * minute);
      assert.deepEqual(downRows(world), []);
      await world.engine.stop();
    });

  it('and a real outage that goes on after such a load is reported', async () => {
    const three = hosts.slice(0, 3);
    const two = three.slice(0, 2);
    const world = await openWorld(watch(three, { threshold: 3 }));
    await world.clock.run(5 * minute);
    answerAll(world, three, hanging);
    await world.clock.run(2 * minute);
    await world.reload(watch(two, { threshold: 3 }));
    await world.clock.run(3 * minute);
    assert.deepEqual(downRows(world).sort(), downOf(...two));
    await world.engine.stop();
  });

  it('and another one for what happens an hour later', async () => {
    const world = await openWorld(toml);
    for (let episode = 1; episode <= 2; episode += 1) {
      await world.clock.run(60 * minute);
      await cutShort(world, silent, 5 * minute);
      answerAll(world, ids, () => up());
      assert.equal(beginnings(world), episode);
    }
    await world.engine.stop();
  });
});
