/** The labels of a metric: what distinguishes the samples of one name. */
import { cleanLine } from '../../core/text.ts';

/** Of one name each, in the order in which they are written. */
export interface MetricLabels {
  /** Control characters are taken out of the values: they are also read in terminals. */
  readonly pairs: readonly (readonly [name: string, value: string])[];
  /** As the text formats write them: `id="web",group=""`. */
  readonly text: string;
}

export function labelsOf(labels: Readonly<Record<string, string>>): MetricLabels {
  const pairs = Object.entries(labels).map(([name, value]) => [name, clean(value)] as const);
  return { pairs, text: pairs.map(([name, value]) => `${name}="${escaped(value)}"`).join(',') };
}

export const noLabels: MetricLabels = { pairs: [], text: '' };

function clean(value: string): string {
  return isPlain(value) ? value : cleanLine(value);
}

function escaped(value: string): string {
  return isPlain(value) ? value : value.replaceAll('\\', '\\\\').replaceAll('"', '\\"');
}

function isPlain(value: string): boolean {
  return /^[\w .:/-]*$/.test(value);
}
