import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import protobuf from 'protobufjs';
import { otlp } from '../../../src/notify/outputs/otlp.ts';
import { measuredMonitor, readingOf } from './reading.ts';

/** opentelemetry-proto 1.x, as far as it is used. */
const schema = protobuf
  .parse(`syntax = "proto3";
message ExportMetricsServiceRequest { repeated ResourceMetrics resource_metrics = 1; }
message ResourceMetrics { Resource resource = 1; repeated ScopeMetrics scope_metrics = 2; }
message Resource { repeated KeyValue attributes = 1; }
message ScopeMetrics { InstrumentationScope scope = 1; repeated Metric metrics = 2; }
message InstrumentationScope { string name = 1; string version = 2; }
message KeyValue { string key = 1; AnyValue value = 2; }
message AnyValue { oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; } }
message Metric { string name = 1; string description = 2; string unit = 3;
  oneof data { Gauge gauge = 5; Sum sum = 7; Histogram histogram = 9; } }
message Gauge { repeated NumberDataPoint data_points = 1; }
message Sum { repeated NumberDataPoint data_points = 1; int32 aggregation_temporality = 2; bool is_monotonic = 3; }
message Histogram { repeated HistogramDataPoint data_points = 1; int32 aggregation_temporality = 2; }
message NumberDataPoint { fixed64 start_time_unix_nano = 2; fixed64 time_unix_nano = 3;
  oneof value { double as_double = 4; sfixed64 as_int = 6; } repeated KeyValue attributes = 7; }
message HistogramDataPoint { fixed64 start_time_unix_nano = 2; fixed64 time_unix_nano = 3; fixed64 count = 4;
  optional double sum = 5; repeated fixed64 bucket_counts = 6; repeated double explicit_bounds = 7;
  repeated KeyValue attributes = 9; }`)
  .root.lookupType('ExportMetricsServiceRequest');

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue: string };
}

interface Point {
  readonly timeUnixNano: string;
  readonly asDouble?: number;
  readonly attributes: readonly Attribute[];
  readonly count?: string;
  readonly sum?: number;
  readonly bucketCounts?: readonly string[];
  readonly explicitBounds?: readonly number[];
}

interface Data {
  readonly dataPoints: readonly Point[];
  readonly aggregationTemporality?: number;
  readonly isMonotonic?: boolean;
}

interface Metric {
  readonly name: string;
  readonly description: string;
  readonly gauge?: Data;
  readonly sum?: Data;
  readonly histogram?: Data;
}

interface Resource {
  readonly resource: { readonly attributes: readonly Attribute[] };
  readonly scopeMetrics: readonly {
    readonly scope: { readonly name: string; readonly version: string };
    readonly metrics: readonly Metric[];
  }[];
}

const at = Date.UTC(2026, 5, 7, 12, 0, 0, 123);
const plain = (attributes: readonly Attribute[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue]));

async function resources(count = 1): Promise<readonly Resource[]> {
  const format = otlp({ attributes: { 'deployment.environment': 'test' }, version: '1.2.3' });
  const monitors = Array.from({ length: count }, (_, index) =>
    measuredMonitor({ id: `m${index}`, name: `Monitor ${index}`, certExpiresAt: at }),
  );
  const found: Resource[] = [];
  for (const batch of format.encode(readingOf(monitors, at))) {
    if (batch === null) continue;
    const packed = (await format.pack?.(batch.body)) ?? batch.body;
    const decoded = schema.toObject(schema.decode(gunzipSync(packed)), { longs: String, arrays: true }) as {
      readonly resourceMetrics: readonly Resource[];
    };
    const points = decoded.resourceMetrics
      .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics))
      .flatMap(({ gauge, sum, histogram }) => (gauge ?? sum ?? histogram)?.dataPoints ?? []);
    assert.equal(points.length, batch.samples);
    found.push(...decoded.resourceMetrics);
  }
  return found;
}

const metricsOf = (all: readonly Resource[]) =>
  all.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics));

describe('metrics as OTLP', () => {
  it('are of a resource with the name of the service and what the file adds', async () => {
    for (const { resource, scopeMetrics } of await resources()) {
      assert.deepEqual(plain(resource.attributes), {
        'service.name': 'statusd',
        'service.version': '1.2.3',
        'deployment.environment': 'test',
      });
      assert.deepEqual(scopeMetrics[0]?.scope, { name: 'statusd', version: '1.2.3' });
    }
  });

  it('are gauges, sums that only grow, and histograms', async () => {
    const metrics = metricsOf(await resources());
    const one = (name: string) => metrics.find((metric) => metric.name === name);
    const up = one('statusd_monitor_up')?.gauge?.dataPoints[0];
    assert.equal(up?.asDouble, 1);
    assert.equal(up.timeUnixNano, `${at}000000`);
    assert.deepEqual(plain(up.attributes), { id: 'm0', name: 'Monitor 0' });
    const probes = one('statusd_probes_total')?.sum;
    assert.deepEqual([probes?.aggregationTemporality, probes?.isMonotonic], [2, true]);
    assert.deepEqual(
      probes?.dataPoints.map(({ asDouble, attributes }) => [plain(attributes)['result'], asDouble]),
      [
        ['up', 7],
        ['degraded', 0],
        ['down', 1],
        ['unknown', 0],
      ],
    );
    const durations = one('statusd_probe_duration_seconds')?.histogram;
    const point = durations?.dataPoints[0];
    assert.equal(durations?.aggregationTemporality, 2);
    assert.deepEqual([point?.count, point?.sum], ['3', 0.0815]);
    assert.deepEqual(point?.bucketCounts, ['0', '2', '0', '1', ...new Array<string>(8).fill('0')]);
    assert.deepEqual(point.explicitBounds, [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]);
    assert.deepEqual(plain(point.attributes), { id: 'm0', name: 'Monitor 0' });
    const lateness = one('statusd_scheduler_lateness_seconds')?.gauge?.dataPoints ?? [];
    assert.deepEqual(
      lateness.map(({ attributes, asDouble }) => [plain(attributes)['quantile'], asDouble]),
      [
        ['0.5', 0.001],
        ['0.99', 0.002],
        ['1.0', 0.003],
      ],
    );
    assert.ok(metrics.every(({ description }) => description !== ''));
  });

  it('are whole for many monitors', async () => {
    const points = metricsOf(await resources(230)).filter(({ name }) => name === 'statusd_monitor_up');
    const ids = points.flatMap(({ gauge }) =>
      gauge?.dataPoints.map(({ attributes }) => plain(attributes)['id']),
    );
    assert.equal(new Set(ids).size, 230);
  });
});
