import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { createLink, type DatabaseLink } from '../../../src/db/shared/link.ts';
import { type LogRecord, SharedLog } from '../../../src/db/shared/log.ts';
import { statementsOf } from '../../../src/db/shared/statements.ts';
import { lossyWay, type Postgres, skipWithoutPostgres, startPostgres } from '../../support/postgres.ts';
import { realClock } from '../../support/real-clock.ts';

const deadlineMs = 60_000;
const statements = statementsOf('statusd', 6);

describe('the log that nodes share', { skip: skipWithoutPostgres }, () => {
  let postgres: Postgres;
  let url = '';
  let links: DatabaseLink[] = [];
  before(async () => {
    postgres = await startPostgres();
  });
  after(() => postgres.stop());

  const newLink = (to = url) => {
    const link = createLink(to, realClock);
    links.push(link);
    return link;
  };
  const newLog = (to = url, written = statements) =>
    new SharedLog({ link: newLink(to), statements: written, deadlineMs });
  beforeEach(async () => {
    await Promise.all(links.map((link) => link.close()));
    links = [];
    url = await postgres.database();
    const link = newLink();
    for (const statement of [statements.createSchema, ...statements.create(randomUUID())])
      await link.run(statement, deadlineMs);
  });
  after(() => Promise.all(links.map((link) => link.close())));

  const record = (writer: string, counter: number) => ({
    kind: 'transaction' as const,
    writer,
    counter,
    payload: JSON.stringify([['note', writer, counter]]),
  });
  const behind = async (log: SharedLog, seq: number) => (await log.readBehind({ seq, last: null })).records;
  const namesOf = (records: readonly LogRecord[]) =>
    records.map(({ seq, writer, counter }) => `${seq} ${writer}${counter}`);
  /** A session of its own, whose transaction the test holds open. */
  const session = async () => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    return client;
  };
  /** Resolves when an append waits for a lock, or when `isOver` says so. */
  const untilSomeoneWaits = async (isOver = () => false) => {
    const link = newLink();
    const text =
      "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";
    for (let round = 0; round < 600 && !isOver(); round++) {
      if ((await link.run({ text }, deadlineMs)).length > 0) return;
      await delay(50);
    }
    if (!isOver()) assert.fail('nobody waits');
  };

  it('gives back what was appended, in its order', async () => {
    const log = newLog();
    assert.equal(await log.append([record('a', 1), record('a', 2)], null, 0), 2);
    assert.equal(await log.append([{ ...record('b', 1), kind: 'samples' }], null, 0), 3);
    const [first, ...rest] = await behind(log, 0);
    const { payload, ...head } = record('a', 1);
    assert.deepEqual(first, { seq: 1, ...head, operations: JSON.parse(payload) as unknown });
    assert.deepEqual(namesOf(rest), ['2 a2', '3 b1']);
    assert.equal(rest[1]?.kind, 'samples');
    assert.deepEqual(await behind(log, 3), []);
  });

  it('shows a reader every record of eight writers, once and without a gap', async () => {
    const rounds = 25;
    let isOver = false;
    const reader = newLog();
    const seen: LogRecord[] = [];
    const reading = async () => {
      for (let isLast = false; !isLast; ) {
        isLast = isOver;
        seen.push(...(await behind(reader, seen.at(-1)?.seq ?? 0)));
      }
    };
    const writing = async (writer: string) => {
      const log = newLog();
      for (let round = 0; round < rounds; round++)
        await log.append([record(writer, 2 * round + 1), record(writer, 2 * round + 2)], null, 0);
    };
    const writers = Array.from({ length: 8 }, (_, index) => `w${index}`);
    const read = reading();
    await Promise.all(writers.map(writing));
    isOver = true;
    await read;
    assert.deepEqual(
      seen.map(({ seq }) => seq),
      Array.from({ length: 16 * rounds }, (_, index) => index + 1),
    );
    for (const writer of writers)
      assert.deepEqual(
        seen.filter((each) => each.writer === writer).map(({ counter }) => counter),
        Array.from({ length: 2 * rounds }, (_, index) => index + 1),
      );
  });

  /** What a reader makes of two appends of which the first one begun is committed last. */
  const twoAppends = async (
    append: (writer: string) => { readonly text: string; readonly values?: readonly unknown[] },
    readBehind: (seq: number) => Promise<readonly number[]>,
  ) => {
    const [slow, fast] = [await session(), await session()];
    const seen: number[] = [];
    const look = async () => seen.push(...(await readBehind(seen.at(-1) ?? 0)));
    const run = (client: pg.Client, { text, values = [] }: ReturnType<typeof append>) =>
      client.query(text, [...values]);
    await slow.query('BEGIN');
    await run(slow, append('slow'));
    let isThrough = false;
    const following = run(fast, append('fast')).then(() => {
      isThrough = true;
    });
    await untilSomeoneWaits(() => isThrough);
    await look();
    await slow.query('COMMIT');
    await following;
    await look();
    await Promise.all([slow.end(), fast.end()]);
    return seen;
  };

  it('shows no record before those in front of it, unlike numbers that a sequence gives', async () => {
    const log = newLog();
    const inOrder = await twoAppends(
      (writer) => statements.append([{ writer, counter: 1, kind: 2, payload: '[]' }], null, 0),
      async (seq) => (await behind(log, seq)).map((each) => each.seq),
    );
    assert.deepEqual(inOrder, [1, 2]);

    const link = newLink();
    await link.run({ text: 'CREATE TABLE serial (seq bigserial, writer text)' }, deadlineMs);
    const lost = await twoAppends(
      (writer) => ({ text: 'INSERT INTO serial (writer) VALUES ($1)', values: [writer] }),
      async (seq) => {
        const text = 'SELECT seq FROM serial WHERE seq > $1 ORDER BY seq';
        return (await link.run({ text, values: [seq] }, deadlineMs)).map((row) => Number(row['seq']));
      },
    );
    assert.deepEqual(lost, [2]);
  });

  it('refuses the append of a leader that was deposed while it waited', async () => {
    const log = newLog();
    const candidate = newLink();
    const [place] = await candidate.run(statements.place, deadlineMs);
    const [taken] = await candidate.run(statements.take('a', 60_000, String(place?.['renewed'])), deadlineMs);
    const fence = { epoch: Number(taken?.['epoch']), leaseMs: 60_000 };
    assert.equal(await log.append([record('a', 1)], fence, 0), 1);

    const successor = await session();
    await successor.query('BEGIN');
    await successor.query('UPDATE statusd.place SET epoch = epoch + 1');
    const late = log.append([record('a', 2)], fence, 0);
    await untilSomeoneWaits();
    await successor.query('COMMIT');
    await successor.end();
    assert.equal(await late, null);
    assert.equal(await log.append([record('a', 3)], fence, 0), null);
    // An operator's write needs no leader.
    assert.equal(await log.append([record('b', 1)], null, 0), 2);
    assert.deepEqual(namesOf(await behind(log, 0)), ['1 a1', '2 b1']);
  });

  it('keeps every character in a database of any encoding', async () => {
    const texts = ['Kürbis 🎃 日本 \u200b', 'half a \ud83c, NUL \0, a \\u0000 that was typed'];
    for (const encoding of ['UTF8', 'LATIN1', 'SQL_ASCII', 'EUC_JP']) {
      const link = newLink(await postgres.database(encoding));
      for (const statement of [statements.createSchema, ...statements.create(randomUUID())])
        await link.run(statement, deadlineMs);
      const log = new SharedLog({ link, statements, deadlineMs });
      const payload = JSON.stringify([['note', ...texts]]);
      assert.equal(await log.append([{ ...record('a', 1), payload }], null, 0), 1, encoding);
      const [kept] = await behind(log, 0);
      assert.deepEqual(kept?.operations, [['note', ...texts]], encoding);
    }
  });

  it('refuses an append of another version of the tables', async () => {
    const log = newLog(url, statementsOf('statusd', 5));
    assert.equal(await log.append([record('a', 1)], null, 0), null);
    assert.deepEqual(await behind(log, 0), []);
  });

  it('sends again what got no answer, under the same writer and counter', async () => {
    const way = await lossyWay(url);
    const log = newLog(way.url);
    assert.equal(await log.append([record('a', 1)], null, 0), 1);
    way.loseNextAnswer();
    assert.equal(await log.append([record('a', 2)], null, 0), 3);
    assert.deepEqual(namesOf(await behind(newLog(), 0)), ['1 a1', '2 a2', '3 a2']);
    await way.stop();
  });

  it('is known for another one when it went back to an earlier state and on from there', async () => {
    const log = newLog();
    await log.append([record('a', 1), record('a', 2), record('a', 3)], null, 0);
    const { end } = await log.readBehind({ seq: 0, last: null });
    assert.deepEqual(end, { seq: 3, last: { writer: 'a', counter: 3 } });
    assert.deepEqual(await log.readBehind(end), { records: [], end });
    const failOver = 'DELETE FROM statusd.log WHERE seq > 1';
    await newLink().run({ text: failOver }, deadlineMs);
    await newLink().run({ text: 'UPDATE statusd.place SET seq = 1' }, deadlineMs);
    const lost = { code: 'store_unusable', message: 'the shared log went back to an earlier state' };
    await assert.rejects(log.readBehind(end), lost);
    assert.equal(await log.append([record('a', 4)], null, 3), null);
    for (const counter of [1, 2, 3]) {
      await log.append([record('b', counter)], null, 0);
      await assert.rejects(log.readBehind(end), lost);
    }
  });

  it('does not read over records that are missing', async () => {
    const log = newLog();
    await log.append([record('a', 1), record('a', 2), record('a', 3)], null, 0);
    await newLink().run({ text: 'DELETE FROM statusd.log WHERE seq < 3' }, deadlineMs);
    await assert.rejects(behind(log, 0), {
      code: 'store_unusable',
      message: 'records 1 to 2 are missing from the shared log',
    });
  });
});
