/** Metrics as requests of Prometheus' remote-write protocol 1.0 (prometheus.io/docs/specs/prw/remote_write_spec). */
import { type MetricReading, monitorFamilies } from '../../engine/views/metrics/families.ts';
import { type MetricFamily, type MetricSample, seriesName } from '../../engine/views/metrics/family.ts';
import type { MetricLabels } from '../../engine/views/metrics/labels.ts';
import { type EncodedBatch, monitorsAtATime, mostBatchBytes, type OutputFormat } from './format.ts';
import { ProtobufWriter, varintBytes } from './protobuf.ts';
import { instantBytes, type SnappyTemplate, snappyTemplate } from './snappy-template.ts';

/** Says that a series has ended: a NaN of its own, which no calculation makes. */
const stale = new Float64Array(new BigUint64Array([0x7ff0000000000002n]).buffer)[0] ?? Number.NaN;

/** How many series are ended in one piece, which is compressed as a whole up to 64 KiB. */
const staleAtATime = 200;

/** Samples, and the family of each. Filled anew for each monitor, since there are hundreds of thousands. */
class SeriesList {
  families: MetricFamily[] = [];
  samples: MetricSample[] = [];
  values = new Float64Array(64);

  clear(): this {
    this.families.length = 0;
    this.samples.length = 0;
    return this;
  }

  add(family: MetricFamily, samples: readonly MetricSample[]): void {
    for (const sample of samples) {
      const { length } = this.samples;
      this.families.push(family);
      this.samples.push(sample);
      if (length === this.values.length) {
        const larger = new Float64Array(2 * length);
        larger.set(this.values);
        this.values = larger;
      }
      this.values[length] = sample.value;
    }
  }

  copy(): SeriesList {
    const other = new SeriesList();
    other.families = this.families.slice();
    other.samples = this.samples.slice();
    return other;
  }

  /** Whether these are the same series of something else. */
  isLike({ families, samples }: SeriesList): boolean {
    if (families.length !== this.families.length) return false;
    for (let index = 0; index < families.length; index += 1) {
      const [own, other] = [this.samples[index], samples[index]];
      if (families[index] !== this.families[index]) return false;
      if (own?.suffix !== other?.suffix || own?.extra !== other?.extra) return false;
    }
    return true;
  }
}

interface KnownSeries {
  readonly labels: MetricLabels | null;
  /** What series it has, whatever it is: nearly all monitors have the same ones. Null: it is no monitor. */
  readonly shape: SeriesList | null;
  readonly template: SnappyTemplate;
}

/** What is not of a monitor is known by no id. */
const nodeKey = '';

/** `labels`: what every series gets besides its own. */
export function remoteWrite(labels: Readonly<Record<string, string>>): OutputFormat {
  const encoder = new RemoteWriteEncoder(labels);
  return {
    encode: (reading) => encoder.encode(reading),
    pack: null,
    empty: Buffer.from([0]),
    headers: [
      ['content-type', 'application/x-protobuf'],
      ['content-encoding', 'snappy'],
      ['x-prometheus-remote-write-version', '0.1.0'],
    ],
    // Any 5xx is sent again (Prometheus Remote-Write 1.0, "Retries & Backoff"), and what is about this moment alone.
    isPassing: (statusCode) => statusCode >= 500 || [408, 425, 429].includes(statusCode),
    readRemark: () => null,
  };
}

class RemoteWriteEncoder {
  private readonly shared: readonly (readonly [string, string])[];
  private known = new Map<string, KnownSeries>();
  private shapes: SeriesList[] = [];
  private readonly list = new SeriesList();
  private readonly writer = new ProtobufWriter();
  private batch = new Batch();

  constructor(labels: Readonly<Record<string, string>>) {
    this.shared = Object.entries(labels);
  }

