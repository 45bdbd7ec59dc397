/**
 * Builds the package: plain JavaScript in dist/, one entry and a chunk for every lazily loaded part.
 *
 * Packages under `dependencies` stay outside and are installed by npm. Packages under `devDependencies`
 * that the sources import are bundled, because reading forty small files costs more than running them
 * (bench/startup.ts measures it). Their licences are collected in dist/THIRD-PARTY-LICENSES.txt.
 */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
rmSync('dist', { recursive: true, force: true });

const result = await build({
  entryPoints: ['src/commands/main.ts'],
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.18',
  external: Object.keys(manifest.dependencies),
  define: { STATUSD_VERSION: JSON.stringify(manifest.version) },
  chunkNames: 'chunks/[name]-[hash]',
  // Bundled CommonJS packages call require() for Node's own modules; an ES module has none.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module';\nconst require = __createRequire(import.meta.url);",
  },
  metafile: true,
  logLevel: 'warning',
});

const bundled = new Set();
for (const file of Object.keys(result.metafile.inputs)) {
  const match = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file);
  if (match) bundled.add(match[1]);
}
const licences = [...bundled].sort().map((name) => {
  const folder = join('node_modules', name);
  const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  const text =
    file && existsSync(join(folder, file)) ? readFileSync(join(folder, file), 'utf8').trim() : license;
  return `${name} ${version} (${license})\n\n${text}\n`;
});
writeFileSync('dist/THIRD-PARTY-LICENSES.txt', licences.join(`\n${'-'.repeat(72)}\n\n`));
