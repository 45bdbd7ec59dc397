/** Runs a benchmark bundled, as the program is shipped: tsx would put its own cost into every import and every error. */
import { spawnSync } from 'node:child_process';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

/** Answers the exit code of `source` (a file URL) with `argument`. Packages stay outside, so it lies where they are found. */
export function runBundled(source: string, argument: string): number {
  const file = fileURLToPath(source);
  const outfile = join('node_modules', '.cache', 'statusd-bench', basename(file).replace(/\.ts$/, '.js'));
  buildSync({
    entryPoints: [file],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'error',
  });
  return spawnSync(process.execPath, [outfile, argument], { stdio: 'inherit' }).status ?? 1;
}
