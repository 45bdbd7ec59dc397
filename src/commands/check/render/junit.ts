/** Renders a report as JUnit XML (the dialect of Jenkins' junit-10.xsd, which GitLab and others read too). */
import {
  type CheckedMonitor,
  type CheckReport,
  placeOf,
  type Renderer,
  sentenceOf,
  titleOf,
} from '../report.ts';
import { answerLines, unmetLines } from './parts.ts';

export const renderer: Renderer = {
  report: (report) => {
    const cases = report.results.map((result) => ({ result, verdict: verdictOf(result, report) }));
    const failures = cases.filter(({ verdict }) => verdict?.tag === 'failure').length;
    const errors = cases.filter(({ verdict }) => verdict?.tag === 'error').length;
    const skipped = cases.filter(({ verdict }) => verdict?.tag === 'skipped').length;
    const totals = { tests: cases.length, failures, errors };
    const time = seconds(report.elapsedMs);
    return documentOf([
      `<testsuites${attributes({ name: 'statusd', ...totals, time })}>`,
      `  <testsuite${attributes({
        name: report.file,
        ...totals,
        skipped,
        time,
        timestamp: new Date(report.checkedAt).toISOString().slice(0, 19),
      })}>`,
      ...cases.flatMap(({ result, verdict }) => caseLines(result, verdict, report.file)),
      ...noteLines(report),
      ...(report.isInterrupted ? ['    <system-err>interrupted</system-err>'] : []),
      '  </testsuite>',
      '</testsuites>',
    ]);
  },
  config: ({ file, problems }) => {
    const errors = problems.length;
    const totals = { tests: Math.max(1, errors), failures: 0, errors };
    const cases = problems.flatMap((problem) => [
      `    <testcase${attributes({ classname: 'configuration', name: problem.path ?? placeOf(problem) })}>`,
      `      <error${attributes({ message: sentenceOf(problem), type: 'config' })}>` +
        `${xml([placeOf(problem), problem.hint].filter((text) => text !== null).join('\n'))}</error>`,
      '    </testcase>',
    ]);
    const passed = `    <testcase${attributes({ classname: 'configuration', name: 'valid' })}/>`;
    return documentOf([
      `<testsuites${attributes({ name: 'statusd', ...totals })}>`,
      `  <testsuite${attributes({ name: file ?? 'configuration', ...totals, skipped: 0 })}>`,
      ...(errors === 0 ? [passed] : cases),
      '  </testsuite>',
      '</testsuites>',
    ]);
  },
};

interface Verdict {
  readonly tag: 'failure' | 'error' | 'skipped';
  readonly message: string;
  readonly type: string;
}

/** A monitor that could not be asked is an error of the run, or no result at all when that does not fail it. */
function verdictOf({ status, error, category }: CheckedMonitor, { failing }: CheckReport): Verdict | null {
  const message = error ?? status;
  const type = category ?? status;
  switch (status) {
    case 'up':
      return null;
    case 'down':
      return { tag: 'failure', message, type };
    case 'degraded':
      return failing.includes('degraded') ? { tag: 'failure', message, type } : null;
    case 'unknown':
      return { tag: failing.includes('unknown') ? 'error' : 'skipped', message, type };
    case 'skipped':
      return { tag: 'skipped', message: 'push monitors are not probed', type };
  }
}

function caseLines(result: CheckedMonitor, verdict: Verdict | null, file: string): string[] {
  const { group, kind, latencyMs, status, error, curl, position } = result;
  const time = seconds(latencyMs ?? 0);
  const open = `    <testcase${attributes({ classname: group ?? kind, name: titleOf(result), time })}`;
  if (status === 'up') return [`${open}/>`];
  const said = [verdict === null ? `${status}: ${error ?? ''}` : null, ...answerLines(result), curl];
  const output = said.filter((line) => line !== null).join('\n');
  const text = [...unmetLines(result), position === null ? file : placeOf(position)].join('\n');
  return [
    `${open}>`,
    ...(verdict === null ? [] : [verdictLine(verdict, text)]),
    ...(output === '' ? [] : [`      <system-out>${xml(output)}</system-out>`]),
    '    </testcase>',
  ];
}

function verdictLine({ tag, message, type }: Verdict, text: string): string {
  const open = `      <${tag}${attributes({ message, type })}`;
  return tag === 'skipped' ? `${open}/>` : `${open}>${xml(text)}</${tag}>`;
}

function noteLines({ notes }: CheckReport): string[] {
  const text = notes.map((note) => `${titleOf(note)}: ${note.text}`).join('\n');
  return text === '' ? [] : [`    <system-out>${xml(text)}</system-out>`];
}

function documentOf(lines: readonly string[]): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${lines.join('\n')}\n`;
}

function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${xml(String(value)).replaceAll('\n', '&#10;')}"`)
    .join('');
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}

/** XML 1.0 knows no way to write these characters, not even as a reference. */
const unwritable = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function xml(text: string): string {
  return text.replace(unwritable, '').replace(/[&<>"]/g, (character) => entities[character] ?? character);
}
