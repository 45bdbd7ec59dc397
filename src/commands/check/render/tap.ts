/** Renders a report in the Test Anything Protocol, version 14. */
import {
  type CheckedMonitor,
  type CheckReport,
  countsInWords,
  placeOf,
  type Renderer,
  sentenceOf,
  titleOf,
} from '../report.ts';
import { bodyLines, unmetLines } from './parts.ts';

export const renderer: Renderer = {
  report: (report) => {
    const { results, notes, counts, isInterrupted } = report;
    const lines = [
      'TAP version 14',
      `1..${results.length}`,
      ...results.flatMap((result, index) => pointLines(result, index + 1, report)),
      ...notes.map((note) => `# ${titleOf(note)}: ${note.text}`),
      `# ${countsInWords(counts)}`,
      ...(isInterrupted ? ['Bail out! interrupted'] : []),
    ];
    return `${lines.join('\n')}\n`;
  },
  config: ({ problems }) => {
    if (problems.length === 0) return 'TAP version 14\n1..1\nok 1 - configuration\n';
    const lines = [
      'TAP version 14',
      `1..${problems.length}`,
      ...problems.flatMap((problem, index) => [
        `not ok ${index + 1} - configuration: ${escaped(sentenceOf(problem))}`,
        ...diagnostic({ at: placeOf(problem), hint: problem.hint }),
      ]),
    ];
    return `${lines.join('\n')}\n`;
  },
};

function pointLines(result: CheckedMonitor, number: number, report: CheckReport): string[] {
  const description = `${number} - ${escaped(titleOf(result))}`;
  const details = () => diagnostic(facts(result, report));
  switch (result.status) {
    case 'up':
      return [`ok ${description}`];
    case 'down':
      return [`not ok ${description}`, ...details()];
    case 'degraded':
      return [`${report.failing.includes('degraded') ? 'not ok' : 'ok'} ${description}`, ...details()];
    case 'unknown':
      if (report.failing.includes('unknown')) return [`not ok ${description}`, ...details()];
      return [`ok ${description} # SKIP unknown: ${escaped(result.error ?? 'not asked')}`, ...details()];
    case 'skipped':
      return [`ok ${description} # SKIP push monitors are not probed`];
  }
}

type Fact = string | number | readonly string[] | null;

function facts(result: CheckedMonitor, { file }: CheckReport): Readonly<Record<string, Fact>> {
  const { status, error, kind, latencyMs, attempts, answer, curl, position } = result;
  return {
    status,
    message: error,
    kind,
    latency_ms: latencyMs === null ? null : Math.round(latencyMs),
    attempts,
    unmet: unmetLines(result),
    answer: answer?.statusLine ?? null,
    body: answer === null ? [] : bodyLines(answer.body),
    reproduce: curl,
    at: placeOf(position ?? { file, line: null, column: null }),
  };
}

/** A YAML block; every text is a double-quoted scalar, which YAML 1.2 and JSON write alike. */
function diagnostic(values: Readonly<Record<string, Fact>>): string[] {
  const lines = Object.entries(values).flatMap(([key, value]) => {
    if (value === null) return [];
    if (typeof value !== 'object') return [`  ${key}: ${JSON.stringify(value)}`];
    return value.length === 0 ? [] : [`  ${key}:`, ...value.map((line) => `    - ${JSON.stringify(line)}`)];
  });
  return ['  ---', ...lines, '  ...'];
}

/** In a description `#` starts a directive and `\` an escape. */
function escaped(text: string): string {
  return text.replace(/[\\#]/g, '\\$&');
}
