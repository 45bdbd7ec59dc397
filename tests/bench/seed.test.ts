import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { readArguments } from '../../bench/seeding/arguments.ts';
import { writeHistory } from '../../bench/seeding/write-history.ts';
import { alertStates } from '../../src/db/tables/alert-states.ts';
import { incidents, type IncidentRow } from '../../src/db/tables/incidents.ts';
import { monitors } from '../../src/db/tables/monitors.ts';
import { samples } from '../../src/db/tables/samples.ts';
import { DayReader } from '../../src/db/read/day.ts';
import type { StoredSample } from '../../src/db/samples/sample.ts';
import { resume } from '../../src/engine/monitoring/confirm/resume.ts';
import { readState } from '../../src/engine/monitoring/confirm/state.ts';
import { load } from '../support/config.ts';
import { dump, type Facts, openFacts } from '../support/facts.ts';
import { programArguments } from '../support/program.ts';

const toml = `
[[monitors]]
id = "gateway"
target = "https://gateway.example.org/"
interval_secs = 180
fail_threshold = 3

[[monitors]]
id = "shop"
name = "Shop"
target = "https://shop.example.org/"
interval_secs = 180
depends_on = ["gateway"]
degraded_over_ms = 200
fail_threshold = 2
recover_threshold = 2

[[monitors]]
id = "backup"
kind = "push"
interval_secs = 3600
push_token = "0123456789abcdef"

[[monitors]]
id = "nightly"
kind = "push"
schedule = "30 2 * * *"
push_token = "0123456789abcdef"
`;

const day = 86_400_000;
const now = 20_400 * day + 11 * 3_600_000 + 123_456;
const days = 30;

type Seeded = Facts & { readonly written: { samples: number; incidents: number } };

const histories = new Map<number, Promise<Seeded>>();

/** For those that only read: made once. */
function seeded(seed: number): Promise<Seeded> {
  const made = histories.get(seed) ?? make(seed);
  histories.set(seed, made);
  return made;
}

async function make(seed: number): Promise<Seeded> {
  const facts = await openFacts();
  const { config } = await load(toml);
  const written = await writeHistory(
    { sql: facts.sql, write: (operations) => Promise.resolve(facts.apply(...operations)) },
    { config, now, days, seed, onProgress: () => undefined },
  );
  return { ...facts, written };
}

function seriesOf(facts: Facts, monitor: string): StoredSample[] {
  return samples.list(facts.sql, monitor, { fromAt: 0, toAt: now + 1 });
}

/** The starts and ends of outages that reach the threshold, from the samples alone. */
function outagesOf(
  series: readonly StoredSample[],
  failThreshold: number,
  recoverThreshold: number,
): (number | null)[][] {
  const found: (number | null)[][] = [];
  let failed: StoredSample[] = [];
  let healthy = 0;
  let isOpen = false;
  for (const sample of series.filter(({ status }) => status !== 'unknown')) {
    if (sample.status === 'down') {
      healthy = 0;
      failed.push(sample);
      if (failed.length === failThreshold && !isOpen) {
        found.push([failed[0]?.at ?? 0, sample.at, null]);
        isOpen = true;
      }
      continue;
    }
    failed = [];
    healthy += 1;
    if (isOpen && healthy >= recoverThreshold) {
      found.at(-1)?.splice(2, 1, sample.at);
      isOpen = false;
    }
  }
  return found;
}

