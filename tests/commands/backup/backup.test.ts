import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { meta } from '../../../src/db/tables/meta.ts';
import { runHere } from '../../support/operator-world.ts';
import { makeFolder } from '../../support/tiny-store.ts';
import { skipWithout } from '../../support/tool.ts';
import { openRealStore } from '../../support/real-store.ts';

const folder = makeFolder();
const cwd = folder.path;

before(async () => {
  mkdirSync(folder.at('data'));
  writeFileSync(
    folder.at('statusd.toml'),
    '[server]\ndatabase_path = "data/statusd.db"\n[[monitors]]\nid = "web"\ntarget = "http://127.0.0.1:1/"\n',
  );
  const file = folder.at('data/statusd.db');
  const store = await openRealStore(file, { role: 'writer' });
  await store.write([meta.set({ name: 'colour', value: 'green' })]);
  await store.close();
});
after(folder.remove);

describe('statusd backup', () => {
  it('copies the database of the configuration and says what it made', async () => {
    const { code, stdout, stderr } = await runHere(['backup', 'copy.db'], { cwd });
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
    assert.match(
      stdout,
      new RegExp(`^${folder.at('copy.db')}: a copy of ${folder.at('data/statusd.db')}, \\d+ kB\\n$`),
    );
    assert.equal(statSync(folder.at('copy.db')).mode & 0o777, 0o600);
    const store = await openRealStore(folder.at('copy.db'), { role: 'reader' });
    assert.equal(meta.get(store.sql, 'colour'), 'green');
    await store.close();
  });

  it('prints the same as JSON, and nothing with --quiet', async () => {
    const { code, stdout } = await runHere(['backup', '--json', 'copy-json.db'], { cwd });
    assert.equal(code, 0);
    const { size } = statSync(folder.at('copy-json.db'));
    assert.deepEqual(JSON.parse(stdout), {
      file: folder.at('copy-json.db'),
      bytes: size,
      database: folder.at('data/statusd.db'),
      warnings: [],
    });
    assert.deepEqual(await runHere(['backup', '-q', 'copy-quiet.db'], { cwd }), {
      code: 0,
      stdout: '',
      stderr: '',
    });
  });

  it('never replaces a file: exit 2', async () => {
    writeFileSync(folder.at('precious'), 'precious');
    assert.deepEqual(await runHere(['backup', 'precious'], { cwd }), {
      code: 2,
      stdout: '',
      stderr: `statusd: ${folder.at('precious')} exists already\n  A backup never replaces a file: name another one, or move that one away.\n`,
    });
    assert.equal(readFileSync(folder.at('precious'), 'utf8'), 'precious');
  });

  it('makes no folder, and says which one is missing: exit 2', async () => {
    for (const dest of ['none/x/copy.db', 'none/x/'])
      assert.deepEqual(await runHere(['backup', dest], { cwd }), {
        code: 2,
        stdout: '',
        stderr: dest.endsWith('/')
          ? `statusd: none/x/ names a folder\n  Name a file, such as none/x/statusd-copy.db.\n`
          : `statusd: the folder ${folder.at('none/x')} does not exist\n  Create it first, or name another file.\n`,
      });
    assert.equal(existsSync(folder.at('none')), false);
  });

  it('does not call a folder a file that is in the way: exit 2', async () => {
    mkdirSync(folder.at('copies'));
    for (const dest of ['copies', 'copies/'])
      assert.deepEqual(await runHere(['backup', dest], { cwd }), {
        code: 2,
        stdout: '',
        stderr: `statusd: ${dest === 'copies' ? `${folder.at('copies')} is` : 'copies/ names'} a folder\n  Name a file, such as ${dest === 'copies' ? folder.at('copies/statusd-copy.db') : 'copies/statusd-copy.db'}.\n`,
      });
    assert.deepEqual(readdirSync(folder.at('copies')), []);
  });

  it('reports why a database cannot be used: exit 4', async () => {
    writeFileSync(folder.at('empty.db'), '');
    const env = { STATUSD_DATABASE: folder.at('empty.db') };
    const { code, stdout, stderr } = await runHere(['backup', 'of-nothing.db'], { cwd, env });
    assert.deepEqual({ code, stdout }, { code: 4, stdout: '' });
    assert.match(stderr, /cannot use the database .*empty\.db: it is empty \(0 bytes\)\n {2}Put a backup/);
    assert.equal(readdirSync(cwd).includes('of-nothing.db'), false);
  });

  it('needs a destination: exit 2, and a configuration: exit 3', async () => {
    assert.equal((await runHere(['backup'], { cwd })).code, 2);
    assert.equal((await runHere(['backup', 'x.db', '-c', 'nothing.toml'], { cwd })).code, 3);
  });

  it('makes something that any other program reads as SQLite', { skip: skipWithout('python3') }, async () => {
    await runHere(['backup', 'for-others.db'], { cwd });
    const script =
      'import sqlite3,sys; print(sqlite3.connect(sys.argv[1]).execute("SELECT value FROM meta WHERE name=\'colour\'").fetchone()[0])';
    const { stdout } = spawnSync('python3', ['-c', script, folder.at('for-others.db')], {
      encoding: 'utf8',
    });
    assert.equal(stdout.trim(), '"green"');
  });
});
