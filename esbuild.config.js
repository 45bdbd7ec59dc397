/**
 * Builds the package: plain JavaScript in dist/.
 *
 * One build cuts the sources at every `import()`, so a command loads only what it needs. What `serve` needs, what `check`
 * and `healthcheck` need, what operators type while something is wrong, and help, is a script each, which is run once here:
 * what V8 compiled of it meanwhile lies beside it, so that a start of the same Node compiles nothing (bench/startup.ts and
 * bench/probes.ts measure it).
 *
 * The packages are bundled as the lockfile names them, so that what was tested is what runs. Their licences are
 * collected in THIRD-PARTY-LICENSES.txt.
 *
 * It is built beside dist/ and put into its place whole, so that several builds at once and one that breaks off
 * leave no half of it. With `--if-missing` a dist/ that has come meanwhile stays. An obstacle is reported in one
 * sentence.
 */
import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { join, resolve } from 'node:path';

const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const installed = Object.keys(manifest.dependencies);
const wantsOnlyMissing = process.argv.includes('--if-missing');

const absentPackages = [...installed, ...Object.keys(manifest.devDependencies)].filter(
  (name) => !existsSync(join('node_modules', name, 'package.json')),
);
if (absentPackages.length > 0) {
  const named = absentPackages.slice(0, 3).join(', ');
  const more = absentPackages.length > 3 ? ` and ${absentPackages.length - 3} more` : '';
  const isWithoutTools = installed.every((name) => !absentPackages.includes(name));
  fail(
    `what it is built with is not installed: ${named}${more}`,
    `Run \`npm ci\` in ${process.cwd()}${isWithoutTools ? ', without --omit=dev' : ''}.`,
  );
}
const { build } = await import('esbuild').catch((error) => {
  fail(`esbuild cannot be started: ${firstLine(error)}`, `Run \`npm ci\` in ${process.cwd()}.`);
});

const out = `dist.${process.pid}`;
removeLeftovers();
try {
  mkdirSync(out);
} catch (error) {
  fail(
    `dist/ cannot be written in ${process.cwd()}: ${error.code}`,
    'Run `npm run build` where it can be written, then start it here.',
  );
}
process.on('exit', () => {
  rmSync(out, { recursive: true, force: true });
});
process.on('uncaughtException', (error) => {
  const isPackage = /Could not resolve "[^./]/.test(String(error.message));
  const cure = isPackage ? `Run \`npm ci\` in ${process.cwd()}.` : 'Run `npm run build` to see all of it.';
  const [first] = error.errors ?? [];
  fail(`the build failed: ${first?.text ?? firstLine(error)}`, cure);
});

function fail(fact, cure) {
  process.stderr.write(`statusd: this checkout is not built: ${fact}\n  ${cure}\n`);
  process.exit(1);
}

function firstLine(error) {
  return String(error.message).trim().split('\n')[0];
}

/** What builds left behind that were broken off an hour ago or more. */
function removeLeftovers() {
  for (const name of readdirSync('.').filter((entry) => /^dist\.\d+(\.old)?$/.test(entry))) {
    const { mtimeMs } = statSync(name, { throwIfNoEntry: false }) ?? { mtimeMs: Infinity };
    if (mtimeMs < Date.now() - 3_600_000) rmSync(name, { recursive: true, force: true });
  }
}

/** Puts what was built into the place of dist/. */
function putIntoPlace() {
  const old = `${out}.old`;
  if (existsSync('dist/main.cjs') && wantsOnlyMissing) return;
  try {
    if (existsSync('dist')) renameSync('dist', old);
    renameSync(out, 'dist');
  } catch (error) {
    // Another build was faster, and what it made is the same.
    if (!existsSync('dist/main.cjs')) throw error;
  }
  rmSync(old, { recursive: true, force: true });
}

/** sql.js finds its WebAssembly beside itself; Ink's developer tools are not shipped. */
const external = ['sql.js', './devtools.js'];

const common = {
  outdir: out,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.18',
  define: {
    STATUSD_VERSION: JSON.stringify(manifest.version),
    'process.env.NODE_ENV': '"production"',
    'process.env.DEV': '"false"',
  },
  // Bundled CommonJS packages call require() for Node's own modules; an ES module has none.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module';\nconst require = __createRequire(import.meta.url);",
  },
  minifyWhitespace: true,
  minifySyntax: true,
  metafile: true,
  external,
  logLevel: 'warning',
};

