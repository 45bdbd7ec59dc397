/** Batches that wait to be sent, the oldest first, up to a number of bytes. */
import type { EncodedBatch } from './format.ts';

export class BatchQueue {
  private readonly batches: EncodedBatch[] = [];
  private readonly mostBytes: number;
  private bytes = 0;
  /** How many samples wait. */
  samples = 0;

  constructor(mostBytes: number) {
    this.mostBytes = mostBytes;
  }

  /** Answers how many samples gave way to it: the oldest do. */
  add(given: EncodedBatch): number {
    const batch = { ...given, body: alone(given.body) };
    this.batches.push(batch);
    this.bytes += batch.body.length;
    this.samples += batch.samples;
    let dropped = 0;
    while (this.bytes > this.mostBytes && this.batches.length > 1) dropped += this.take()?.samples ?? 0;
    return dropped;
  }

  /** The other way round: what was taken is the oldest again. */
  putBack(batch: EncodedBatch): void {
    this.batches.unshift(batch);
    this.bytes += batch.body.length;
    this.samples += batch.samples;
  }

  take(): EncodedBatch | undefined {
    const batch = this.batches.shift();
    if (batch === undefined) return undefined;
    this.bytes -= batch.body.length;
    this.samples -= batch.samples;
    return batch;
  }
}

/** The same in memory of its own: a small piece of a large buffer keeps all of that as long as it waits. */
function alone(body: Buffer): Buffer {
  if (body.length === body.buffer.byteLength) return body;
  const copy = Buffer.allocUnsafeSlow(body.length);
  copy.set(body);
  return copy;
}
