/** Reports to render: one with every status, one whose every text is hostile. */
import { noTimings } from '../../src/engine/core/probe.ts';
import { paintWith } from '../../src/commands/terminal/colour.ts';
import { unicodeGlyphs } from '../../src/commands/terminal/glyphs.ts';
import {
  type CheckedMonitor,
  type CheckReport,
  type CheckStatus,
  type CheckView,
  type ConfigVerdict,
  countStatuses,
  type Note,
} from '../../src/commands/check/report.ts';

export const plainView: CheckView = {
  paint: paintWith(false),
  glyphs: unicodeGlyphs,
  cells: { measure: (text) => text.length, ellipsis: '…' },
  columns: null,
  isQuiet: false,
};

/** A healthy monitor, with `changes`. */
export function checked(id: string, changes: Partial<CheckedMonitor> = {}): CheckedMonitor {
  return {
    id,
    name: id,
    group: null,
    kind: 'http',
    status: 'up',
    latencyMs: 42.25,
    degradedOverMs: null,
    error: null,
    category: null,
    attempts: 1,
    timings: { dnsMs: 1.25, connectMs: 2, tlsMs: null, firstByteMs: 30.04, totalMs: 42.25 },
    certExpiryDays: null,
    answer: null,
    unmet: [],
    curl: null,
    position: { file: 'statusd.toml', line: 1, column: 1 },
    ...changes,
  };
}

export function reportOf(
  results: readonly CheckedMonitor[],
  changes: Partial<CheckReport> = {},
): CheckReport {
  const counts = countStatuses(results);
  return {
    file: 'statusd.toml',
    isOk: counts.down === 0,
    failing: ['down'],
    isInterrupted: false,
    checkedAt: Date.UTC(2026, 4, 11, 8, 30, 0, 250),
    elapsedMs: 1234,
    counts,
    results,
    causes: new Map(),
    notes: [],
    ...changes,
  };
}

const nothing = { latencyMs: null, timings: noTimings };

export const everyStatus: CheckReport = reportOf(
  [
    checked('site', {
      name: 'Website',
      certExpiryDays: 9,
      position: { file: 'statusd.toml', line: 4, column: 1 },
    }),
    checked('api', {
      name: 'API',
      group: 'Backend',
      status: 'down',
      latencyMs: 12,
      error: 'answered 503 Service Unavailable, expected 2xx',
      category: 'status',
      attempts: 2,
      answer: {
        statusLine: 'HTTP/1.1 503 Service Unavailable',
        headers: [['content-type', 'application/json']],
        body: '{\n  "error": "database gone",\n\n  "code": "100% <fatal> | #1"\n}\n',
      },
      unmet: [
        { key: 'expected_status', isMet: false, expected: '2xx', actual: '503' },
        { key: 'keyword', isMet: false, expected: '"ok"', actual: 'no such text' },
      ],
      curl: "curl -sS -i --max-time 10 'http://127.0.0.1:8080/health?a=1&b=2'",
      position: { file: 'statusd.toml', line: 9, column: 1 },
    }),
    checked('search', {
      group: 'Backend',
      status: 'degraded',
      latencyMs: 1204.6,
      degradedOverMs: 500,
      error: 'slower than 500 ms',
      category: 'slow',
      position: { file: 'statusd.toml', line: 15, column: 1 },
    }),
    checked('gateway', {
      name: 'Gateway',
      group: 'Network',
      kind: 'icmp',
      status: 'unknown',
      error: 'this host has no ping',
      category: 'own_fault',
      ...nothing,
      position: { file: 'statusd.toml', line: 21, column: 1 },
    }),
    checked('backup', {
      name: 'Nightly backup',
      group: 'Network',
      kind: 'push',
      status: 'skipped',
      attempts: 0,
      ...nothing,
      position: { file: 'statusd.toml', line: 27, column: 1 },
    }),
    checked('db', { name: 'Database', group: 'Backend', kind: 'tcp', latencyMs: 0.4 }),
  ],
  {
    notes: [
      {
        id: 'site',
        name: 'Website',
        text: 'the certificate expires in 9 days',
        position: { file: 'statusd.toml', line: 4, column: 1 },
      },
    ],
  },
);

export const twoProblems: ConfigVerdict = {
  file: 'statusd.toml',
  problems: [
    {
      file: 'statusd.toml',
      line: 12,
      column: 3,
      path: 'monitors[1].tagret',
      subject: 'monitor "api": tagret',
      message: 'is an unknown key',
      hint: 'did you mean target?',
    },
    {
      file: 'statusd.toml',
      line: 20,
      column: 1,
      path: 'monitors[2].interval_secs',
      subject: 'monitors[2].interval_secs:',
      message: 'must be an integer from 1 to 2592000, not 0',
      hint: null,
    },
  ],
};

/** Escape sequences, C0, C1, bidirectional, zero-width, separators, markup and workflow commands. */
const hostileText = [
  '\u001b[31mred\u001b[0m',
  '\u001b]0;title\u0007\u001b]8;;http://evil/\u001b\\link\u001b]8;;\u001b\\',
  '\u009b2J\u0090q\u009c\u0085\u007f\u0000\b\r\n::error::owned\r##[stop-commands]x',
  '\u202egnp.exe\u2066\u2069\u200b\u200d\ufeff\u2028\u2029\u{e0041}\ud800',
  '<script>&"\']]>-->|perf=1 # SKIP \\ %0A: ,\n  ...\n1..0\nBail out!\nnot ok',
].join(' ');

const hostileStatuses: readonly CheckStatus[] = ['up', 'down', 'degraded', 'unknown', 'skipped'];

export const hostileReport: CheckReport = reportOf(
  hostileStatuses.map((status, index) =>
    checked(`m${index}`, {
      name: hostileText,
      group: hostileText,
      status,
      error: status === 'up' || status === 'skipped' ? null : hostileText,
      category: 'content',
      answer: {
        statusLine: hostileText,
        headers: [[hostileText, hostileText]],
        body: `${hostileText}\n${hostileText}`,
      },
      unmet: [{ key: 'keyword', isMet: false, expected: hostileText, actual: hostileText }],
      curl: `curl '${hostileText}'`,
    }),
  ),
  { file: `${hostileText}.toml`, notes: [hostileNote()] },
);

function hostileNote(): Note {
  return { id: 'm0', name: hostileText, text: hostileText, position: null };
}

export const hostileFailure: ConfigVerdict = {
  file: hostileText,
  problems: [
    {
      file: hostileText,
      line: 1,
      column: 1,
      path: hostileText,
      subject: hostileText,
      message: hostileText,
      hint: hostileText,
    },
  ],
};
