/**
 * Builds the package: plain JavaScript in dist/.
 *
 * The sources become one file, `cli.js`, with every module still evaluated only when it is imported: opening
 * fifty small files costs a start more than reading one (bench/startup.ts measures it). `main.js` in front of it
 * answers `--version` alone.
 *
 * Packages under `dependencies` stay outside and are installed by npm. The others are bundled, so that what was
 * tested is what runs: those that every start needs go into `cli.js`, those behind an `import()` into files of
 * their own under `packages/`. Their licences are collected in THIRD-PARTY-LICENSES.txt.
 */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { build } from 'esbuild';

const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const installed = Object.keys(manifest.dependencies);
rmSync('dist', { recursive: true, force: true });

const common = {
  outdir: 'dist',
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.18',
  external: installed,
  define: { STATUSD_VERSION: JSON.stringify(manifest.version) },
  // Bundled CommonJS packages call require() for Node's own modules; an ES module has none.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module';\nconst require = __createRequire(import.meta.url);",
  },
  minifyWhitespace: true,
  minifySyntax: true,
  metafile: true,
  logLevel: 'warning',
};

/** File names of lazily imported packages to the module they hold. */
const lazyPackages = new Map();

const partition = {
  name: 'partition',
  setup({ onResolve }) {
    onResolve({ filter: /.*/ }, ({ path, kind }) => {
      if (kind !== 'dynamic-import') return null;
      if (path === './cli.ts') return { path: './cli.js', external: true };
      if (path.startsWith('.') || isBuiltin(path) || installed.includes(path)) return null;
      const name = path.replace(/\.js$/, '').replace(/[^a-z0-9]+/g, '-');
      lazyPackages.set(name, path);
      return { path: `./packages/${name}.js`, external: true };
    });
  },
};

/** HTTP/2 is never spoken, and Node takes 9 ms to load its module: undici gets what it makes of a Node without. */
const withoutHttp2 = {
  name: 'without-http2',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:http2$/ }, ({ path }) => ({ path, namespace: 'absent' }));
    onLoad({ filter: /.*/, namespace: 'absent' }, () => ({
      contents: 'module.exports = { constants: {} };',
    }));
  },
};

const sources = await build({
  ...common,
  entryPoints: {
    main: 'src/commands/main.ts',
    cli: 'src/commands/cli.ts',
    // A thread begins with a file of its own.
    'checkpoint-worker': 'src/db/checkpoint/worker.ts',
  },
  plugins: [partition, withoutHttp2],
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
  plugins: [named, withoutHttp2],
  outdir: 'dist/packages',
  splitting: true,
});

const inputs = [sources, packages].flatMap(({ metafile }) => Object.keys(metafile.inputs));
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
writeFileSync('dist/THIRD-PARTY-LICENSES.txt', licences.join(`\n${'-'.repeat(72)}\n\n`));