describe('a made-up history', () => {
  it('has a sample at every interval up to now, but for the gaps', async () => {
    const facts = await seeded(1);
    const series = seriesOf(facts, 'gateway');
    const expected = days * 480;
    assert.ok(series.length > expected * 0.98 && series.length <= expected + 1, `${series.length} samples`);
    assert.ok(now - (series.at(-1)?.at ?? 0) <= 181_000);
    assert.ok((series[0]?.at ?? 0) - (now - days * day) <= 181_000);
    assert.ok(series.every(({ at }) => at <= now));
    assert.equal(seriesOf(facts, 'nightly').length, days);
    assert.ok(seriesOf(facts, 'backup').every(({ isHeartbeat }) => isHeartbeat));
    const total = monitors.list(facts.sql).reduce((sum, monitor) => sum + monitor.samples, 0);
    assert.equal(facts.written.samples, total);
    const figures = new DayReader().read(facts.sql, now).get('gateway');
    assert.ok((figures?.coveragePermille ?? 0) > 950);
    assert.ok((figures?.p50Ms ?? 0) > 0);
  });

  it('has exactly the incidents its samples amount to, those of an upstream naming its dependents', async () => {
    const facts = await seeded(2);
    const all = incidents.list(facts.sql, { limit: 1000 }).incidents;
    assert.equal(all.length, facts.written.incidents);
    const known = (id: string) =>
      all
        .filter(({ monitor }) => monitor === id)
        .map(({ startedAt, confirmedAt, endedAt }: IncidentRow) => [startedAt, confirmedAt, endedAt])
        .reverse();
    assert.deepEqual(known('gateway'), outagesOf(seriesOf(facts, 'gateway'), 3, 1));
    assert.deepEqual(known('shop'), outagesOf(seriesOf(facts, 'shop'), 2, 2));
    assert.ok(known('gateway').length > 0);
    const caused = all.filter(({ cause }) => cause !== null);
    assert.ok(
      caused.length > 0 && caused.every(({ monitor, cause }) => monitor === 'shop' && cause === 'gateway'),
    );
    assert.ok(all.some(({ monitor, impacted }) => monitor === 'gateway' && impacted.includes('shop')));
  });

  it('leaves each monitor in the state that its record ends in', async () => {
    for (const seed of [1, 2]) {
      const facts = await seeded(seed);
      const open = new Map(incidents.listOpen(facts.sql).map((row) => [row.monitor, row]));
      const states = alertStates.list(facts.sql);
      assert.deepEqual([...states.keys()].sort(), ['backup', 'gateway', 'nightly', 'shop']);
      for (const [id, document] of states) {
        const state = readState(document);
        const incident = open.get(id) ?? null;
        assert.ok(state !== null, `the state of ${id} can be read`);
        assert.equal(state.incident?.startedAt ?? null, incident?.startedAt ?? null);
        assert.equal(state.status === 'down', incident !== null);
        assert.deepEqual(resume(state, incident), state);
      }
    }
  });

  it('has every status, flaps below the threshold, and both kinds of failures', async () => {
    const facts = await seeded(3);
    const series = seriesOf(facts, 'shop');
    for (const status of ['up', 'degraded', 'down', 'unknown']) {
      assert.ok(
        series.some((sample) => sample.status === status),
        status,
      );
    }
    const flaps = series.filter(
      ({ status }, index) =>
        status === 'down' && series[index - 1]?.status === 'up' && series[index + 1]?.status === 'up',
    );
    assert.ok(flaps.length > 0);
  });

  it('is the same for the same seed, another for another', async () => {
    const [one, same, other] = [await make(7), await make(7), await seeded(3)];
    assert.equal(dump(one.sql), dump(same.sql));
    assert.notEqual(dump(one.sql), dump(other.sql));
  });
});

describe('npm run seed', () => {
  let folder = '';
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'statusd-seed-'));
    writeFileSync(join(folder, 'statusd.toml'), toml);
  });
  after(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  const seed = (...args: readonly string[]) =>
    spawnSync(process.execPath, [...programArguments('bench/seed.ts'), ...args], { encoding: 'utf8' });

  it('fills a new database, and refuses one that holds samples unless forced', () => {
    const args = ['--config', join(folder, 'statusd.toml'), '--days', '1'];
    const first = seed(...args);
    assert.equal(first.status, 0, first.stderr);
    assert.match(
      first.stdout,
      /^\d+ samples and \d+ incidents of 4 monitors in .* a second\)\n.*statusd\.db\n$/,
    );
    const second = seed(...args);
    assert.equal(second.status, 2);
    assert.match(second.stderr, /statusd\.db already holds samples\n {2}Name another file with --database/);
    assert.equal(seed(...args, '--force').status, 0);
  });

  it('explains itself, and names what is wrong with its arguments', () => {
    const help = seed('--help');
    assert.equal(help.status, 0);
    assert.match(help.stdout, /npm run seed -- --config FILE --days N/);
    const wrong = seed('--config', 'x', '--days', '0');
    assert.equal(wrong.status, 2);
    assert.equal(wrong.stderr, 'seed: --days must be a whole number from 1 to 3660\n');
    assert.throws(() => readArguments(['--days', '1']), /--config FILE is missing/);
    assert.throws(
      () => readArguments(['--config', 'x', '--days', '1', '--colour']),
      /Unknown option '--colour'/,
    );
    assert.equal(readArguments(['--config', 'x', '--days', '9', '--database', 'y'])?.database, 'y');
  });
});
