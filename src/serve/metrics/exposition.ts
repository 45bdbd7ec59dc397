/** Writes metrics in the two text formats that Prometheus reads: its own (0.0.4) and OpenMetrics 1.0. */
import { type MetricFamily, type MetricSample, seriesName } from '../../engine/views/metrics/family.ts';

export type MetricsFormat = 'prometheus' | 'openmetrics';

export const contentTypes: Readonly<Record<MetricsFormat, string>> = {
  prometheus: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
};

/** The lines above the samples of a family. */
export function headText(metricFamily: MetricFamily, format: MetricsFormat): string {
  const { name, type, help } = metricFamily;
  const isOpen = format === 'openmetrics';
  const family = isOpen ? name : seriesName(metricFamily, undefined);
  return `# HELP ${family} ${help}\n# TYPE ${family} ${type === 'info' && !isOpen ? 'gauge' : type}\n`;
}

export function sampleText(family: MetricFamily, { suffix, labels, extra, value }: MetricSample): string {
  const text = extra === undefined ? labels.text : `${labels.text},${extra.text}`;
  return `${seriesName(family, suffix)}${text === '' ? '' : `{${text}}`} ${numberText(value)}\n`;
}

/** What stands after the last family. */
export function endText(format: MetricsFormat): string {
  return format === 'openmetrics' ? '# EOF\n' : '';
}

function numberText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (Number.isFinite(value)) return String(value);
  return value > 0 ? '+Inf' : '-Inf';
}
