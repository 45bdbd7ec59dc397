import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { crc32 } from 'node:zlib';
import { decodeTrailer, encodeTrailer } from '../../../../src/db/store/snapshot/trailer.ts';
import { Replica } from '../../../../src/db/store/replica.ts';
import { openSql } from '../../../../src/db/store/sql.ts';
import { tinySchema } from '../../../support/tiny-schema.ts';
import { skipWithout } from '../../../support/tool.ts';

const databaseId = '0f8fad5b-d9cb-469f-a165-70867728950e';

describe('the trailer of a snapshot', () => {
  it('reads back, and is not read with any bit of it flipped', () => {
    const trailer = { length: 2 ** 33, checksum: 0xdead_beef, databaseId, log: 42 };
    const bytes = encodeTrailer(trailer);
    assert.deepEqual(decodeTrailer(bytes), trailer);
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const flipped = Buffer.from(bytes);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      assert.equal(decodeTrailer(flipped), null);
    }
  });

  it('does not disturb other programs that read SQLite', { skip: skipWithout('python3') }, async () => {
    const replica = new Replica(await openSql(null), tinySchema(), databaseId);
    replica.apply('transaction', [['note', 'hello']]);
    const pages = replica.exportPages(null);
    const folder = mkdtempSync(join(tmpdir(), 'statusd-trailer-'));
    const file = join(folder, 'statusd.db');
    writeFileSync(
      file,
      Buffer.concat([
        pages,
        encodeTrailer({ length: pages.length, checksum: crc32(pages), databaseId, log: 1 }),
      ]),
    );
    const script = `
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
print(db.execute('PRAGMA integrity_check').fetchone()[0], db.execute('SELECT content FROM note').fetchone()[0],
      db.execute('PRAGMA user_version').fetchone()[0], db.execute('PRAGMA application_id').fetchone()[0])`;
    const { status, stdout } = spawnSync('python3', ['-c', script, file], { encoding: 'utf8' });
    rmSync(folder, { recursive: true });
    assert.equal(status, 0);
    assert.equal(stdout.trim(), 'ok hello 1 1937006964');
  });
});
