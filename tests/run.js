/**
 * Runs the test files with node:test. Arguments are parts of paths: `npm test -- config` runs the files
 * whose path contains "config". Node 20 neither expands globs nor finds .ts files itself.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { bundle } from './bundle.js';

const wanted = process.argv.slice(2);
const files = readdirSync('tests', { recursive: true })
  .map((file) => join('tests', String(file)))
  .filter((file) => /\.test\.tsx?$/.test(file))
  .filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part)))
  .sort();
if (files.length === 0) {
  process.stderr.write(`no test file matches ${wanted.join(' ')}\n`);
  process.exit(1);
}
const bundled = await bundle(files);
const options = ['--enable-source-maps', '--test', '--test-reporter=spec', '--test-concurrency=2'];
const run = spawnSync(process.execPath, [...options, ...bundled.files], { stdio: 'inherit' });
bundled.remove();
process.exit(run.status ?? 1);
