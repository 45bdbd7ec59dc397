/** The command line of the seeding tool. */
import { parseArgs } from 'node:util';

export interface SeedArguments {
  readonly config: string;
  readonly days: number;
  /** Null: the one the config names. */
  readonly database: string | null;
  readonly seed: number;
  readonly isForced: boolean;
}

export const usage = `Writes a made-up history into a database, for benchmarks and to look at pages with something on them.

  npm run seed -- --config FILE --days N [--database FILE] [--seed N] [--force]

Every monitor of the config gets a sample at each of its intervals for the last N days, ending now: a daily rhythm
of latencies, noise and spikes, outages with their incidents (those of an upstream take its dependents along), flaps
that stay below the threshold, slow spells, unknown spells, and gaps in which nothing was checked. The same seed and
config make the same history, shifted to end now.

  --config FILE     the configuration whose monitors get a history
  --days N          how many days of it, 1 to 3660
  --database FILE   write here instead of into server.database_path
  --seed N          another history (default 1)
  --force           write into a database that already holds samples, beside what is there
  --help            this text

The daemon must not be running on the database. Nothing is probed and nothing is sent.`;

/** Null: help is wanted. Throws an Error whose message says what is wrong. */
export function readArguments(argv: readonly string[]): SeedArguments | null {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      config: { type: 'string' },
      days: { type: 'string' },
      database: { type: 'string' },
      seed: { type: 'string', default: '1' },
      force: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return null;
  if (values.config === undefined) throw new Error('--config FILE is missing');
  return {
    config: values.config,
    days: wholeNumber('--days', values.days, { min: 1, max: 3660 }),
    database: values.database ?? null,
    seed: wholeNumber('--seed', values.seed, { min: 0, max: 2 ** 31 }),
    isForced: values.force,
  };
}

function wholeNumber(
  option: string,
  text: string | undefined,
  { min, max }: { readonly min: number; readonly max: number },
): number {
  const value = /^\d+$/.test(text ?? '') ? Number(text) : NaN;
  if (value >= min && value <= max) return value;
  throw new Error(`${option} must be a whole number from ${min} to ${max}`);
}
