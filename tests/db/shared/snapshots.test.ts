import assert from 'node:assert/strict';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { after, before, beforeEach, describe, it } from 'node:test';
import { createLink, type DatabaseLink } from '../../../src/db/shared/link.ts';
import { SharedLog } from '../../../src/db/shared/log.ts';
import { SharedSnapshots, shrink } from '../../../src/db/shared/snapshots.ts';
import { statementsOf } from '../../../src/db/shared/statements.ts';
import { openSql } from '../../../src/db/store/sql.ts';
import { type Postgres, skipWithoutPostgres, startPostgres } from '../../support/postgres.ts';
import { realClock } from '../../support/real-clock.ts';

const deadlineMs = 60_000;
const statements = statementsOf('statusd', 6);
const chunk = 4096;

describe('snapshots that nodes share', { skip: skipWithoutPostgres }, () => {
  let postgres: Postgres;
  let link: DatabaseLink;
  let epoch = 0;
  before(async () => {
    postgres = await startPostgres();
  });
  after(async () => {
    await link.close();
    await postgres.stop();
  });
  beforeEach(async () => {
    await (link as DatabaseLink | undefined)?.close();
    link = createLink(await postgres.database(), realClock);
    for (const statement of [statements.createSchema, ...statements.create(randomUUID())])
      await link.run(statement, deadlineMs);
    const [place] = await link.run(statements.place, deadlineMs);
    const [taken] = await link.run(statements.take('a', 60_000, String(place?.['renewed'])), deadlineMs);
    epoch = Number(taken?.['epoch']);
  });
  const snapshots = () => new SharedSnapshots({ link, statements, deadlineMs });
  const count = async (table: string) => {
    const [row] = await link.run({ text: `SELECT count(*) FROM statusd.${table}` }, deadlineMs);
    return Number(row?.['count']);
  };

  it('come back as they were', async () => {
    assert.equal(await snapshots().load(), null);
    const bytes = randomBytes(40 * chunk + 123);
    assert.equal(await snapshots().save({ seq: 7, bytes }, epoch), 41);
    const loaded = await snapshots().load();
    assert.equal(loaded?.seq, 7);
    assert.ok(loaded.bytes.equals(bytes));
  });

  it('cost what has changed since the one before', async () => {
    const bytes = randomBytes(40 * chunk);
    await snapshots().save({ seq: 1, bytes }, epoch);
    const later = Buffer.concat([bytes, randomBytes(10)]);
    later.writeUInt8(later.readUInt8(5 * chunk) ^ 1, 5 * chunk);
    assert.equal(await snapshots().save({ seq: 2, bytes: later }, epoch), 2);
    assert.ok((await snapshots().load())?.bytes.equals(later));
  });

  it('hold free pages once, however many there are', async () => {
    const bytes = Buffer.concat([randomBytes(chunk), Buffer.alloc(600 * chunk), randomBytes(chunk)]);
    assert.equal(await snapshots().save({ seq: 1, bytes }, epoch), 3);
    assert.ok((await snapshots().load())?.bytes.equals(bytes));
  });

  it('are read in the longer chunks of another version, and replaced', async () => {
    const bytes = randomBytes(40 * 65_536 + 123);
    const chunks = Array.from({ length: 41 }, (_, n) => {
      const part = bytes.subarray(n * 65_536, (n + 1) * 65_536);
      return { hash: createHash('sha256').update(part).digest(), bytes: part };
    });
    await link.run(statements.addChunks(chunks), deadlineMs);
    const hashes = chunks.map(({ hash }) => hash);
    await link.run(statements.addSnapshot(1, hashes, epoch), deadlineMs);
    assert.ok((await snapshots().load())?.bytes.equals(bytes));
    const pages = Math.ceil(bytes.length / chunk);
    for (const seq of [2, 3]) await snapshots().save({ seq, bytes }, epoch);
    assert.equal(await count('chunk'), pages);
  });

  it('leave the one before, and what is needed to go on from it', async () => {
    const log = new SharedLog({ link, statements, deadlineMs });
    const append = (counter: number) =>
      log.append([{ kind: 'transaction', writer: 'a', counter, payload: '[]' }], null, 0);
    const bytes = [1, 2, 3].map(() => randomBytes(3 * chunk));
    for (const [index, each] of bytes.entries()) {
      await append(index + 1);
      await snapshots().save({ seq: index + 1, bytes: each }, epoch);
    }
    await append(4);
    assert.equal(await count('snapshot'), 2);
    assert.equal(await count('chunk'), 6);
    assert.deepEqual(
      (await log.readBehind({ seq: 2, last: null })).records.map(({ seq }) => seq),
      [3, 4],
    );
    assert.equal(await count('log'), 2);
  });

  it('are replaced by the one before when a chunk is missing or damaged', async () => {
    const bytes = [randomBytes(3 * chunk), randomBytes(3 * chunk)];
    for (const [index, each] of bytes.entries())
      await snapshots().save({ seq: index + 1, bytes: each }, epoch);
    await link.run(
      {
        text: `UPDATE statusd.chunk SET bytes = set_byte(bytes, 0, get_byte(bytes, 0) # 1)
          WHERE hash = (SELECT hashes[2] FROM statusd.snapshot WHERE seq = 2)`,
      },
      deadlineMs,
    );
    const loaded = await snapshots().load();
    assert.equal(loaded?.seq, 1);
    assert.ok(bytes[0]?.equals(loaded.bytes));
  });

  it('are neither kept nor make anything go for a node that no longer leads', async () => {
    const bytes = randomBytes(3 * chunk);
    await snapshots().save({ seq: 1, bytes }, epoch);
    await link.run({ text: 'UPDATE statusd.place SET epoch = epoch + 1' }, deadlineMs);
    assert.equal(await snapshots().save({ seq: 2, bytes: randomBytes(chunk) }, epoch), null);
    for (const statement of statements.compact(1, epoch)) await link.run(statement, deadlineMs);
    assert.ok((await snapshots().load())?.bytes.equals(bytes));
    assert.equal(await count('chunk'), 4);
  });

  it('take the rows of nodes along that were not seen for a month', async () => {
    const announce = async (id: string, age: string) => {
      const node = { id, url: '', version: '1', config: '', isProbing: true, probesPerSec: 0 };
      await link.run(statements.announce(node), deadlineMs);
      await link.run(
        { text: `UPDATE statusd.node SET seen = seen - interval '${age}' WHERE id = $1`, values: [id] },
        deadlineMs,
      );
    };
    await announce('new', '0');
    await announce('away', '29 days');
    await announce('gone', '31 days');
    await snapshots().save({ seq: 1, bytes: randomBytes(chunk) }, epoch);
    const left = await link.run({ text: 'SELECT id FROM statusd.node ORDER BY id' }, deadlineMs);
    assert.deepEqual(
      left.map(({ id }) => id),
      ['away', 'new'],
    );
  });
});

describe('the pages of a snapshot', () => {
  /** How many pages there are, and how many of them are free, after `share` of the rows were deleted. */
  const pagesAfter = async (share: number) => {
    const sql = await openSql(null);
    sql.script('CREATE TABLE long (id INTEGER PRIMARY KEY, text TEXT)');
    sql.script(`WITH RECURSIVE row (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM row WHERE n < 400)
      INSERT INTO long SELECT n, hex(zeroblob(2000)) FROM row`);
    sql.run('DELETE FROM long WHERE id > ?', 400 * (1 - share));
    const count = (name: string) => sql.get(`PRAGMA ${name}`, [], (row) => row.number(name)) ?? 0;
    const before = count('page_count');
    shrink(sql);
    return { before, after: count('page_count'), free: count('freelist_count') };
  };

  it('are released when more than a quarter is free', async () => {
    const { before, after, free } = await pagesAfter(0.3);
    assert.ok(after < before * 0.75, `${after} of ${before}`);
    assert.equal(free, 0);
  });

  it('stay when a fifth is free: letting go of them changes all the others', async () => {
    const { before, after, free } = await pagesAfter(0.2);
    assert.equal(after, before);
    assert.ok(free > before * 0.15 && free < before / 4, `${free} of ${before}`);
  });
});
