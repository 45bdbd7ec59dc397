/** Histograms with a place for every bucket, which is how percentiles are read. */
import { bucketCount, type Histogram } from '../samples/histogram.ts';

export function denseHistogram(histogram: Histogram): Uint32Array {
  const counts = new Uint32Array(bucketCount);
  for (const [bucket, count] of histogram) counts[bucket] = count;
  return counts;
}
