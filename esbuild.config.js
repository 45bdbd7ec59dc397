/**
 * Builds the package: plain JavaScript in dist/.
 *
 * The sources become a few files, in which every module is still evaluated only when it is imported: opening
 * fifty small files costs a start more than reading one, and so does reading what is not needed
 * (bench/startup.ts measures it). `main.js` answers `--version` alone; `cli.js` has the command line and its help;
 * `quick.js` has both once more with all that `check` needs, in one piece; `probing.js`, `daemon.js` and `commands.js` have
 * the work of the commands. What they share is in `shared-*.js`.
 *
 * Packages under `dependencies` stay outside and are installed by npm. The others are bundled, so that what was
 * tested is what runs: those that every start needs go into `cli.js`, those behind an `import()` into files of
 * their own under `packages/`. Their licences are collected in THIRD-PARTY-LICENSES.txt.
 *
 * It is built beside dist/ and put into its place whole, so that several builds at once and one that breaks off
 * leave no half of it. With `--if-missing` a dist/ that has come meanwhile stays. What is in the way is one sentence.
 */
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
import { isBuiltin } from 'node:module';
import { dirname, join, relative, resolve, sep } from 'node:path';

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
  if (existsSync('dist/main.js') && wantsOnlyMissing) return;
  try {
    if (existsSync('dist')) renameSync('dist', old);
    renameSync(out, 'dist');
  } catch (error) {
    // Another build was faster, and what it made is the same.
    if (!existsSync('dist/main.js')) throw error;
  }
  rmSync(old, { recursive: true, force: true });
}

const common = {
  outdir: out,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.18',
  external: installed,
  define: { STATUSD_VERSION: JSON.stringify(manifest.version), 'process.env.NODE_ENV': '"production"' },
  // Bundled CommonJS packages call require() for Node's own modules; an ES module has none.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module';\nconst require = __createRequire(import.meta.url);",
  },
  minifyWhitespace: true,
  minifySyntax: true,
  metafile: true,
  logLevel: 'warning',
};

/** What main.ts imports stands in files of its own. */
const entries = ['./cli.ts', './quick.ts'];

/** File names of lazily imported packages to the module they hold. */
const lazyPackages = new Map();

const partition = {
  name: 'partition',
  setup({ onResolve }) {
    onResolve({ filter: /.*/ }, ({ path, kind }) => {
      if (kind !== 'dynamic-import') return null;
      if (entries.includes(path)) return { path: path.replace('.ts', '.js'), external: true };
      if (path.startsWith('.') || isBuiltin(path) || installed.includes(path)) return null;
      const name = path.replace(/\.js$/, '').replace(/[^a-z0-9]+/g, '-');
      lazyPackages.set(name, path);
      return { path: `./packages/${name}.js`, external: true };
    });
  },
};

/**
 * What is never used is not there: HTTP/2 is not spoken, and Node takes 9 ms to load its module, so undici gets what it
 * makes of a Node without; Ink asks for its developer tools only when DEV is set.
 */
const absent = {
  name: 'absent',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(node:http2|react-devtools-core)$/ }, ({ path }) => ({
      path,
      namespace: 'absent',
    }));
    onLoad({ filter: /.*/, namespace: 'absent' }, () => ({
      contents: 'module.exports = { constants: {} };',
    }));
  },
};

/** Commands that are to start as fast as they can, as main.ts names them, and those that stay up. */
const quick = ['check', 'completion', 'healthcheck'];
const lasting = ['serve', 'demo'];

/** The file that the work of a command goes into; null: not a command, and its parts go where it goes. */
function groupOf(file, text) {
  if (!/\bextends StatusdCommand\b/.test(text)) return null;
  const [word] = relative('src/commands', file)
    .replace(/\.tsx?$/, '')
    .split(sep);
  if (quick.includes(word)) return 'probing';
  return lasting.includes(word) ? 'daemon' : 'commands';
}

const relativeImport = /\bimport\(\s*'(\.[^']+)',?\s*\)/g;

/** The modules that each file is asked for from outside. */
const wanted = { probing: new Set(), daemon: new Set(), commands: new Set() };
for (const entry of readdirSync('src/commands', { recursive: true })) {
  const file = join('src/commands', entry);
  if (!/\.tsx?$/.test(file)) continue;
  const text = readFileSync(file, 'utf8');
  const group = groupOf(file, text);
  if (group === null) continue;
  for (const [, path] of text.matchAll(relativeImport)) wanted[group].add(resolve(dirname(file), path));
}

/**
 * esbuild gives every import() a file. Those within a file become what they are without it: a module in waiting. So
 * does the work of the group `inlined`, which finds the other groups in the files of the other build.
 */
const grouped = (inlined = null) => ({
  name: 'grouped',
  setup({ onResolve, onLoad }) {
    onLoad({ filter: /[\\/]src[\\/].*\.tsx?$/ }, ({ path: file }) => {
      const text = readFileSync(file, 'utf8');
      const group = groupOf(relative('.', file), text);
      const contents = text.replace(relativeImport, (whole, path) => {
        if (entries.includes(path)) return whole;
        if (group === inlined || group === null) return `Promise.resolve().then(() => require('${path}'))`;
        const module = JSON.stringify(resolve(dirname(file), path));
        return `import('group:${group}').then(({ modules }) => modules[${module}]())`;
      });
      return { contents, loader: file.endsWith('x') ? 'tsx' : 'ts' };
    });
    onResolve({ filter: /^group:/ }, ({ path }) => {
      const group = path.slice('group:'.length);
      return inlined === null
        ? { path: group, namespace: 'group' }
        : { path: `./${group}.js`, external: true };
    });
    onLoad({ filter: /.*/, namespace: 'group' }, ({ path: group }) => {
      const names = [...wanted[group]].map((file) => JSON.stringify(file));
      const rows = names.map((name) => `${name}: () => require(${name}),`);
      return { contents: `export const modules = { ${rows.join('\n')} };`, resolveDir: import.meta.dirname };
    });
  },
});

const sources = await build({
  ...common,
  entryPoints: {
    main: 'src/commands/main.ts',
    cli: 'src/commands/cli.ts',
    probing: 'group:probing',
    daemon: 'group:daemon',
    commands: 'group:commands',
  },
  chunkNames: 'shared-[hash]',
  splitting: true,
  plugins: [grouped(), partition, absent],
});

const quickStart = await build({
  ...common,
  entryPoints: { quick: 'src/commands/quick.ts' },
  plugins: [grouped('probing'), partition, absent],
});

// A thread begins with a file of its own.
const worker = await build({
  ...common,
  entryPoints: { 'checkpoint-worker': 'src/db/wal/checkpoint/worker.ts' },
});

/** A CommonJS package behind an import() has no names for a bundler, so Node is asked for them. */
const named = {
  name: 'named',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^lazy:/ }, ({ path }) => ({ path: path.slice('lazy:'.length), namespace: 'lazy' }));
    onLoad({ filter: /.*/, namespace: 'lazy' }, async ({ path }) => {
      const names = Object.keys(await import(path)).filter((name) => name !== '__esModule');
      return { contents: `export { ${names.join(', ')} } from '${path}';`, resolveDir: import.meta.dirname };
    });
  },
};
const packages = await build({
  ...common,
  entryPoints: Object.fromEntries([...lazyPackages].map(([name, path]) => [name, `lazy:${path}`])),
  plugins: [named, absent],
  outdir: join(out, 'packages'),
  splitting: true,
});

const inputs = [sources, quickStart, worker, packages].flatMap(({ metafile }) =>
  Object.keys(metafile.inputs),
);
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
putIntoPlace();
