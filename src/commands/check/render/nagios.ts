/** Renders a report as one line of a Nagios plugin: state, what is wrong, performance data. */
import { cleanLine, cutText } from '../../../engine/core/text.ts';
import {
  type CheckedMonitor,
  type CheckReport,
  type CheckStatus,
  placeOf,
  type Renderer,
  sentenceOf,
} from '../report.ts';
import { nagiosState } from '../verdict.ts';

/** Nagios shows the line in a table cell; a plugin's output may be cut at 4 KiB. */
const maxNamed = 5;
const maxReason = 120;

export const renderer: Renderer = {
  report: (report) => {
    const checked = report.results.filter(({ status }) => status !== 'skipped');
    const { word } = nagiosState(report);
    const text = report.isInterrupted ? `interrupted, ${summary(checked)}` : summary(checked);
    return `STATUSD ${word} - ${plain(text)} | ${performance(report, checked)}\n`;
  },
  config: ({ file, problems }) => {
    const [first] = problems;
    if (first === undefined) return `STATUSD OK - ${plain(file ?? 'the configuration')} is valid\n`;
    const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
    return unknownLine(`${placeOf(first)} ${sentenceOf(first)}${more}`);
  },
};

/** The line of a run that could not find out what it was asked. */
export function unknownLine(why: string): string {
  return `STATUSD UNKNOWN - ${plain(cleanLine(why).trim())}\n`;
}

function summary(checked: readonly CheckedMonitor[]): string {
  const wrong = (['down', 'degraded', 'unknown'] as const).flatMap((status) => wrongOnes(checked, status));
  const [first, ...others] = wrong;
  if (first === undefined)
    return checked.length === 0 ? 'nothing to check' : `${checked.length} of ${checked.length} up`;
  return [
    `${first.count} of ${checked.length} ${first.text}`,
    ...others.map(({ count, text }) => `${count} ${text}`),
  ].join('; ');
}

function wrongOnes(
  checked: readonly CheckedMonitor[],
  wanted: CheckStatus,
): { count: number; text: string }[] {
  const some = checked.filter(({ status }) => status === wanted);
  if (some.length === 0) return [];
  const named = some
    .slice(0, maxNamed)
    .map(({ id, error }) => `${id} (${cutText(error ?? wanted, maxReason)})`);
  const more = some.length > maxNamed ? [`${some.length - maxNamed} more`] : [];
  return [{ count: some.length, text: `${wanted}: ${[...named, ...more].join(', ')}` }];
}

/** `'label'=value[unit];warn;crit;min;max`; U is a value that could not be had. */
function performance({ counts }: CheckReport, checked: readonly CheckedMonitor[]): string {
  const totals = (['up', 'degraded', 'down', 'unknown'] as const).map(
    (status) => `${status}=${counts[status]};;;0;${checked.length}`,
  );
  const latencies = checked.map(({ id, latencyMs, degradedOverMs }) =>
    latencyMs === null ? `${id}_ms=U` : `${id}_ms=${Math.round(latencyMs)}ms;${degradedOverMs ?? ''};;0`,
  );
  return [...totals, ...latencies].join(' ');
}

/** A bar would end the text and start the performance data. */
function plain(text: string): string {
  return text.replaceAll('|', '/');
}
