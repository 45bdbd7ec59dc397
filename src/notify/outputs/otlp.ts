/** Metrics as requests of OTLP over HTTP (opentelemetry.io/docs/specs/otlp; opentelemetry-proto, metrics/v1). */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import {
  bucketSecs,
  type MeasuredMonitor,
  type MetricReading,
  monitorFamilies,
} from '../../engine/views/metrics/families.ts';
import { type MetricFamily, type MetricSample, seriesName } from '../../engine/views/metrics/family.ts';
import type { MetricLabels } from '../../engine/views/metrics/labels.ts';
import { type EncodedBatch, monitorsAtATime, mostBatchBytes, type OutputFormat } from './format.ts';
import { readRemark } from './otlp-answer.ts';
import { ProtobufWriter } from './protobuf.ts';

/** The numbers of fields, by message. */
const inRequest = { resourceMetrics: 1 };
const inResourceMetrics = { resource: 1, scopeMetrics: 2 };
const inScopeMetrics = { scope: 1, metrics: 2 };
const inMetric = { name: 1, description: 2, gauge: 5, sum: 7, histogram: 9 };
const inData = { points: 1, temporality: 2, isMonotonic: 3 };
const inNumber = { time: 3, value: 4, attributes: 7 };
const inHistogram = { time: 3, count: 4, sum: 5, counts: 6, bounds: 7, attributes: 9 };

/** Counted since the beginning, not since the request before. */
const cumulative = 2;

const bounds = Buffer.from(Float64Array.from(bucketSecs).buffer);

interface OtlpOptions {
  readonly attributes: Readonly<Record<string, string>>;
  readonly version: string;
}

export function otlp(options: OtlpOptions): OutputFormat {
  const encoder = new OtlpEncoder(options);
  return {
    encode: (reading) => encoder.encode(reading),
    pack: promisify<Buffer, Buffer>(gzip),
    // A request without a field.
    empty: Buffer.alloc(0),
    headers: [
      ['content-type', 'application/x-protobuf'],
      ['content-encoding', 'gzip'],
    ],
    // The only ones (OTLP/HTTP Response, "Retryable Response Codes"): after any other the same must not be sent again.
    isPassing: (statusCode) => [429, 502, 503, 504].includes(statusCode),
    readRemark,
  };
}

interface Family extends MetricFamily {
  readonly samples: readonly MetricSample[];
}

class OtlpEncoder {
  private readonly resource: Buffer;
  private readonly scope: Buffer;
  /** By number of the field. */
  private readonly attributes = new Map<number, WeakMap<MetricLabels, Buffer>>();

  constructor({ attributes, version }: OtlpOptions) {
    const all = { 'service.name': 'statusd', 'service.version': version, ...attributes };
    this.resource = attributesBytes(1, Object.entries(all));
    const scope = new ProtobufWriter();
    scope.text(1, 'statusd');
    scope.text(2, version);
    this.scope = scope.finish();
  }

  *encode({ at, monitors, node }: MetricReading): Generator<EncodedBatch | null> {
    const time = Buffer.alloc(8);
    time.writeBigUInt64LE(BigInt(at) * 1_000_000n);
    const request = new ProtobufWriter();
    let samples = 0;
    for (let from = 0; from < monitors.length; from += monitorsAtATime) {
      samples += this.add(request, familiesOf(monitors.slice(from, from + monitorsAtATime)), time);
      if (request.length < mostBatchBytes) yield null;
      else {
        yield { body: request.finish(), samples };
        samples = 0;
      }
    }
    samples += this.add(request, node, time);
    if (samples > 0) yield { body: request.finish(), samples };
  }

  /** Answers how many data points it writes. */
  private add(writer: ProtobufWriter, families: readonly Family[], time: Buffer): number {
    let points = 0;
    writer.message(inRequest.resourceMetrics, () => {
      writer.bytes(inResourceMetrics.resource, this.resource);
      writer.message(inResourceMetrics.scopeMetrics, () => {
        writer.bytes(inScopeMetrics.scope, this.scope);
        for (const family of families) {
          if (family.samples.length === 0) continue;
          writer.message(inScopeMetrics.metrics, () => {
            points += this.metric(writer, family, time);
          });
        }
      });
    });
    return points;
  }

  private metric(writer: ProtobufWriter, family: Family, time: Buffer): number {
    const { type, help, samples } = family;
    writer.text(inMetric.name, seriesName(family, undefined));
    writer.text(inMetric.description, help);
    if (type === 'histogram') return this.histogram(writer, samples, time);
    const isSum = type === 'counter';
    writer.message(isSum ? inMetric.sum : inMetric.gauge, () => {
      for (const { labels, extra, value } of samples)
        writer.message(inData.points, () => {
          writer.fixed64(inNumber.time, time);
          writer.double(inNumber.value, value);
          writer.raw(this.attributesOf(inNumber.attributes, labels));
          if (extra !== undefined) writer.raw(this.attributesOf(inNumber.attributes, extra));
        });
      if (!isSum) return;
      writer.varint(inData.temporality, cumulative);
      writer.varint(inData.isMonotonic, 1);
    });
    return samples.length;
  }

  /** Buckets up to a bound, the sum and the count become one point with what lies between the bounds. */
  private histogram(writer: ProtobufWriter, samples: readonly MetricSample[], time: Buffer): number {
    let points = 0;
    writer.message(inMetric.histogram, () => {
      let counts: number[] = [];
      let [upTo, sum] = [0, 0];
      for (const { suffix, labels, value } of samples) {
        if (suffix === '_bucket') {
          counts.push(value - upTo);
          upTo = value;
        } else if (suffix === '_sum') sum = value;
        else {
          const between = counts;
          points += 1;
          writer.message(inData.points, () => {
            writer.fixed64(inHistogram.time, time);
            writer.whole64(inHistogram.count, value);
            writer.double(inHistogram.sum, sum);
            writer.message(inHistogram.counts, () => {
              for (const count of between) writer.rawFixed64(count);
            });
            writer.bytes(inHistogram.bounds, bounds);
            writer.raw(this.attributesOf(inHistogram.attributes, labels));
          });
          counts = [];
          upTo = 0;
        }
      }
      writer.varint(inData.temporality, cumulative);
    });
    return points;
  }

  private attributesOf(field: number, labels: MetricLabels): Buffer {
    let known = this.attributes.get(field);
    if (known === undefined) this.attributes.set(field, (known = new WeakMap()));
    let bytes = known.get(labels);
    if (bytes === undefined) known.set(labels, (bytes = attributesBytes(field, labels.pairs)));
    return bytes;
  }
}

/** One without a value is the same as none. */
function attributesBytes(field: number, pairs: readonly (readonly [string, string])[]): Buffer {
  const writer = new ProtobufWriter();
  for (const [name, value] of pairs) {
    if (value === '') continue;
    writer.message(field, () => {
      writer.text(1, name);
      writer.message(2, () => {
        writer.text(1, value);
      });
    });
  }
  return writer.finish();
}

function familiesOf(monitors: readonly MeasuredMonitor[]): readonly Family[] {
  return monitorFamilies.map((family) => ({
    ...family,
    samples: monitors.flatMap((monitor) => family.samplesOf(monitor)),
  }));
}
