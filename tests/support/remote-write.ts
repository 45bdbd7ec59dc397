/** Reads requests of Prometheus' remote-write protocol 1.0. */
import protobuf from 'protobufjs';
import { uncompress } from 'snappyjs';

/** prompb, as the specification has it. */
const schema = protobuf
  .parse(`syntax = "proto3";
message WriteRequest { repeated TimeSeries timeseries = 1; reserved 2; }
message TimeSeries { repeated Label labels = 1; repeated Sample samples = 2; }
message Label { string name = 1; string value = 2; }
message Sample { double value = 1; int64 timestamp = 2; }`)
  .root.lookupType('WriteRequest');

/** What is 0 or empty is not there. */
export interface WrittenSeries {
  readonly labels: readonly { readonly name: string; readonly value: string }[];
  readonly samples: readonly { readonly value?: number; readonly timestamp?: number }[];
}

/** Answers the series of a request, in order, and its bytes before they were compressed. */
export function readWriteRequest(body: Uint8Array): {
  readonly raw: Uint8Array;
  readonly timeseries: readonly WrittenSeries[];
} {
  const raw = uncompress(body);
  const { timeseries = [] } = schema.toObject(schema.decode(raw), { longs: Number, arrays: true }) as {
    readonly timeseries?: readonly WrittenSeries[];
  };
  return { raw, timeseries };
}
