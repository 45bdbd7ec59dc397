/** The interface of a metrics protocol. */
import type { MetricReading } from '../../engine/views/metrics/families.ts';
import type { Header } from '../../engine/net/http/request.ts';

/** The body of one request. */
export interface EncodedBatch {
  readonly body: Buffer;
  readonly samples: number;
}

/** What a receiver says about a request that it answered with success. */
export interface Remark {
  /** How many samples it did not take; 0: a warning. */
  readonly rejected: number;
  /** Its words: any text. */
  readonly message: string;
}

export interface OutputFormat {
  /** A reading in batches; null: a moment at which others may have their turn. */
  readonly encode: (reading: MetricReading) => Iterable<EncodedBatch | null>;
  /** What is done to a body before it waits, outside of the event loop. */
  readonly pack: ((body: Buffer) => Promise<Buffer>) | null;
  /** Without samples: a receiver that takes it would take others. */
  readonly empty: Buffer;
  /** Say what the body is. */
  readonly headers: readonly Header[];
  /** Whether the same request may be taken later, when it is answered with this status. */
  readonly isPassing: (statusCode: number) => boolean;
  /** Reads an answer of success; null: what was sent is taken as a whole, and nothing is said about it. */
  readonly readRemark: (answer: Buffer) => Remark | null;
}

/** Receivers have limits; those that are known begin at 32 MiB of what is not compressed. */
export const mostBatchBytes = 4 * 1024 * 1024;

/** How many monitors are encoded at a time. */
export const monitorsAtATime = 10;
