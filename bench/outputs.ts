/**
 * Measures what encoding the metrics of 10,000 monitors for an output costs: the processor time of a reading after the
 * first one, and of its longest step.
 *
 *   node --import tsx bench/outputs.ts [--monitors N]
 */
import { parseArgs } from 'node:util';
import { bucketSecs, type MeasuredMonitor } from '../src/engine/views/metrics/families.ts';
import { labelsOf } from '../src/engine/views/metrics/labels.ts';
import type { OutputFormat } from '../src/notify/outputs/format.ts';
import { otlp } from '../src/notify/outputs/otlp.ts';
import { remoteWrite } from '../src/notify/outputs/remote-write.ts';

const { values } = parseArgs({ options: { monitors: { type: 'string', default: '10000' } } });
const count = Number(values.monitors);

const limits = { remote_write: 117, otlp: 250 };
const stepLimitMs = 20;

const monitors = Array.from({ length: count }, (_, index): MeasuredMonitor => {
  const id = `monitor-${index}`;
  return {
    id,
    labels: labelsOf({ id, name: `Monitor ${index}`, group: `Group ${index % 50}` }),
    status: index % 97 === 0 ? 'down' : 'up',
    uptime: 0.999 - (index % 10) / 1000,
    certExpiresAt: 1_800_000_000_000 + index * 3_600_000,
    isUnstable: false,
    incidents: index % 7,
    probes: {
      results: { up: 1000 + index, degraded: 0, down: index % 5, unknown: 0 },
      buckets: [...bucketSecs, 0].map((_bound, bucket) => (index * (bucket + 3)) % 100),
      answered: 1000 + index,
      sumMs: 81.3 * (1000 + index),
    },
  };
});

function cpuMs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
}

/** One reading: processor time in all, of its longest step, and what it made. */
function encodeOnce(format: OutputFormat, at: number) {
  const begun = process.cpuUsage();
  let [longestMs, bytes, samples] = [0, 0, 0];
  let step = process.cpuUsage();
  for (const batch of format.encode({ at, monitors, node: [] })) {
    longestMs = Math.max(longestMs, cpuMs(step));
    bytes += batch?.body.length ?? 0;
    samples += batch?.samples ?? 0;
    step = process.cpuUsage();
  }
  return { totalMs: cpuMs(begun), longestMs, bytes, samples };
}

function judged(what: string, measured: number, limit: number): boolean {
  const isMet = measured <= limit;
  console.log(`${what}: ${measured.toFixed(1)} ms, limit ${limit} ms: ${isMet ? 'ok' : 'FAIL'}`);
  return isMet;
}

let isGood = true;
for (const [name, format] of [
  ['remote_write', remoteWrite({ site: 'paris' })],
  ['otlp', otlp({ attributes: {}, version: '1' })],
] as const) {
  const first = encodeOnce(format, Date.now());
  const rest = Array.from({ length: 9 }, (_, round) => encodeOnce(format, Date.now() + round));
  const median = (of: (one: (typeof rest)[number]) => number) =>
    rest.map(of).toSorted((a, b) => a - b)[4] ?? 0;
  const { samples, bytes } = first;
  const size = `${samples} samples, ${(bytes / 1024 / 1024).toFixed(1)} MiB`;
  console.log(`${name}: ${count} monitors, ${size}; the first reading ${first.totalMs.toFixed(0)} ms`);
  const total = judged(
    `${name}, a reading`,
    median(({ totalMs }) => totalMs),
    limits[name],
  );
  const longest = judged(
    `${name}, its longest step`,
    median(({ longestMs }) => longestMs),
    stepLimitMs,
  );
  isGood &&= total && longest;
}
if (!isGood) process.exitCode = 1;
