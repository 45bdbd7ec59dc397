import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { uncompress } from 'snappyjs';
import { sampleText } from '../../../src/serve/metrics/exposition.ts';
import { monitorFamilies, type MetricReading } from '../../../src/engine/views/metrics/families.ts';
import type { OutputFormat } from '../../../src/notify/outputs/format.ts';
import { remoteWrite } from '../../../src/notify/outputs/remote-write.ts';
import { hostileTexts } from '../../serve/pages/hostile.ts';
import { printedSeed } from '../../support/random.ts';
import { readWriteRequest } from '../../support/remote-write.ts';
import { measuredMonitor, readingOf } from './reading.ts';

interface Series {
  readonly labels: readonly (readonly [string, string])[];
  readonly value: number;
  /** The bits of a value that is not a number. */
  readonly bits: bigint;
  readonly at: number;
}

function seriesIn(body: Uint8Array): readonly Series[] {
  const { raw, timeseries } = readWriteRequest(body);
  const bits = [
    ...Buffer.from(raw)
      .toString('latin1')
      .matchAll(/\x12\x10\x09([^]{8})\x10/g),
  ].map(([, text]) => Buffer.from(text ?? '', 'latin1').readBigUInt64LE());
  assert.equal(bits.length, timeseries.length);
  return timeseries.map(({ labels, samples }, index) => {
    assert.equal(samples.length, 1);
    return {
      labels: labels.map(({ name, value }) => [name, value] as const),
      // What is not there is 0.
      value: samples[0]?.value ?? 0,
      bits: bits[index] ?? 0n,
      at: samples[0]?.timestamp ?? 0,
    };
  });
}

function encoded(format: OutputFormat, reading: MetricReading): readonly Series[] {
  const found: Series[] = [];
  for (const batch of format.encode(reading)) {
    if (batch === null) continue;
    const series = seriesIn(batch.body);
    assert.equal(series.length, batch.samples);
    found.push(...series);
  }
  return found;
}

/** As /metrics has it: `name{label="value"} value`. */
function textOf(reading: MetricReading): readonly string[] {
  const families = [
    ...monitorFamilies.map((family) => ({
      ...family,
      samples: reading.monitors.flatMap((monitor) => family.samplesOf(monitor)),
    })),
    ...reading.node,
  ];
  return families.flatMap((family) => family.samples.map((sample) => sampleText(family, sample).trimEnd()));
}

function lineOf({ labels, value }: Series): string {
  const [first, ...rest] = labels;
  const name = first?.[1] ?? '';
  const text = rest.map(([label, each]) => `${label}=${JSON.stringify(each)}`).join(',');
  return `${name}${text === '' ? '' : `{${text}}`} ${value}`;
}

/** With labels by name, and none that is empty: what is the same for Prometheus reads the same. */
function normal(line: string): string {
  const [, name = '', labels = '', value = ''] = /^(\w+)(?:\{(.*)\})? (.*)$/.exec(line) ?? [];
  const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].filter(([, , each]) => each !== '');
  return `${name}{${pairs
    .map(([pair]) => pair)
    .sort()
    .join(',')}} ${value}`;
}

const at = Date.UTC(2026, 5, 7, 12, 0, 0, 123);
const staleBits = 0x7ff0000000000002n;

describe('metrics in the remote-write protocol', () => {
  it('are those of /metrics, by the same names and with the same values', () => {
    const reading = readingOf(
      [
        measuredMonitor({ group: 'front line', certExpiresAt: at + 86_400_000 }),
        measuredMonitor({ id: 'job', name: 'Job', isPushed: true, status: 'unknown' }),
      ],
      at,
    );
    const series = encoded(remoteWrite({}), reading);
    assert.deepEqual(series.map(lineOf).map(normal).sort(), textOf(reading).map(normal).sort());
    assert.deepEqual([...new Set(series.map((one) => one.at))], [at]);
  });

  it('have labels in the order of their names, and none without a value', () => {
    const series = encoded(remoteWrite({ zone: 'a', cluster: 'x' }), readingOf([measuredMonitor()], at));
    for (const { labels } of series) {
      const names = labels.map(([name]) => name);
      assert.deepEqual(names, names.toSorted());
      assert.ok(names.includes('zone') && names.includes('cluster') && !names.includes('group'));
      assert.ok(labels.every(([, value]) => value !== ''));
    }
  });

  it('change their values and instants from one reading to the next', () => {
    const format = remoteWrite({});
    const monitor = measuredMonitor();
    const first = encoded(format, readingOf([monitor], at));
    const second = encoded(format, readingOf([{ ...monitor, status: 'down', uptime: 0.25 }], at + 15_000));
    assert.equal(second.length, first.length);
    assert.deepEqual([...new Set(second.map((one) => one.at))], [at + 15_000]);
    const value = (series: readonly Series[], name: string) =>
      series.find(({ labels }) => labels[0]?.[1] === name)?.value;
    assert.deepEqual([value(first, 'statusd_monitor_up'), value(second, 'statusd_monitor_up')], [1, 0]);
    assert.equal(value(second, 'statusd_monitor_uptime_ratio'), 0.25);
  });

  it('mark a series as ended once when it is no longer there', () => {
    const format = remoteWrite({ site: 'x' });
    const [web, old] = [measuredMonitor(), measuredMonitor({ id: 'old', name: 'Old' })];
    encoded(format, readingOf([web, old], at));
    const next = readingOf([{ ...web, status: 'unknown' }], at + 1000);
    const ended = encoded(format, next).filter(({ bits }) => bits === staleBits);
    const names = ended.map(({ labels }) => Object.fromEntries(labels));
    assert.deepEqual(
      names.filter(({ id }) => id === 'web').map(({ __name__: name, site }) => [name, site]),
      [['statusd_monitor_up', 'x']],
    );
    assert.equal(names.filter(({ id }) => id === 'old').length, 1 + 4 + 1 + 1 + 1 + 4 + 14);
    assert.deepEqual([...new Set(ended.map((one) => one.at))], [at + 1000]);
    assert.equal(encoded(format, next).filter(({ bits }) => bits === staleBits).length, 0);
  });

  it('keep names of every kind whole', () => {
    const monitors = hostileTexts(printedSeed())
      .slice(0, 100)
      .map((name, index) => measuredMonitor({ id: `m${index}`, name: Buffer.from(name).toString() }));
    const series = encoded(remoteWrite({}), readingOf(monitors, at));
    for (const { id, labels } of monitors) {
      const wanted = labels.pairs.find(([name]) => name === 'name')?.[1] ?? '';
      const found = series.find((one) => one.labels.some(([name, value]) => name === 'id' && value === id));
      const name = found?.labels.find(([label]) => label === 'name')?.[1] ?? '';
      assert.equal(name, Buffer.from(wanted).toString());
    }
  });

  it('come in requests of a few MiB, in steps that let others have their turn', () => {
    const monitors = Array.from({ length: 3000 }, (_, index) =>
      measuredMonitor({ id: `monitor-${index}`, name: `Monitor ${index}` }),
    );
    const steps = [...remoteWrite({}).encode(readingOf(monitors, at))];
    const batches = steps.flatMap((step) => (step === null ? [] : [step]));
    assert.ok(steps.length > 60 && batches.length > 1, `${steps.length} steps, ${batches.length} requests`);
    for (const { body } of batches) assert.ok(uncompress(body).length < 5 * 1024 * 1024);
    assert.ok(batches.reduce((sum, { samples }) => sum + samples, 0) > 3000 * 25);
  });

  it('are nothing at all in the request that only asks', () => {
    assert.deepEqual(seriesIn(remoteWrite({}).empty), []);
  });
});
