import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const source = fileURLToPath(new URL('../..', import.meta.url));
const places: string[] = [];
after(() => {
  for (const place of places) rmSync(place, { recursive: true, force: true });
});

/** A checkout that is not built; `packages` links those of this one. */
function clone(packages: (place: string) => void): string {
  const place = mkdtempSync(join(tmpdir(), 'statusd-clone-'));
  places.push(place);
  chmodSync(place, 0o755);
  for (const name of ['bin', 'src', 'package.json', 'tsconfig.json', 'esbuild.config.js'])
    cpSync(join(source, name), join(place, name), { recursive: true });
  packages(place);
  return place;
}

const allPackages = (place: string) => {
  symlinkSync(join(source, 'node_modules'), join(place, 'node_modules'));
};
const packagesWithout = (without: readonly string[]) => (place: string) => {
  mkdirSync(join(place, 'node_modules'));
  for (const name of readdirSync(join(source, 'node_modules')).filter((one) => !without.includes(one)))
    symlinkSync(join(source, 'node_modules', name), join(place, 'node_modules', name));
};

interface How {
  readonly node?: readonly string[];
  /** A program that starts it, with its arguments. */
  readonly through?: readonly string[];
  readonly script?: string;
}

async function start(
  place: string,
  args: readonly string[],
  { node = [], through = [], script = 'bin/statusd.js' }: How = {},
) {
  const [program = '', ...words] = [...through, process.execPath, ...node, join(place, script), ...args];
  const child = spawn(program, words, {
    cwd: tmpdir(),
    env: { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent' },
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}

const builds = (place: string) => readdirSync(place).filter((name) => name.startsWith('dist'));

describe('a checkout that is not built', { concurrency: 2 }, () => {
  it('is built by the first start, once, however many there are at the same time', async () => {
    const place = clone(allPackages);
    const starts = await Promise.all(Array.from({ length: 2 }, () => start(place, ['--version'])));
    for (const one of starts) assert.deepEqual(one, { code: 0, stdout: '0.1.0\n', stderr: '' });
    assert.deepEqual(builds(place), ['dist']);
    const { mtimeMs, ino } = statSync(join(place, 'dist', 'main.cjs'));
    assert.equal((await start(place, ['schema'])).code, 0);
    const later = statSync(join(place, 'dist', 'main.cjs'));
    assert.deepEqual([later.mtimeMs, later.ino], [mtimeMs, ino]);
  });

  const said = (fact: RegExp, cure: RegExp, { stderr, ...rest }: Awaited<ReturnType<typeof start>>) => {
    assert.deepEqual(rest, { code: 1, stdout: '' });
    const lines = stderr.split('\n');
    assert.equal(lines.length, 3, stderr);
    assert.match(lines[0] ?? '', fact);
    assert.match(lines[1] ?? '', cure);
  };

  it('says what to do when its packages are not installed', async () => {
    const place = clone(() => undefined);
    const cure = /^ {2}Run `npm ci` in \/.*\.$/;
    said(/^statusd: .* not installed: clipanion, .* and \d+ more$/, cure, await start(place, ['check']));
    const build = await start(place, [], { script: 'esbuild.config.js' });
    // It reads the folder that it is started in.
    assert.equal(build.code, 1);
    assert.deepEqual(builds(place), []);
  });

  it('says what to do when only those for running are installed', async () => {
    const place = clone(packagesWithout(['esbuild', 'tsx']));
    const cure = /^ {2}Run `npm ci` in \/.*, without --omit=dev\.$/;
    said(/^statusd: .* not installed: esbuild, tsx$/, cure, await start(place, ['check']));
  });

  it('says what to do when a package is installed by half', async () => {
    const place = clone(packagesWithout(['clipanion']));
    mkdirSync(join(place, 'node_modules', 'clipanion'));
    writeFileSync(join(place, 'node_modules', 'clipanion', 'package.json'), '{"name":"clipanion"}');
    said(/^statusd: .* Could not resolve "clipanion"$/, /`npm ci`/, await start(place, ['check']));
    assert.deepEqual(builds(place), []);
  });

  it('says what to do where nothing can be written', async () => {
    const place = clone(allPackages);
    chmodSync(place, 0o555);
    // To root nothing is forbidden, unless it gives that right away.
    const through =
      process.getuid?.() === 0
        ? ['setpriv', '--bounding-set=-dac_override', '--inh-caps=-dac_override', '--']
        : [];
    const given = await start(place, ['check'], { through });
    chmodSync(place, 0o755);
    said(/^statusd: .* dist\/ cannot be written in \/.*: EACCES$/, /`npm run build`/, given);
  });

  it('says which Node it needs', async () => {
    const place = clone(allPackages);
    for (const version of ['18.20.4', '20.17.0', '20.18.0']) {
      const fake = join(place, `node-${version}.cjs`);
      writeFileSync(
        fake,
        `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } });`,
      );
      const given = await start(place, ['--version'], { node: ['-r', fake] });
      said(/^statusd needs Node 20\.18\.1 or later; this is v/, /newer Node/, given);
    }
    assert.ok(!existsSync(join(place, 'dist')));
  });

  it('says what to do when a package of a built one is gone', async () => {
    const place = clone(() => undefined);
    cpSync(join(source, 'dist'), join(place, 'dist'), { recursive: true });
    writeFileSync(join(place, 'statusd.toml'), '[server]\ndatabase_path = "x.db"\n');
    const given = await start(place, [
      'silence',
      'all',
      '1h',
      '--offline',
      '-c',
      join(place, 'statusd.toml'),
    ]);
    assert.equal(given.code, 4);
    said(/^statusd: the installation is incomplete: .*sql\.js/, /`npm ci`/, { ...given, code: 1 });
  });
});
