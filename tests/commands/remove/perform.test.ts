import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { runHere } from '../../support/operator-world.ts';

let folder = '';
let count = 0;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'statusd-remove-'));
});
after(() => {
  rmSync(folder, { recursive: true });
});

const head = '# mine\ninclude = ["conf.d/*.toml"]\n\n';
const database =
  '# The database.\n# It is old.\n[[monitors]]\nid = "database"\nkind = "tcp"\ntarget = "db:5432"\n\n';
const shop =
  '[[monitors]]\nid = "shop"\ntarget = "https://shop.example.com/"\nbody = """\n[[monitors]]\nid = "database"\n"""\nmethod = "POST"\ndepends_on = ["database"]\n[monitors.headers]\nA = "b"\n\n';
const blog =
  '# Behind.\n[[monitors]]\nid = "blog"\nname = "The blog"\ntarget = "https://blog.example.com/"\n';

const place = (text: string) => {
  const cwd = mkdtempSync(join(folder, `${count++}-`));
  mkdirSync(join(cwd, 'conf.d'));
  const [file, added] = [join(cwd, 'statusd.toml'), join(cwd, 'conf.d', 'more.toml')];
  writeFileSync(file, text);
  writeFileSync(added, '[[monitors]]\nid = "extra"\ntarget = "https://x.example.com/"\n');
  return { cwd, file, added };
};

describe('remove', () => {
  it('cuts out the table, its subtables and the comments above it, and nothing else', async () => {
    const { cwd, file } = place(head + database + shop + blog);
    const done = await runHere(['remove', 'shop'], { cwd });
    assert.equal(done.code, 0, done.stderr);
    assert.match(done.stdout, /^Removed 1 monitor from .*statusd\.toml: shop\.\n/);
    assert.equal(readFileSync(file, 'utf8'), head + database + blog);
    assert.equal((await runHere(['remove', 'blog', 'database'], { cwd })).code, 0);
    assert.equal(readFileSync(file, 'utf8'), head);
  });

  it('changes the included file that has the monitor', async () => {
    const { cwd, file, added } = place(head + blog);
    const done = await runHere(['remove', '--json', 'extra'], { cwd });
    assert.deepEqual(JSON.parse(done.stdout), { files: [added], removed: ['extra'], written: true });
    assert.deepEqual([readFileSync(added, 'utf8'), readFileSync(file, 'utf8')], ['', head + blog]);
  });

  it('removes nothing that another monitor depends on, and names the line', async () => {
    const { cwd, file } = place(head + database + shop);
    const refused = await runHere(['remove', 'database'], { cwd });
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /nothing was removed: the monitor 'shop' depends on 'database'/);
    assert.match(refused.stderr, /Change depends_on in statusd\.toml, line 19, first/);
    assert.equal(readFileSync(file, 'utf8'), head + database + shop);
  });

  it('removes nothing where the file would not load without it', async () => {
    const channel =
      '[[channels]]\nname = "ops"\ntype = "ntfy"\nurl = "https://ntfy.sh/x"\nmonitors = ["blog"]\n\n';
    const { cwd, file } = place(head + channel + blog);
    const refused = await runHere(['remove', 'blog'], { cwd });
    assert.deepEqual([refused.code, readFileSync(file, 'utf8')], [2, head + channel + blog]);
    assert.match(refused.stderr, /nothing was removed, since the file would not load/);
  });

  it('names an unknown monitor (5), and one that is part of a value (2)', async () => {
    const { cwd } = place(`monitors = [{ id = "shop", target = "https://shop.example.com/" }]\n`);
    assert.equal((await runHere(['remove', 'sho'], { cwd })).code, 5);
    const inline = await runHere(['remove', 'shop'], { cwd });
    assert.equal(inline.code, 2);
    assert.match(inline.stderr, /line 1, is no \[\[monitors\]\] table/);
  });

  it('prints what it would remove, and writes nothing, with --dry-run', async () => {
    const { cwd, file } = place(head + database);
    const done = await runHere(['remove', '--dry-run', 'database'], { cwd });
    assert.deepEqual([done.code, done.stdout], [0, database]);
    assert.equal(readFileSync(file, 'utf8'), head + database);
  });
});