/** undici asks for HTTP/2, which it is not used for, and Node takes 9 ms to load it: undici knows how to do without. */
const withoutHttp2 = {
  name: 'without-http2',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:http2$/ }, ({ kind }) =>
      kind === 'require-call' ? { path: 'http2', namespace: 'absent' } : null,
    );
    onLoad({ filter: /.*/, namespace: 'absent' }, () => ({
      contents: 'module.exports = { constants: {} };',
    }));
  },
};

/**
 * Packages that only some configurations need: a file each, which is read when it is first used. In a script they would be
 * 0.8 MB of text in the memory of every daemon.
 */
const seldom = ['croner', 'json-p3', 'nodemailer', 'pg', 're2js', 'toml-eslint-parser'];

const withoutSeldom = {
  name: 'without-seldom',
  setup({ onResolve }) {
    onResolve({ filter: new RegExp(`^(?:${seldom.join('|')})$`) }, ({ path }) => ({
      path: `./packages/${path}.cjs`,
      external: true,
    }));
  },
};

/** Help runs no command: what only one that runs would load stays out of its script. */
const withoutWork = {
  name: 'without-work',
  setup({ onResolve }) {
    onResolve({ filter: /^\./ }, ({ kind, path }) =>
      kind === 'dynamic-import' && !/help|usage-error|nagios/.test(path) ? { path, external: true } : null,
    );
  },
};

/** The scripts are run by src/commands/precompiled.ts, which has no `import()` for them. */
const script = {
  ...common,
  outExtension: { '.js': '.cjs' },
  format: 'cjs',
  supported: { 'dynamic-import': false },
  define: { ...common.define, 'import.meta.url': '__url' },
  banner: { js: '(function (exports, require, module, __url) {' },
  footer: { js: '})' },
  logOverride: { 'empty-import-meta': 'silent' },
  // The licences are in a file of their own.
  legalComments: 'none',
};

/** Modules of Node that a short command rarely needs are loaded when something of them is used: 5 ms of a start. */
const late = /^(?:node:)?(?:crypto|dns|perf_hooks|tls|v8|zlib)$/;
const shortScript = {
  ...script,
  banner: {
    js: `(function (exports, __require, module, __url) {
'use strict';
const require = (name) => ${late}.test(name)
  ? new Proxy({}, { get: (_, key) => process.getBuiltinModule(name)[key] })
  : __require(name);`,
  },
};

// One after the other: when both fail, both would report it.
const builds = [
  await build({
    ...common,
    entryPoints: {
      cli: 'src/commands/cli.ts',
      // Beside what names it.
      'chunks/checkpoint-worker': 'src/db/wal/checkpoint/worker.ts',
    },
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    plugins: [withoutHttp2],
  }),
  await build({
    ...common,
    entryPoints: { 'chunks/precompiled': 'src/commands/precompiled.ts' },
  }),
  await build({
    ...common,
    entryPoints: { main: 'src/commands/main.ts' },
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
    define: { ...common.define, 'import.meta.url': '__url' },
    banner: { js: "const __url = require('node:url').pathToFileURL(__filename).href;" },
    external: ['./cli.js'],
  }),
  await build({
    ...script,
    entryPoints: { 'chunks/daemon': 'src/commands/daemon.ts' },
    plugins: [withoutHttp2, withoutSeldom],
  }),
  await build({
    ...shortScript,
    entryPoints: { 'chunks/quick': 'src/commands/quick.ts', 'chunks/operator': 'src/commands/operator.ts' },
    plugins: [withoutHttp2, withoutSeldom],
  }),
  await build({
    ...shortScript,
    entryPoints: { 'chunks/help': 'src/commands/help.ts' },
    plugins: [withoutHttp2, withoutSeldom, withoutWork],
  }),
  ...(await Promise.all(seldom.map(buildPackage))),
];

