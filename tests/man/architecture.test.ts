import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const architecture = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');

/** Every file and folder of the project's own, by its path. */
const paths = ['src', 'tests', 'bench', 'man', 'docs', 'bin'].flatMap((folder) => [
  folder,
  ...readdirSync(join(root, folder), { recursive: true }).map((path) => join(folder, String(path))),
]);

const folderRows = [...architecture.matchAll(/^\| `(src\/[a-z/]+)` \|/gm)].map(([, folder = '']) => folder);

describe('ARCHITECTURE.md', () => {
  it('can be read in one go: it has at most 200 lines', () => {
    assert.ok(architecture.trimEnd().split('\n').length <= 200);
  });

  it('has a row for each folder of the sources', () => {
    const foldersIn = (folder: string) =>
      readdirSync(join(root, folder))
        .map((name) => join(folder, name))
        .filter((path) => statSync(join(root, path)).isDirectory());
    const folders = [...foldersIn('src').filter((path) => path !== 'src/engine'), ...foldersIn('src/engine')];
    assert.deepEqual(folderRows.toSorted(), folders.toSorted());
  });

  it('names files and folders that there are', () => {
    const named = [...architecture.matchAll(/`([\w./<>*-]*(?:\/[\w./<>*-]*|\.ts))`/g)].map(
      ([, path = '']) => path,
    );
    assert.ok(named.length > 40);
    const missing = named.filter((path) => {
      const pattern = path
        .replace(/\/$/, '')
        .replace(/[.]/g, '\\.')
        .replace(/<\w+>|\*/g, '[^/]+');
      const isPath = new RegExp(`(^|/)${pattern}(\\.tsx?)?$`);
      // A build makes this one.
      if (path === 'dist/') return false;
      return !path.startsWith('/') && !paths.some((one) => isPath.test(one));
    });
    assert.deepEqual(missing, []);
  });

  it('says which folders may import which, as the law of imports has it', () => {
    const law = readFileSync(join(root, '.dependency-cruiser.cjs'), 'utf8');
    for (const [, from = '', list = ''] of law.matchAll(/only\(\s*'[a-z-]+',\s*'([^']+)',\s*\[([^\]]*)\]/g)) {
      const allowed = [...list.matchAll(/'src\/(?:engine\/)?([^']+)'/g)].map(([, to = '']) => to);
      const row = new RegExp(`^\\| \`${from}\` \\|.*\\| ([^|]*) \\|$`, 'm').exec(architecture)?.[1] ?? '';
      const said =
        row === 'itself' ? [] : row.split(', ').map((to) => (to === 'confirm' ? `monitoring/${to}` : to));
      assert.deepEqual(said.toSorted(), allowed.toSorted(), from);
    }
  });
});
