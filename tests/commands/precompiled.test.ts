import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { compiledName, loadScript } from '../../src/commands/precompiled.ts';

const text =
  '(function (exports, require, module, __url) { exports.sum = (a, b) => a + b; exports.url = __url; })';

describe('a script of the program', () => {
  const folder = mkdtempSync(join(tmpdir(), 'statusd-script-'));
  after(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const load = (name: string, compiled: Buffer | null) => {
    const file = join(folder, name);
    writeFileSync(file, text);
    if (compiled !== null) writeFileSync(compiledName(file), compiled);
    const url = pathToFileURL(file);
    const { script, exports } = loadScript<{ sum: (a: number, b: number) => number; url: string }>(url);
    assert.equal(exports.sum(1, 2), 3);
    assert.equal(exports.url, url.href);
    return script;
  };

  it('runs without having been compiled ahead', () => {
    assert.equal(load('plain.cjs', null).cachedDataRejected, undefined);
  });

  it('takes what was compiled of it', () => {
    const compiled = load('first.cjs', null).createCachedData();
    assert.equal(load('second.cjs', compiled).cachedDataRejected, false);
  });

  it('runs beside what another version of V8 compiled, beside half of it and beside anything else', () => {
    const compiled = load('third.cjs', null).createCachedData();
    const other = Buffer.from(compiled);
    other.writeUInt32LE(other.readUInt32LE(4) + 1, 4);
    const half = compiled.subarray(0, compiled.length / 2);
    for (const [index, wrong] of [other, half, Buffer.from('anything else')].entries())
      assert.equal(load(`wrong-${index}.cjs`, wrong).cachedDataRejected, true);
  });

  const chunks = new URL('../../dist/chunks/', import.meta.url);
  const program = fileURLToPath(new URL('../../bin/statusd.js', import.meta.url));
  for (const name of ['daemon', 'quick', 'operator', 'help'])
    it(`${name} was compiled when it was built`, { skip: !existsSync(chunks) && 'nothing is built' }, () => {
      // A process of its own: this one may have flags of V8 under which nothing was compiled.
      const look = `
        import { loadScript } from '${new URL('precompiled.js', chunks).href}';
        const { script, exports } = loadScript(new URL('${new URL(`${name}.cjs`, chunks).href}'));
        console.log(script.cachedDataRejected, typeof exports.main);
        process.exit();`;
      const args = ['--input-type=module', '-e', look];
      const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8', env: {} });
      assert.equal(stdout, 'false function\n');
    });

  it('check of an http target loads nothing of Node that it does not use', {
    skip: !existsSync(chunks),
  }, () => {
    const list = join(folder, 'list.cjs');
    writeFileSync(
      list,
      "process.on('exit', () => process._rawDebug(process.moduleLoadList.filter((name) => name.startsWith('Native')).join()))",
    );
    const config = join(folder, 'statusd.toml');
    writeFileSync(config, '[[monitors]]\nid = "one"\ntarget = "http://127.0.0.1:1/"\n');
    const args = ['--require', list, program, 'check', '--config', config];
    const { stderr, status } = spawnSync(process.execPath, args, { encoding: 'utf8', env: {} });
    assert.equal(status, 1, stderr);
    const loaded = stderr.split(/[,\n]/).map((name) => name.replace('NativeModule ', ''));
    assert.ok(loaded.includes('net'), stderr);
    const unused = ['crypto', 'dns', 'http', 'perf_hooks', 'tls', 'worker_threads', 'zlib'];
    assert.deepEqual(
      unused.filter((name) => loaded.includes(name)),
      [],
    );
  });

  const alike: readonly (readonly string[])[] = [
    [],
    ['help'],
    ['-h', '--no-color'],
    ['check', '--help'],
    ['help', 'silence', 'list'],
    ['--help', 'nosuch'],
    ['check', '--format', 'nagios', 'nosuch', '--help'],
    ['healthcheck', '--help', 'nosuch'],
    // No help is wanted by these.
    ['check', '--', '--help'],
    ['silence', 'help'],
    ['completion', 'words'],
    ['completion', 'words', 'subject'],
  ];
  it('answers as the whole command line does', { skip: !existsSync(chunks) && 'nothing is built' }, () => {
    writeFileSync(join(folder, 'statusd.toml'), '[[monitors]]\nid = "one"\ntarget = "http://127.0.0.1:1/"\n');
    const options = { encoding: 'utf8', env: { PATH: process.env['PATH'] ?? '' }, cwd: folder } as const;
    const whole = join(folder, 'whole.mjs');
    writeFileSync(
      whole,
      `import { main } from '${new URL('cli.js', new URL('../', chunks)).href}';
       void main(process.argv.slice(2), { signals: { listen: () => undefined } });`,
    );
    for (const args of alike) {
      const [script, expected] = [program, whole].map((file) => {
        const { stdout, stderr, status } = spawnSync(process.execPath, [file, ...args], options);
        return { stdout, stderr, status };
      });
      assert.deepEqual(script, expected, args.join(' '));
    }
  });
});