  *encode({ at, monitors, node }: MetricReading): Generator<EncodedBatch | null> {
    const instant = instantBytes(at);
    const before = this.known;
    this.known = new Map();
    this.batch = new Batch();
    const ended: Buffer[] = [];
    for (const [index, monitor] of monitors.entries()) {
      const series = this.list.clear();
      for (const family of monitorFamilies) series.add(family, family.samplesOf(monitor));
      ended.push(...this.add(monitor.id, { labels: monitor.labels, series, instant }, before));
      if (this.batch.rawBytes >= mostBatchBytes) yield this.batch.take();
      if (index % monitorsAtATime === monitorsAtATime - 1) yield null;
    }
    const series = this.list.clear();
    for (const family of node) series.add(family, family.samples);
    ended.push(...this.add(nodeKey, { labels: null, series, instant }, before));
    for (const { template } of before.values()) ended.push(...template.labels());
    for (let from = 0; from < ended.length; from += staleAtATime) {
      const some = snappyTemplate(ended.slice(from, from + staleAtATime));
      this.batch.add(some, { values: new Float64Array(some.series).fill(stale), instant });
      yield null;
    }
    if (this.batch.samples > 0) yield this.batch.take();
  }

  /** Answers the labels of series that the reading before had and this one lacks. */
  private add(
    key: string,
    { labels, series, instant }: { labels: MetricLabels | null; series: SeriesList; instant: Uint8Array },
    before: Map<string, KnownSeries>,
  ): readonly Buffer[] {
    const past = before.get(key);
    before.delete(key);
    const isSame = labels !== null && past?.labels === labels && past.shape?.isLike(series) === true;
    const known = isSame ? past : this.make(labels, series);
    this.known.set(key, known);
    this.batch.add(known.template, { values: series.values, instant });
    return isSame || past === undefined ? [] : gone(past.template, known.template);
  }

  private make(labels: MetricLabels | null, series: SeriesList): KnownSeries {
    const { families, samples } = series;
    const template = snappyTemplate(samples.map((sample, index) => this.labelBytes(families[index], sample)));
    return { labels, shape: labels === null ? null : this.shapeOf(series), template };
  }

  private shapeOf(series: SeriesList): SeriesList {
    const known = this.shapes.find((one) => one.isLike(series));
    if (known !== undefined) return known;
    const shape = series.copy();
    this.shapes = [...this.shapes.slice(-100), shape];
    return shape;
  }

  /** Sorted by name; a label without a value is the same as none. */
  private labelBytes(family: MetricFamily | undefined, { suffix, labels, extra }: MetricSample): Buffer {
    const { writer } = this;
    const pairs = [
      ['__name__', family === undefined ? '' : seriesName(family, suffix)] as const,
      ...this.shared,
      ...labels.pairs,
      ...(extra?.pairs ?? []),
    ].filter(([, value]) => value !== '');
    for (const [name, value] of pairs.toSorted(([a], [b]) => (a < b ? -1 : 1)))
      writer.message(1, () => {
        writer.text(1, name);
        writer.text(2, value);
      });
    return writer.finish();
  }
}

function gone(past: SnappyTemplate, present: SnappyTemplate): readonly Buffer[] {
  const there = new Set(present.labels().map((labels) => labels.toString('latin1')));
  return past.labels().filter((labels) => !there.has(labels.toString('latin1')));
}

/** A request in the making. */
class Batch {
  private buffer = Buffer.allocUnsafe(64 * 1024);
  private length = 0;
  rawBytes = 0;
  samples = 0;

  add(template: SnappyTemplate, filling: Parameters<SnappyTemplate['fill']>[2]): void {
    if (this.length + template.bytes > this.buffer.length) {
      const larger = Buffer.allocUnsafe(2 * this.buffer.length + template.bytes);
      this.buffer.copy(larger, 0, 0, this.length);
      this.buffer = larger;
    }
    template.fill(this.buffer, this.length, filling);
    this.length += template.bytes;
    this.rawBytes += template.rawBytes;
    this.samples += template.series;
  }

  take(): EncodedBatch {
    const head = Buffer.from(varintBytes(this.rawBytes));
    const batch = {
      body: Buffer.concat([head, this.buffer.subarray(0, this.length)]),
      samples: this.samples,
    };
    this.length = 0;
    this.rawBytes = 0;
    this.samples = 0;
    return batch;
  }
}
