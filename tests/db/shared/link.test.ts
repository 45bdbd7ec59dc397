import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { createLink, type DatabaseLink, LinkError } from '../../../src/db/shared/link.ts';
import { startRaw } from '../../support/http-target.ts';
import { lossyWay, type Postgres, skipWithoutPostgres, startPostgres } from '../../support/postgres.ts';
import { realClock } from '../../support/real-clock.ts';
import { type Authority, createAuthority } from '../../support/tls.ts';

const enoughMs = 60_000;

describe('a link to the database server', { skip: skipWithoutPostgres }, () => {
  let postgres: Postgres;
  let link: DatabaseLink;
  before(async () => {
    postgres = await startPostgres();
    link = createLink(await postgres.database(), realClock);
  });
  after(async () => {
    await link.close();
    await postgres.stop();
  });
  const one = () => link.run({ text: 'SELECT $1::int AS one', values: [1] }, enoughMs);
  const failure = async (work: Promise<unknown>): Promise<LinkError> => {
    const error = await work.then(
      () => null,
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof LinkError, String(error));
    return error;
  };

  it('says that a refused statement did not happen, and why', async () => {
    const { outcome, sqlState } = await failure(link.run({ text: 'SELECT * FROM nowhere' }, enoughMs));
    assert.deepEqual([outcome, sqlState], ['refused', '42P01']);
    assert.deepEqual(await one(), [{ one: 1 }]);
  });

  /** Runs a statement that lasts longer than its deadline; answers once the server has ended it. */
  const outlastDeadline = async (on: DatabaseLink) => {
    const { outcome, message } = await failure(on.run({ text: 'SELECT pg_sleep(600)' }, 2000.000_4));
    assert.deepEqual([outcome, message], ['unknown', 'no answer within 2000 ms']);
    const sleeping = "SELECT 1 FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(600)'";
    for (let round = 0; (await on.run({ text: sleeping }, enoughMs)).length > 0; round += 1) {
      assert.ok(round < 1200, 'the server did not end it within a minute');
      await realClock.sleep(50);
    }
  };

  it('has the server end a statement whose deadline passed, and goes on with the next', async () => {
    await outlastDeadline(link);
    assert.deepEqual(await one(), [{ one: 1 }]);
  });

  it('leaves it to the server to end the connection on which it asks for that', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'statusd-pg-way-'));
    const request = Buffer.from([0, 0, 0, 16, 4, 210, 22, 46]);
    const behind = new URL((await postgres.database()).replace('@/', '@x/'));
    const said: string[] = [];
    const server = createServer({ allowHalfOpen: true }, (near) => {
      const far = connect(join(behind.searchParams.get('host') ?? '', '.s.PGSQL.5432'));
      let isRequest = false;
      near.once('data', (first) => {
        isRequest = first.subarray(0, request.length).equals(request);
        if (isRequest) said.push('asked');
      });
      near.on('end', () => {
        if (isRequest && !far.readableEnded) said.push('ended by the client');
        near.end();
      });
      near
        .on('error', () => undefined)
        // A client that leaves answers unread ends it without an end.
        .on('close', () => far.destroy())
        .pipe(far.on('error', () => undefined))
        .pipe(near);
    });
    server.listen(join(folder, '.s.PGSQL.5432'));
    await once(server, 'listening');
    const own = createLink(
      `postgres://statusd@/${behind.pathname.slice(1)}?host=${encodeURIComponent(folder)}`,
      realClock,
    );
    await outlastDeadline(own);
    assert.deepEqual(said, ['asked']);
    await own.close();
    server.close();
    await once(server, 'close');
    rmSync(folder, { recursive: true });
  });

  it('knows nothing of a statement whose connection the server ended, and goes on with the next', async () => {
    const { outcome } = await failure(
      link.run({ text: 'SELECT pg_terminate_backend(pg_backend_pid())' }, enoughMs),
    );
    assert.equal(outcome, 'unknown');
    assert.deepEqual(await one(), [{ one: 1 }]);
  });

  it('repeats what the server asks to repeat', async () => {
    await link.run({ text: 'CREATE SEQUENCE attempts' }, enoughMs);
    await link.run(
      {
        text: `CREATE FUNCTION conflict() RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN
          IF nextval('attempts') < 3 THEN RAISE EXCEPTION 'again' USING ERRCODE = '40001'; END IF;
          RETURN currval('attempts'); END $$`,
      },
      enoughMs,
    );
    assert.deepEqual(await link.run({ text: 'SELECT conflict()' }, enoughMs), [{ conflict: '3' }]);
  });

  describe('that has a statement prepared', () => {
    const often = { text: 'INSERT INTO often VALUES ($1) RETURNING *', isPrepared: true };
    const add = (to: DatabaseLink, value: number) => to.run({ ...often, values: [value] }, enoughMs);
    const say = (to: DatabaseLink, text: string) => to.run({ text }, enoughMs);
    /** The names of what the server has prepared for a connection. */
    const prepared = async (of: DatabaseLink) =>
      (await say(of, 'SELECT name FROM pg_prepared_statements')).map(({ name }) => String(name));
    let own: DatabaseLink;
    beforeEach(async () => {
      own = createLink(await postgres.database(), realClock);
      await say(own, 'CREATE TABLE often (number int)');
      await add(own, 1);
      await add(own, 2);
    });
    afterEach(async () => {
      assert.deepEqual(await say(own, 'SELECT number FROM often ORDER BY number'), [
        { number: 1 },
        { number: 2 },
        { number: 3 },
      ]);
      await own.close();
    });

    it('has it planned once', async () => {
      assert.equal((await prepared(own)).length, 1);
      assert.deepEqual(await add(own, 3), [{ number: 3 }]);
    });

    it('does without where a pooler gives it a connection that knows nothing of it', async () => {
      await say(own, 'DEALLOCATE ALL');
      assert.deepEqual(await add(own, 3), [{ number: 3 }]);
      assert.deepEqual(await prepared(own), []);
    });

    it('does without where a pooler gives it a connection that has it already', async () => {
      const [name = ''] = await prepared(own);
      const url = await postgres.database();
      const other = createLink(url, realClock);
      await say(other, 'CREATE TABLE often (number int)');
      await say(other, `PREPARE "${name}" AS SELECT 1`);
      assert.deepEqual(await add(other, 7), [{ number: 7 }]);
      await other.close();
      await add(own, 3);
    });

    it('does without where the table was changed since', async () => {
      await say(own, 'ALTER TABLE often ADD COLUMN more int');
      assert.deepEqual(await add(own, 3), [{ number: 3, more: null }]);
    });
  });

  it('reads again when the server ended the connection meanwhile, which it found idle', async () => {
    const own = createLink(await postgres.database(), realClock);
    await own.run({ text: 'SET idle_session_timeout = 100' }, enoughMs);
    // Nothing is read meanwhile, so the statement is sent before the end is known.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);
    assert.deepEqual(await own.run({ text: 'SELECT 1 AS one' }, enoughMs), [{ one: 1 }]);
    await own.close();
  });

  it('connects with the URL of the moment', async () => {
    const url = await postgres.database();
    const role = `rotated_${process.pid}`;
    await link.run({ text: `CREATE ROLE ${role} LOGIN` }, enoughMs);
    let user = 'statusd';
    const own = createLink(() => url.replace('statusd@', `${user}@`), realClock);
    const who = async () => (await own.run({ text: 'SELECT current_user AS who' }, enoughMs))[0]?.['who'];
    assert.equal(await who(), 'statusd');
    user = role;
    assert.equal(await who(), 'statusd');
    await failure(own.run({ text: 'SELECT pg_terminate_backend(pg_backend_pid())' }, enoughMs));
    assert.equal(await who(), role);
    await own.close();
    await link.run({ text: `DROP ROLE ${role}` }, enoughMs);
  });

  it('says that nothing happened when there is no server', async () => {
    const nowhere = createLink(`postgres://a@/b?host=${encodeURIComponent(tmpdir())}`, realClock);
    const { outcome, sqlState } = await failure(nowhere.run({ text: 'SELECT 1' }, enoughMs));
    assert.deepEqual([outcome, sqlState], ['refused', null]);
    await nowhere.close();
  });

  it('reaches a server that takes longer to let it in than a statement may take', async () => {
    const way = await lossyWay(await postgres.database());
    way.delay(500);
    const slow = createLink(way.url, realClock);
    // Letting it in takes 1000 ms, and the statement as long.
    const attempt = () => slow.run({ text: 'SELECT 1 AS one' }, 1500);
    const { outcome } = await failure(attempt());
    assert.equal(outcome, 'refused');
    assert.deepEqual(await attempt(), [{ one: 1 }]);
    await slow.close();
    await way.stop();
  });

  it('starts over where no server accepts it', async () => {
    const deaf = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(deaf, 'listening');
    const { port } = deaf.address() as AddressInfo;
    let connections = 0;
    deaf.on('connection', () => {
      connections += 1;
    });
    const waiting = createLink(`postgres://a@127.0.0.1:${port}/b`, realClock);
    for (let round = 0; round < 8; round += 1) {
      const { outcome } = await failure(waiting.run({ text: 'SELECT 1' }, 800));
      assert.equal(outcome, 'refused');
    }
    assert.equal(connections, 2);
    await waiting.close();
    deaf.close();
  });

  it('says each time why it is not let in, and is let in when nothing is in the way any more', async () => {
    await link.run({ text: 'CREATE ROLE guest LOGIN CONNECTION LIMIT 0' }, enoughMs);
    const guest = createLink((await postgres.database()).replace('statusd@', 'guest@'), realClock);
    for (let round = 0; round < 3; round += 1) {
      const { outcome, sqlState, message } = await failure(guest.run({ text: 'SELECT 1' }, enoughMs));
      assert.deepEqual([outcome, sqlState], ['refused', '53300'], message);
    }
    await link.run({ text: 'ALTER ROLE guest CONNECTION LIMIT 1' }, enoughMs);
    assert.deepEqual(await guest.run({ text: 'SELECT 1 AS one' }, enoughMs), [{ one: 1 }]);
    await guest.close();
  });

  it('gives up an answer that is too large, and goes on with the next', async () => {
    const bounded = createLink(await postgres.database(), realClock, 1024 * 1024);
    const large = (text: string) => failure(bounded.run({ text }, enoughMs));
    for (const text of [
      "SELECT repeat('x', 67108864) AS row",
      "SELECT repeat('x', 1000) AS row FROM generate_series(1, 67108)",
    ]) {
      const { outcome, message } = await large(text);
      assert.deepEqual([outcome, message], ['unknown', 'the server sends more than 1 MiB for one answer']);
    }
    const [row] = await bounded.run({ text: "SELECT repeat('x', 500000) AS row" }, enoughMs);
    assert.equal(String(row?.['row']).length, 500_000);
    for (let count = 0; count < 4; count += 1)
      await bounded.run({ text: "SELECT repeat('x', 500000) AS row" }, enoughMs);
    await bounded.close();
  });

  it('runs statements one after the other', async () => {
    await link.run({ text: 'CREATE TABLE notes (note int)' }, enoughMs);
    const writes = [1, 2, 3].map((note) =>
      link.run(
        { text: 'INSERT INTO notes SELECT $1 FROM pg_sleep(0.01 * (4 - $1::int))', values: [note] },
        enoughMs,
      ),
    );
    await Promise.all(writes);
    const rows = await link.run(
      { text: 'SELECT array_agg(note ORDER BY ctid) AS notes FROM notes' },
      enoughMs,
    );
    assert.deepEqual(rows, [{ notes: [1, 2, 3] }]);
  });

  describe('over TLS', () => {
    let authority: Authority;
    let server: Postgres;
    let url: string;
    before(async () => {
      authority = createAuthority();
      server = await startPostgres({ tls: authority.issue({ names: ['127.0.0.1'] }) });
      url = await server.database();
    });
    after(async () => {
      await server.stop();
      authority.remove();
    });
    const verified = () =>
      createLink(`${url}?sslmode=verify-full&sslrootcert=${encodeURIComponent(authority.file)}`, realClock);

    it('is encrypted, and cut likewise', async () => {
      const own = verified();
      const encrypted = { text: 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()' };
      assert.deepEqual(await own.run(encrypted, enoughMs), [{ ssl: true }]);
      await outlastDeadline(own);
      assert.deepEqual(await own.run(encrypted, enoughMs), [{ ssl: true }]);
      await own.close();
    });

    it('verifies the server in each mode that encrypts, without a word about it', async () => {
      const warnings: string[] = [];
      const onWarning = ({ message }: Error) => warnings.push(message);
      process.on('warning', onWarning);
      const trusted = `&sslrootcert=${encodeURIComponent(authority.file)}`;
      for (const mode of ['prefer', 'require', 'verify-ca', 'verify-full']) {
        const own = createLink(`${url}?sslmode=${mode}${trusted}`, realClock);
        assert.deepEqual(await own.run({ text: 'SELECT 1 AS one' }, enoughMs), [{ one: 1 }]);
        await own.close();
        const blind = createLink(`${url}?sslmode=${mode}`, realClock);
        assert.match((await failure(blind.run({ text: 'SELECT 1' }, enoughMs))).message, /certificate/u);
        await blind.close();
      }
      await realClock.sleep(0);
      process.off('warning', onWarning);
      assert.deepEqual(warnings, []);
    });

    it('sends nothing to a server whose authority it does not trust', async () => {
      const own = createLink(`${url}?sslmode=verify-full`, realClock);
      const { outcome, message } = await failure(own.run({ text: 'SELECT 1' }, enoughMs));
      assert.equal(outcome, 'refused');
      assert.match(message, /certificate/u);
      await own.close();
    });
  });
});

