/**
 * Turns test files into plain JavaScript, all at once: it takes two seconds, and saves a transforming loader in each of
 * the hundreds of processes that run them. What stands in the sources about their own place stays true, with one exception.
 * As a program, `node tests/bundle.js FOLDER FILE…`: FILE is FOLDER/FILE.js then, for the runner of a mutation run.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = join('node_modules', '.cache', 'statusd-tests');

/** Looks for an empty database beside itself: that is in the folder of the bundle, where `npm test` puts one. */
export const blankModule = 'src/db/tables/schema/blank.ts';

/** A file knows where it is by names of its own, which the bundler keeps apart. */
const placesIn = (folder) => ({
  name: 'places',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\/(?:src|tests|bench|man)\/.*\.tsx?$/ }, ({ path }) => {
      const url = pathToFileURL(path === resolve(blankModule) ? join(folder, blankModule) : path).href;
      const place = `const urlOfSource = ${JSON.stringify(url)}, pathOfSource = ${JSON.stringify(path)};`;
      const contents = place + readFileSync(path, 'utf8');
      return { contents, loader: path.endsWith('x') ? 'tsx' : 'ts' };
    });
  },
});

if (process.argv[1] === import.meta.filename) {
  const [, , folder, ...files] = process.argv;
  await bundle(files, folder, { 'node:test': './tests/support/mutation/node-test.ts' });
}

/**
 * Answers the folder in which each of `files` is to be run, what takes it away again, and whether any of some sources
 * imports another one, itself or by others.
 */
export async function bundle(files, folder = join(root, String(process.pid)), alias = {}) {
  mkdirSync(folder, { recursive: true });
  // Below node_modules the project's own says nothing, and Node 20.18 does not guess.
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const { metafile } = await build({
    metafile: true,
    entryPoints: files.map((file) => ({ in: file, out: file })),
    outdir: folder,
    outbase: '.',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    alias,
    keepNames: false,
    sourcemap: 'linked',
    // Each process reads the maps of all that it loads; the sources are where they say.
    sourcesContent: false,
    define: { 'import.meta.url': 'urlOfSource', 'import.meta.filename': 'pathOfSource' },
    plugins: [placesIn(resolve(folder))],
    logLevel: 'warning',
  });
  return {
    folder: resolve(folder),
    remove: () => {
      rmSync(folder, { recursive: true, force: true });
    },
    imports: (sources, wanted) => {
      const found = new Set(sources);
      for (const source of found)
        for (const { path } of metafile.inputs[source]?.imports ?? []) found.add(path);
      return found.has(wanted);
    },
  };
}
