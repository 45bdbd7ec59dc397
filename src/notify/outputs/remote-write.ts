/** Metrics as requests of Prometheus' remote-write protocol 1.0 (prometheus.io/docs/specs/prw/remote_write_spec). */
import {
  type MetricFamily,
  type MetricReading,
  type MetricSample,
  monitorFamilies,
  seriesName,
} from '../../engine/views/metrics/families.ts';
import type { Labels } from '../../engine/views/metrics/labels.ts';
import { type EncodedBatch, monitorsAtATime, mostBatchBytes, type OutputFormat } from './format.ts';
import { ProtobufWriter, varintBytes } from './protobuf.ts';
import { instantBytes, type SnappyTemplate, snappyTemplate } from './snappy-template.ts';

/** Says that a series has ended: a NaN of its own, which no calculation makes. */
const stale = new Float64Array(new BigUint64Array([0x7ff0000000000002n]).buffer)[0] ?? Number.NaN;

/** So many series are ended in one piece, which is compressed as a whole up to 64 KiB. */
const staleAtATime = 200;

/** A sample and the family it is of. */
type Series = readonly [MetricFamily, MetricSample];

/** What series there are, whatever they are of: nearly all monitors have the same ones. */
type Shape = readonly Series[];

interface Known {
  readonly labels: Labels | null;
  readonly shape: Shape;
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
  };
}

class RemoteWriteEncoder {
  private readonly shared: readonly (readonly [string, string])[];
  private known = new Map<string, Known>();
  private shapes: Shape[] = [];
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
      const series = monitorFamilies.flatMap((family) =>
        family.samplesOf(monitor).map((sample): Series => [family, sample]),
      );
      ended.push(...this.add(monitor.id, { labels: monitor.labels, series, instant }, before));
      if (this.batch.rawBytes >= mostBatchBytes) yield this.batch.take();
      if (index % monitorsAtATime === monitorsAtATime - 1) yield null;
    }
    const ofNode = node.flatMap((family) => family.samples.map((sample): Series => [family, sample]));
    ended.push(...this.add(nodeKey, { labels: null, series: ofNode, instant }, before));
    for (const { template } of before.values()) ended.push(...template.labels());
    for (let from = 0; from < ended.length; from += staleAtATime) {
      const some = snappyTemplate(ended.slice(from, from + staleAtATime));
      this.batch.add(some, { values: new Float64Array(some.series).fill(stale), instant });
      yield null;
    }
    if (this.batch.samples > 0) yield this.batch.take();
  }

  /** Answers the labels of series that were there in the reading before, and are no more. */
  private add(
    key: string,
    { labels, series, instant }: { labels: Labels | null; series: readonly Series[]; instant: Uint8Array },
    before: Map<string, Known>,
  ): readonly Buffer[] {
    const past = before.get(key);
    before.delete(key);
    const isSame =
      past !== undefined && labels !== null && past.labels === labels && isOf(past.shape, series);
    const known = isSame ? past : this.make(labels, series);
    this.known.set(key, known);
    const values = Float64Array.from(series, ([, { value }]) => value);
    this.batch.add(known.template, { values, instant });
    return isSame || past === undefined ? [] : gone(past.template, known.template);
  }

  private make(labels: Labels | null, series: readonly Series[]): Known {
    let shape = this.shapes.find((one) => isOf(one, series));
    if (shape === undefined && labels !== null) this.shapes = [...this.shapes.slice(-100), (shape = series)];
    const all = series.map((one) => this.labelBytes(one));
    return { labels, shape: shape ?? [], template: snappyTemplate(all) };
  }

  /** Sorted by name; a label without a value is the same as none. */
  private labelBytes([family, { suffix, labels, extra }]: Series): Buffer {
    const pairs = [
      ['__name__', seriesName(family, suffix)] as const,
      ...this.shared,
      ...labels.pairs,
      ...(extra?.pairs ?? []),
    ].filter(([, value]) => value !== '');
    const writer = new ProtobufWriter();
    for (const [name, value] of pairs.toSorted(([a], [b]) => (a < b ? -1 : 1)))
      writer.message(1, () => {
        writer.text(1, name);
        writer.text(2, value);
      });
    return writer.finish();
  }
}

function isOf(shape: Shape, series: readonly Series[]): boolean {
  if (shape.length !== series.length) return false;
  return series.every(([family, { suffix, extra }], index) => {
    const other = shape[index];
    return other?.[0] === family && other[1].suffix === suffix && other[1].extra === extra;
  });
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