describe('a link to what is no database server', () => {
  const openTo = async (talk: (socket: Socket) => void, mostBytes?: number) => {
    const target = await startRaw(talk);
    const link = createLink(`postgres://statusd@127.0.0.1:${target.port}/statusd`, realClock, mostBytes);
    return { target, link };
  };
  /** Lets a client in (protocol 3.0): AuthenticationOk, then ReadyForQuery. */
  const letIn = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49]);
  /** A message of almost two gigabytes begins: what kind it is, and its length. */
  const endless = (kind: string) => Buffer.from([kind.charCodeAt(0), 0x7f, 0xff, 0xff, 0xff]);
  const pour = (socket: Socket, beginning: Buffer) => {
    const part = Buffer.alloc(65_536);
    const more = () => {
      while (!socket.destroyed && socket.write(part));
    };
    socket.on('drain', more).write(beginning);
    more();
  };
  const select = { text: 'SELECT 1' };
  const messageOf = (work: Promise<unknown>) =>
    work.then(
      () => 'answered',
      (error: unknown) => (error as Error).message,
    );

  for (const place of ['the login', 'an answer'])
    it(`takes no more than a bound where it sends without an end in ${place}`, async () => {
      let taken = 0;
      const { target, link } = await openTo((socket) => {
        socket.once('close', () => (taken = Math.max(taken, socket.bytesWritten)));
        socket.once('data', () => {
          if (place === 'the login') {
            pour(socket, endless('N'));
            return;
          }
          socket.write(letIn);
          socket.once('data', () => {
            pour(socket, endless('D'));
          });
        });
      }, 1024 * 1024);
      assert.equal(
        await messageOf(link.run(select, 10_000)),
        'the server sends more than 1 MiB for one answer',
      );
      await link.close();
      await target.close();
      assert.ok(taken < 256 * 1024 * 1024, `${taken} bytes were taken`);
    });

  it('waits no longer than its deadline where it hangs in the middle of an answer', async () => {
    const { target, link } = await openTo((socket) => {
      socket.once('data', () => {
        socket.write(letIn);
        socket.once('data', () => socket.write(Buffer.from([0x44, 0, 0, 0, 99, 0, 1])));
      });
    });
    assert.equal(await messageOf(link.run(select, 500)), 'no answer within 500 ms');
    await link.close();
    await target.close();
  });

  it('is closed although the server never hangs up', async () => {
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      const hears = (bytes: Buffer) => {
        const isQuery = bytes.includes('SELECT');
        // ParseComplete, BindComplete, NoData, CommandComplete, ReadyForQuery.
        if (isQuery)
          socket.write(
            Buffer.concat([
              Buffer.from([0x31, 0, 0, 0, 4, 0x32, 0, 0, 0, 4, 0x6e, 0, 0, 0, 4]),
              Buffer.from([0x43, 0, 0, 0, 13]),
              Buffer.from('SELECT 0\0'),
              Buffer.from([0x5a, 0, 0, 0, 5, 0x49]),
            ]),
          );
      };
      socket.on('error', () => undefined);
      socket.once('data', () => {
        socket.write(letIn);
        socket.on('data', hears);
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const link = createLink(`postgres://statusd@127.0.0.1:${port}/statusd`, realClock);
    assert.deepEqual(await link.run(select, 10_000), []);
    const closed = await Promise.race([
      link.close().then(() => 'closed'),
      realClock.sleep(10_000).then(() => 'open'),
    ]);
    assert.equal(closed, 'closed');
    server.close();
  });
});
