import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { Lease } from '../../../src/db/shared/lease.ts';
import { createLink, type DatabaseLink, LinkError } from '../../../src/db/shared/link.ts';
import { statementsOf } from '../../../src/db/shared/statements.ts';
import { type Postgres, skipWithoutPostgres, startPostgres } from '../../support/postgres.ts';
import { realClock } from '../../support/real-clock.ts';

const leaseMs = 300_000;
const deadlineMs = 60_000;
const statements = statementsOf('statusd', 6);
const isLocked = (error: unknown): boolean => error instanceof LinkError && error.sqlState === '55P03';

describe('the lease of the leader', { skip: skipWithoutPostgres }, () => {
  let postgres: Postgres;
  let url = '';
  let links: DatabaseLink[] = [];
  let nowMs = 0;
  const clock = { monotonic: () => nowMs, sleep: realClock.sleep };
  before(async () => {
    postgres = await startPostgres();
  });
  after(async () => {
    await Promise.all(links.map((link) => link.close()));
    await postgres.stop();
  });
  const newLink = () => {
    const link = createLink(url, realClock);
    links.push(link);
    return link;
  };
  /** `cuttable` reaches the database over `link` while it is not cut. */
  const newCuttable = () => {
    let isCut = false;
    const link = newLink();
    const cuttable: DatabaseLink = {
      ...link,
      run: (statement, ms) =>
        isCut ? Promise.reject(new LinkError('refused', null, new Error('cut'))) : link.run(statement, ms),
    };
    const cut = (isNowCut: boolean) => {
      isCut = isNowCut;
    };
    return { link, cuttable, cut };
  };
  const newLease = (holder: string, link = newLink(), headStartMs = () => 0) =>
    new Lease({ link, statements, clock, holder, leaseMs, headStartMs });
  const ofLength = (holder: string, ownMs: number) =>
    new Lease({ link: newLink(), statements, clock, holder, leaseMs: ownMs });
  beforeEach(async () => {
    await Promise.all(links.map((link) => link.close()));
    links = [];
    url = await postgres.database();
    const link = newLink();
    for (const statement of [statements.createSchema, ...statements.create(randomUUID())])
      await link.run(statement, deadlineMs);
    await link.run({ text: "UPDATE statusd.place SET holder = 'gone'" }, deadlineMs);
  });
  /** Everyone's steps for as long as a lease, one after the other. */
  const passLease = async (...leases: readonly Lease[]) => {
    for (let step = 0; step < 5; step++) {
      for (const lease of leases) await lease.step();
      nowMs += leaseMs / 5;
    }
  };
  const expire = () =>
    newLink().run({ text: "UPDATE statusd.place SET until = now() - interval '1 second'" }, deadlineMs);

  it('goes to one of twenty candidates, round after round', async () => {
    const candidates = Array.from({ length: 20 }, (_, index) => newLease(`node-${index}`));
    await passLease(...candidates);
    let lastEpoch = 0;
    for (let round = 0; round < 10; round++) {
      const states = await Promise.all(candidates.map((lease) => lease.step()));
      const winners = candidates.filter((_, index) => states[index] === 'leads');
      assert.equal(winners.length, 1);
      const [winner] = winners;
      assert.ok((winner?.fence?.epoch ?? 0) > lastEpoch);
      lastEpoch = winner?.fence?.epoch ?? 0;
      await winner?.release();
    }
  });

  it('is taken once the database was reached for the length of a lease without a break', async () => {
    const lease = newLease('a');
    await passLease(lease);
    nowMs += leaseMs;
    assert.equal(await lease.step(), 'standby');
    await passLease(lease);
    assert.equal(await lease.step(), 'leads');
  });

  it('is not taken by a candidate that has just missed the database', async () => {
    const { cuttable, cut } = newCuttable();
    const lease = newLease('a', cuttable);
    await passLease(lease);
    cut(true);
    await assert.rejects(lease.step(), LinkError);
    cut(false);
    assert.equal(await lease.step(), 'standby');
    await passLease(lease);
    assert.equal(await lease.step(), 'leads');
  });

  describe('while writes hang', () => {
    const hang = async () => {
      const session = new pg.Client({ connectionString: url });
      await session.connect();
      await session.query('BEGIN; SELECT FROM statusd.place FOR UPDATE');
      return () => session.end();
    };
    /** Two nodes; the first leads, and has not renewed its lease in time. */
    const lateLeader = async () => {
      const [leader, other] = [newLease('a'), newLease('b')];
      await passLease(leader, other);
      assert.equal(await leader.step(), 'leads');
      await expire();
      nowMs += leaseMs;
      await passLease(other);
      return { leader, other };
    };

    it('stays with its leader, however long others have wanted to take it', async () => {
      const { leader, other } = await lateLeader();
      const release = await hang();
      const taking = other.step();
      taking.catch(() => undefined);
      const isRefused = await Promise.race([taking.then(() => false, isLocked), pause(5000, 'waits')]);
      const renewing = leader.step();
      await pause(300);
      await release();
      assert.equal(await renewing, 'leads');
      assert.equal(isRefused, true);
      assert.equal(await other.step(), 'standby');
    });

    it('is taken once it could have been for the length of a lease, if its leader is gone', async () => {
      const { other } = await lateLeader();
      const release = await hang();
      for (let step = 0; step < 7; step++) {
        await assert.rejects(other.step(), isLocked);
        nowMs += leaseMs / 5;
      }
      await release();
      for (let step = 0; step < 5; step++) {
        assert.equal(await other.step(), 'standby');
        nowMs += leaseMs / 5;
      }
      assert.equal(await other.step(), 'leads');
    });
  });

  it('is left to others by a candidate that gives them a head start, unless nobody takes it', async () => {
    const [first, second] = [newLease('a'), newLease('b')];
    const yielding = newLease('c', newLink(), () => 2 * leaseMs);
    await passLease(first);
    assert.equal(await first.step(), 'leads');
    await first.release();
    assert.equal(await yielding.step(), 'standby');
    assert.equal(await second.step(), 'leads');
    await second.release();
    for (let step = 0; step < 10; step++) {
      assert.equal(await yielding.step(), 'standby');
      nowMs += leaseMs / 5;
    }
    assert.equal(await yielding.step(), 'leads');
  });

  it('stays with who renews it', async () => {
    const [first, second] = [newLease('a'), newLease('b')];
    await passLease(first, second);
    assert.deepEqual([await first.step(), await second.step()], ['leads', 'standby']);
    await passLease(first, second);
    assert.deepEqual([await first.step(), await second.step()], ['leads', 'standby']);
  });

  it('goes to another when it has run out, and its holder learns of it', async () => {
    const [first, second] = [newLease('a'), newLease('b')];
    await passLease(first, second);
    assert.equal(await first.step(), 'leads');
    const before = first.fence?.epoch ?? 0;
    await expire();
    // Its holder may have renewed it a moment ago, as far as the clock of the server can be trusted.
    for (let step = 0; step < 3; step++) {
      assert.equal(await second.step(), 'standby');
      nowMs += leaseMs / 5;
    }
    assert.equal(await second.step(), 'leads');
    assert.ok((second.fence?.epoch ?? 0) > before);
    assert.equal(await first.step(), 'deposed');
    assert.equal(first.fence, null);
    assert.equal(first.trustedMs, 0);
    assert.equal(await first.step(), 'standby');
  });

  describe('when the clock of the server is set', () => {
    /** As its clock going back, or forward, by so long: what it said before is later, or earlier, than it would say now. */
    const setBack = (text: string) =>
      newLink().run({ text: `UPDATE statusd.place SET until = until + interval '${text}'` }, deadlineMs);
    const setForward = (text: string) => setBack(`-${text}`);

    it('goes to another although it seems to last, once nobody renewed it for twice its length', async () => {
      const [first, second] = [newLease('a'), newLease('b')];
      await passLease(first, second);
      assert.equal(await first.step(), 'leads');
      const before = first.fence?.epoch ?? 0;
      await setBack('1 hour');
      for (let step = 0; step < 10; step++) {
        assert.equal(await second.step(), 'standby');
        nowMs += leaseMs / 5;
      }
      assert.equal(await second.step(), 'leads');
      assert.ok((second.fence?.epoch ?? 0) > before);
      assert.equal(await first.step(), 'deposed');
    });

    it('does so also when it was renewed once more since another looked at it', async () => {
      const shortMs = 15_000;
      const [first, second] = [ofLength('a', shortMs), ofLength('b', shortMs)];
      while ((await first.step()) !== 'leads') nowMs += shortMs / 5;
      for (let step = 0; step < 5; step++) {
        assert.equal(await second.step(), 'standby');
        assert.equal(await first.step(), 'leads');
        nowMs += shortMs / 5;
      }
      await setBack('1 hour');
      let steps = 0;
      while ((await second.step()) !== 'leads' && steps < 100) {
        steps += 1;
        nowMs += shortMs / 5;
      }
      assert.ok(steps >= 10 && steps <= 20, `after ${steps / 5} lengths`);
    });

    it('stays with a holder that renews it less often than others would', async () => {
      const longMs = 60_000;
      const [first, second] = [ofLength('a', longMs), ofLength('b', 5000)];
      while ((await first.step()) !== 'leads') nowMs += longMs / 5;
      for (const set of [() => setBack('0 s'), () => setBack('1 hour'), () => setForward('1 hour')]) {
        await set();
        for (let step = 0; step < 60; step++) {
          assert.equal(await second.step(), 'standby');
          if (step % 12 === 11) assert.equal(await first.step(), 'leads');
          nowMs += 1000;
        }
      }
    });

    it('does not, while the database is not reached all the time', async () => {
      const [first, { cuttable, cut }] = [newLease('a'), newCuttable()];
      const second = newLease('b', cuttable);
      await passLease(first, second);
      assert.equal(await first.step(), 'leads');
      await setBack('1 hour');
      await passLease(second);
      cut(true);
      await assert.rejects(second.step(), LinkError);
      cut(false);
      for (let step = 0; step < 10; step++) {
        assert.equal(await second.step(), 'standby');
        nowMs += leaseMs / 5;
      }
      assert.equal(await second.step(), 'leads');
    });

    it('stays with who renews it, by back and by forward', async () => {
      const [first, second] = [newLease('a'), newLease('b')];
      await passLease(first, second);
      assert.equal(await first.step(), 'leads');
      for (const set of [() => setBack('1 hour'), () => setForward('1 hour')]) {
        await set();
        for (let step = 0; step < 15; step++) {
          assert.equal(await second.step(), 'standby');
          assert.equal(await first.step(), 'leads');
          nowMs += leaseMs / 5;
        }
      }
    });

    it('is taken at once when it was given back before', async () => {
      const [first, second] = [newLease('a'), newLease('b')];
      await passLease(first);
      assert.equal(await first.step(), 'leads');
      await first.release();
      await setBack('1 hour');
      assert.equal(await second.step(), 'leads');
    });

    it('goes to one of many candidates', async () => {
      const candidates = Array.from({ length: 8 }, (_, index) => newLease(`node-${index}`));
      await passLease(...candidates);
      await setBack('1 hour');
      await passLease(...candidates);
      await passLease(...candidates);
      const states = await Promise.all(candidates.map((lease) => lease.step()));
      assert.deepEqual(states.toSorted(), ['leads', ...Array.from({ length: 7 }, () => 'standby')]);
    });
  });

  it('is lost with a failover to a server that had not got it, also when another took it there since', async () => {
    const [first, second] = [newLease('a'), newLease('b')];
    const link = newLink();
    const place = 'database_id, schema, seq, epoch, holder, until';
    await link.run({ text: `CREATE TABLE replica AS SELECT ${place} FROM statusd.place` }, deadlineMs);
    await passLease(first);
    assert.equal(await first.step(), 'leads');
    await link.run(
      {
        text: 'UPDATE statusd.place SET (epoch, holder, until) = (SELECT epoch, holder, until FROM replica)',
      },
      deadlineMs,
    );
    await passLease(second);
    assert.equal(await second.step(), 'leads');
    assert.equal(await first.step(), 'deposed');
    assert.equal(await second.step(), 'leads');
  });

  it('is neither lost nor taken while the tables are being restored', async () => {
    const [first, second] = [newLease('a'), newLease('b')];
    await passLease(first);
    assert.equal(await first.step(), 'leads');
    const link = newLink();
    await link.run({ text: 'CREATE TABLE backup AS SELECT * FROM statusd.place' }, deadlineMs);
    await link.run({ text: 'DELETE FROM statusd.place' }, deadlineMs);
    await assert.rejects(first.step(), /its table "place" is empty/);
    await assert.rejects(second.step(), /its table "place" is empty/);
    await link.run({ text: 'INSERT INTO statusd.place SELECT * FROM backup' }, deadlineMs);
    assert.equal(await first.step(), 'leads');
    assert.equal(await second.step(), 'standby');
  });

  it('is looked at again when that of another ends, and otherwise five times in its length', async () => {
    const { link, cuttable, cut } = newCuttable();
    const [first, second] = [newLease('a'), newLease('b', cuttable)];
    await passLease(first, second);
    assert.deepEqual([await first.step(), await second.step()], ['leads', 'standby']);
    for (const lease of [first, second]) {
      assert.equal(lease.restMs(0), leaseMs / 5);
      assert.equal(lease.restMs(1000), leaseMs / 5 - 1000);
      assert.equal(lease.restMs(leaseMs), 0);
    }
    const endIn = (secs: number) =>
      link.run(
        { text: `UPDATE statusd.place SET until = clock_timestamp() + interval '${secs} seconds'` },
        deadlineMs,
      );
    await endIn(50);
    assert.equal(await second.step(), 'standby');
    assert.ok(second.restMs(0) > 20_000 && second.restMs(0) <= 50_010, `${second.restMs(0)}`);
    cut(true);
    await assert.rejects(second.step(), LinkError);
    assert.equal(second.restMs(0), leaseMs / 5);
    cut(false);
    // It has just missed the database, so it does not take what is free.
    await endIn(0);
    assert.equal(await second.step(), 'standby');
    assert.equal(second.restMs(0), leaseMs / 5);
  });

  it('is taken at once in a new database, and when it was released', async () => {
    await newLink().run({ text: 'UPDATE statusd.place SET holder = NULL' }, deadlineMs);
    const first = newLease('a');
    assert.equal(await first.step(), 'leads');
    assert.equal(await newLease('b').step(), 'standby');
    await first.release();
    assert.equal(await newLease('c').step(), 'leads');
  });

  it('is not held again by a renewal that comes after it was given back', async () => {
    await newLink().run({ text: 'UPDATE statusd.place SET holder = NULL' }, deadlineMs);
    const first = newLease('a');
    assert.equal(await first.step(), 'leads');
    const epoch = first.fence?.epoch ?? 0;
    await first.release();
    assert.deepEqual(await newLink().run(statements.renew(epoch, leaseMs), deadlineMs), []);
    assert.equal(await newLease('b').step(), 'leads');
  });

  it('is trusted from before the question, a step short of its length', async () => {
    const link = newLink();
    const slow: DatabaseLink = {
      ...link,
      run: async (statement, ms) => {
        nowMs += 1000;
        return link.run(statement, ms);
      },
    };
    const lease = newLease('a', slow);
    await passLease(lease);
    assert.equal(await lease.step(), 'leads');
    assert.equal(lease.trustedMs, leaseMs * 0.8 - 1000);
    nowMs += leaseMs * 0.8;
    assert.ok(lease.trustedMs <= 0);
    lease.noteAppended(nowMs - 500);
    assert.equal(lease.trustedMs, leaseMs * 0.8 - 500);
  });
});
