import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { tableDigests } from '../../../src/db/store/compare.ts';
import { openSql } from '../../../src/db/store/sql.ts';

const digestsOf = async (rows: string) => {
  const sql = await openSql(null);
  sql.script(`CREATE TABLE plain (name TEXT, bytes BLOB); CREATE TABLE "odd ""one" (n REAL);
    CREATE TABLE store_place (log INTEGER); ${rows}`);
  return tableDigests(sql);
};
const rows = `INSERT INTO plain VALUES ('a', x'00ff'), (NULL, NULL); INSERT INTO "odd ""one" VALUES (0.1);`;

describe('the digests of tables', () => {
  it('are the same for the same rows, in whatever order they were written', async () => {
    const other = `INSERT INTO "odd ""one" VALUES (0.1);
      INSERT INTO plain VALUES (NULL, NULL), ('a', x'00ff'); INSERT INTO store_place VALUES (7);`;
    const digests = await digestsOf(rows);
    assert.deepEqual([...digests.keys()], ['odd "one', 'plain']);
    assert.equal(digests.get('plain')?.rows, 2);
    assert.deepEqual(await digestsOf(other), digests);
  });

  for (const [change, table] of [
    [`DELETE FROM plain WHERE name IS NULL`, 'plain'],
    [`UPDATE plain SET bytes = x'00fe' WHERE name = 'a'`, 'plain'],
    [`UPDATE plain SET name = '' WHERE name IS NULL`, 'plain'],
    [`UPDATE "odd ""one" SET n = 0.1000001`, 'odd "one'],
  ] as const)
    it(`notice ${change}`, async () => {
      const [before, after] = [await digestsOf(rows), await digestsOf(`${rows} ${change}`)];
      const different = [...before.keys()].filter(
        (name) => before.get(name)?.digest !== after.get(name)?.digest,
      );
      assert.deepEqual(different, [table]);
    });
});
