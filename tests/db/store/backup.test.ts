import assert from 'node:assert/strict';
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { after, describe, it } from 'node:test';
import { backup } from '../../../src/db/store/backup.ts';
import { nodeFiles } from '../../../src/db/store/files/node.ts';
import { realClock } from '../../support/real-clock.ts';
import { counter, notes, tinySchema } from '../../support/tiny-schema.ts';
import { makeFolder, openTiny, readOnly } from '../../support/tiny-store.ts';

const folder = makeFolder();
after(folder.remove);

const copy = (file: string, to: string) =>
  backup({ file, to, schema: tinySchema(), files: nodeFiles, clock: realClock });

describe('backup', () => {
  it('is complete and consistent while a daemon and checkpoints write', async () => {
    const file = folder.at('busy.db');
    const daemon = await openTiny(file, { role: 'daemon' });
    const state = { isOver: false };
    const writing = (async () => {
      while (!state.isOver)
        await daemon.write([
          ['note', 'x'],
          ['count', 'notes', 1],
        ]);
    })();
    const checkpoints = (async () => {
      for (let index = 0; index < 10; index += 1) await daemon.checkpoint();
    })();
    for (let index = 0; index < 5; index += 1) {
      const before = counter(daemon.sql, 'notes');
      const to = folder.at(`copy-${index}.db`);
      const { bytes, warnings } = await copy(file, to);
      assert.deepEqual(warnings, []);
      assert.equal(statSync(to).size, bytes);
      assert.equal(statSync(to).mode & 0o777, 0o600);
      const reader = await openTiny(to, { role: 'reader' });
      assert.equal(counter(reader.sql, 'notes'), notes(reader.sql).length);
      assert.ok(notes(reader.sql).length >= before);
      await reader.close();
    }
    state.isOver = true;
    await Promise.all([writing, checkpoints]);
    await daemon.close();
  });

  it('never replaces anything, not even what a dangling link points to', async () => {
    const file = folder.at('source.db');
    await (await openTiny(file, { role: 'daemon' })).close();
    writeFileSync(folder.at('taken'), 'precious');
    mkdirSync(folder.at('taken-folder'));
    symlinkSync('missing', folder.at('taken-link'));
    for (const name of ['taken', 'taken-folder', 'taken-link', 'source.db']) {
      await assert.rejects(copy(file, folder.at(name)), {
        code: 'usage',
        message: `${folder.at(name)} ${name === 'taken-folder' ? 'is a folder' : 'exists already'}`,
      });
    }
    assert.equal(readFileSync(folder.at('taken'), 'utf8'), 'precious');
    await assert.rejects(copy(file, folder.at('nowhere/copy.db')), {
      code: 'usage',
      message: /does not exist/,
    });
    await assert.rejects(copy(file, folder.at('taken/copy.db')), { code: 'usage', message: /no folder/ });
    await assert.rejects(copy(file, `${file}-log.99`), { code: 'usage', message: /keeps for itself/ });
    assert.equal(readdirSync(folder.path).filter((name) => name.includes('-tmp.')).length, 0);
  });

  it('says exit 4 of a database that cannot be used', async () => {
    await assert.rejects(copy(folder.at('none.db'), folder.at('none-copy.db')), { code: 'store_unusable' });
    assert.equal(readdirSync(folder.path).includes('none-copy.db'), false);
  });

  it('refuses a database of a newer version, and a place that is read-only, and leaves nothing there', async () => {
    const newer = folder.at('newer.db');
    await (await openTiny(newer, { role: 'daemon', version: 2 })).close();
    const bytes = readFileSync(newer);
    await assert.rejects(copy(newer, folder.at('newer-copy.db')), {
      code: 'store_unusable',
      message: `cannot use the database ${newer}: a newer version of statusd wrote it`,
      hint: 'Use that version, or a later one.',
    });
    assert.deepEqual(readFileSync(newer), bytes);

    const file = folder.at('readable.db');
    await (await openTiny(file, { role: 'daemon' })).close();
    const to = folder.at('read-only-copy.db');
    const refused = backup({ file, to, schema: tinySchema(), files: readOnly(nodeFiles), clock: realClock });
    await assert.rejects(refused, {
      code: 'store_failing',
      message: `cannot write ${to}: the file system is read-only`,
      hint: 'Name a file elsewhere, or mount that file system for writing.',
    });
    const names = readdirSync(folder.path);
    assert.equal(
      names.filter((name) => name.includes('copy.db-tmp') || name.includes('newer-copy')).length,
      0,
    );
  });

  it('put in the place of the database brings back that moment, and sets the later files aside', async () => {
    const file = folder.at('restore.db');
    const daemon = await openTiny(file, { role: 'daemon' });
    await daemon.write([['note', 'kept']]);
    await daemon.checkpoint();
    await copy(file, folder.at('restore-copy.db'));
    await daemon.write([['note', 'regretted']]);
    await daemon.checkpoint();
    await daemon.write([['note', 'regretted too']]);
    await daemon.close();

    copyFileSync(folder.at('restore-copy.db'), file);
    const restored = await openTiny(file, { role: 'daemon' });
    assert.deepEqual(notes(restored.sql), [{ id: 1, content: 'kept' }]);
    await restored.write([['note', 'new']]);
    await restored.close();
    const again = await openTiny(file, { role: 'daemon' });
    assert.deepEqual(
      notes(again.sql).map(({ content }) => content),
      ['kept', 'new'],
    );
    await again.close();
    const aside = readdirSync(folder.path).filter((name) => /^restore\.db-.*\.damaged-/.test(name));
    assert.ok(
      aside.some((name) => name.startsWith('restore.db-prev')),
      aside.join(' '),
    );
  });
});
