/** Writes metrics in the two text formats that Prometheus reads: its own (0.0.4) and OpenMetrics 1.0. */
import { cleanLine } from '../../engine/core/text.ts';

export type MetricsFormat = 'prometheus' | 'openmetrics';

export const contentTypes: Readonly<Record<MetricsFormat, string>> = {
  prometheus: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
};

/** One value; `suffix` stands after the name of the family. */
export interface MetricSample {
  readonly suffix?: '_bucket' | '_sum' | '_count';
  /** As `labelText` writes them, one behind the other with commas between them; may be empty. */
  readonly labels: string;
  readonly value: number;
}

/** What the samples of one name have in common. */
export interface MetricFamily {
  /** Without `_total` and `_info`, which the type adds. */
  readonly name: string;
  readonly type: 'gauge' | 'counter' | 'histogram' | 'summary' | 'info';
  readonly help: string;
}

const endings = { gauge: '', counter: '_total', histogram: '', summary: '', info: '_info' } as const;

/** The lines above the samples of a family. */
export function headText({ name, type, help }: MetricFamily, format: MetricsFormat): string {
  const isOpen = format === 'openmetrics';
  const family = isOpen ? name : `${name}${endings[type]}`;
  return `# HELP ${family} ${help}\n# TYPE ${family} ${type === 'info' && !isOpen ? 'gauge' : type}\n`;
}

export function sampleText({ name, type }: MetricFamily, { suffix, labels, value }: MetricSample): string {
  return `${name}${suffix ?? endings[type]}${labels === '' ? '' : `{${labels}}`} ${numberText(value)}\n`;
}

/** What stands after the last family. */
export function endText(format: MetricsFormat): string {
  return format === 'openmetrics' ? '# EOF\n' : '';
}

/** `id="web",group=""`. Control characters are taken out: the text is also read in terminals. */
export function labelText(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${escapeLabel(value)}"`)
    .join(',');
}

function escapeLabel(value: string): string {
  if (/^[\w .:/-]*$/.test(value)) return value;
  return cleanLine(value).replaceAll('\\', '\\\\').replaceAll('"', '\\"');
}

function numberText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (Number.isFinite(value)) return String(value);
  return value > 0 ? '+Inf' : '-Inf';
}
