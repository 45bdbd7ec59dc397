/** Fills a database with a made-up history: `npm run seed -- --help`. */
import { resolve } from 'node:path';
import { monitors } from '../src/db/tables/monitors.ts';
import { loadConfig } from '../src/engine/config/load.ts';
import { readSmallFile } from '../src/engine/config/read-file.ts';
import { StatusdError } from '../src/engine/core/errors.ts';
import { readArguments, type SeedArguments, usage } from './seeding/arguments.ts';
import { openDaemonStore } from './seeding/open-store.ts';
import { writeHistory } from './seeding/write-history.ts';

async function seed({
  config: configFile,
  days,
  database,
  seed: number,
  isForced,
}: SeedArguments): Promise<void> {
  const { config } = await loadConfig(configFile, { env: process.env, readFile: readSmallFile });
  const file = resolve(database ?? config.server.database_path);
  const store = await openDaemonStore(file);
  try {
    if (!isForced && monitors.list(store.sql).some(({ samples }) => samples > 0)) {
      throw new StatusdError('usage', `${file} already holds samples`, {
        hint: 'Name another file with --database, or add to this one with --force.',
      });
    }
    const startedAt = performance.now();
    const written = await writeHistory(store, {
      config,
      now: Date.now(),
      days,
      seed: number,
      onProgress: progress(),
    });
    const secs = (performance.now() - startedAt) / 1000;
    console.log(
      `${written.samples} samples and ${written.incidents} incidents of ${config.monitors.length} monitors ` +
        `in ${secs.toFixed(1)} s (${Math.round(written.samples / secs)} samples a second)`,
    );
  } finally {
    await store.close();
  }
  console.log(file);
}

/** A line that counts up on a terminal, nothing elsewhere. */
function progress(): (share: number) => void {
  let shown = -1;
  return (share) => {
    const percent = Math.floor(share * 100);
    if (!process.stderr.isTTY || percent === shown) return;
    shown = percent;
    process.stderr.write(`\rseeding ${percent} %${percent === 100 ? '\n' : ''}`);
  };
}

try {
  const options = readArguments(process.argv.slice(2));
  if (options === null) console.log(usage);
  else await seed(options);
} catch (error) {
  console.error(`seed: ${error instanceof Error ? error.message : String(error)}`);
  if (error instanceof StatusdError && error.hint !== null) console.error(`  ${error.hint}`);
  process.exitCode = 2;
}