function buildPackage(name) {
  return build({
    ...common,
    stdin: { contents: `module.exports = require('${name}');`, resolveDir: '.' },
    outdir: undefined,
    outfile: join(out, 'chunks', 'packages', `${name}.cjs`),
    format: 'cjs',
    banner: {},
    legalComments: 'none',
  });
}

const inputs = builds.flatMap(({ metafile }) => Object.keys(metafile.inputs));
const bundled = new Set(
  inputs.flatMap((file) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []),
);
const licences = [...bundled].sort().map((name) => {
  const folder = join('node_modules', name);
  const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  const text =
    file && existsSync(join(folder, file)) ? readFileSync(join(folder, file), 'utf8').trim() : license;
  return `${name} ${version} (${license})\n\n${text}\n`;
});
writeFileSync(join(out, 'THIRD-PARTY-LICENSES.txt'), licences.join(`\n${'-'.repeat(72)}\n\n`));

/**
 * esbuild leaves what is not ASCII in regular expressions and tagged templates. One such letter, and the whole script takes
 * two bytes for each.
 */
function writeAsAscii(file) {
  const text = readFileSync(file, 'utf8');
  // There it would be read as it is written, backslash included.
  const raw = /String\.raw`[^`]*[^\0-\x7f]/.exec(text);
  if (raw !== null) throw new Error(`${raw[0]}: write it as \\u...`);
  const escaped = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  writeFileSync(file, text.replace(/[^\0-\x7f]/g, escaped));
}

/**
 * Runs each script once, on a server of its own, and keeps what V8 compiled meanwhile. A start that is refused here, to
 * listen say, costs a later one some time, and nothing else.
 */
async function compileAhead() {
  for (const name of ['daemon', 'quick', 'operator', 'help'])
    writeAsAscii(join(out, 'chunks', `${name}.cjs`));
  const folder = join(out, 'first-run');
  mkdirSync(folder);
  const server = createServer((_request, response) => response.end('ok')).listen(0, '127.0.0.1');
  server.unref();
  await new Promise((done) => server.once('listening', done).once('error', done));
  const target = `http://127.0.0.1:${server.address()?.port ?? 9}/`;
  const monitors = `[[monitors]]\nid = "one"\ntarget = "${target}"\n`;
  writeFileSync(join(folder, 'statusd.toml'), `[server]\nbind = "127.0.0.1:0"\n${monitors}`);
  writeFileSync(join(folder, 'operator.toml'), `[server]\ndatabase_path = "operator.db"\n${monitors}`);
  await Promise.all([
    keepCompiled('quick', ['check'], folder),
    keepCompiled('help', ['help'], folder),
    keepCompiled('operator', ['silence', 'one', '1h', '--offline', '-c', 'operator.toml'], folder),
    keepCompiled('daemon', ['serve', '--log-format', 'json'], folder),
  ]);
  rmSync(folder, { recursive: true, force: true });
}

/**
 * V8 takes what was compiled only under the flags it was made under, so those that the program sets for its run are not
 * set in this one.
 */
const compiling = `
  const [script, loader, ...args] = process.argv.slice(1);
  const { writeFileSync } = require('node:fs');
  const { dirname, join } = require('node:path');
  require('node:v8').setFlagsFromString = () => undefined;
  import(loader).then(async ({ loadScript, compiledName }) => {
    const loaded = loadScript(require('node:url').pathToFileURL(script));
    const blank = await loaded.exports.blankDatabase?.();
    if (blank) writeFileSync(join(dirname(script), 'blank.db'), blank);
    process.on('exit', () => writeFileSync(compiledName(script), loaded.script.createCachedData()));
    const signals = { listen: (listener) => process.on('SIGTERM', () => listener('SIGTERM')) };
    await loaded.exports.main(args, { signals });
  });
`;

async function keepCompiled(name, args, cwd) {
  const [script, loader] = [`chunks/${name}.cjs`, 'chunks/precompiled.js'].map((file) => resolve(out, file));
  const child = spawn(process.execPath, ['-e', compiling, script, loader, ...args], {
    cwd,
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: 20_000,
  });
  child.stdout.on('data', (text) => {
    if (String(text).includes('daemon.ready')) child.kill();
  });
  await new Promise((done) => child.once('close', done).once('error', done));
}

await compileAhead();
putIntoPlace();
