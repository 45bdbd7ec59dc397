import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asciiGlyphs } from '../../../src/commands/terminal/glyphs.ts';
import type { TerminalOutput } from '../../../src/commands/terminal/output.ts';
import { barOf } from '../../../src/commands/tune/figures.ts';
import { detailText, summaryText, type Findings } from '../../../src/commands/tune/render.ts';
import { parseConfig } from '../../../src/engine/config/load.ts';
import { tuneMonitor } from '../../../src/engine/views/tune/tune.ts';
import type { MonitorTuning } from '../../../src/engine/views/tune/tuning.ts';
import { historyOf, policy, startAt } from '../../engine/alerting/replay/letters.ts';
import { assertGolden } from '../../support/golden.ts';
import { outputOf } from '../../support/sheet.ts';

const histories: Readonly<Record<string, string>> = {
  api: 'u1500 f4 u1500 f4 u1500 f3 u1500 f45 u1 f20 u1500 f1 u1500 f2 u1500',
  search: 'u3000 s5 u300 s8 u300 s4 u300 s5 u300 s9 u2000 f10 u3000',
  job: 'u4000 l m u4000 l u2000',
  quiet: 'u10000',
  young: 'u2000',
};

const { config } = await parseConfig(
  `
[[monitors]]
id = "api"
target = "http://127.0.0.1:1/"
depends_on = ["quiet"]
[[monitors]]
id = "search"
target = "http://127.0.0.1:1/"
degraded_over_ms = 500
[[monitors]]
id = "job"
kind = "push"
push_token = "a-token-for-the-tests"
grace_secs = 60
[[monitors]]
id = "quiet"
kind = "tcp"
target = "127.0.0.1:1"
degraded_over_ms = 2000
[[monitors]]
id = "young"
kind = "icmp"
target = "127.0.0.1"
`,
  { file: 'statusd.toml', env: {}, readFile: () => Promise.reject(new Error('none')) },
);

const days = 8;
const tunings = config.monitors.map((monitor) =>
  tuneMonitor({
    monitor,
    policy: { ...policy, degradedOverMs: monitor.degraded_over_ms },
    holdMs: 82_000,
    windowMs: 30_000,
    isDegradedNotified: false,
    history: historyOf(histories[monitor.id] ?? ''),
    leftOut: 0,
    askedMs: days * 86_400_000,
  }),
);
const findings: Findings = { fromAt: startAt, toAt: startAt + days * 86_400_000, days, tunings };
const tuning = (id: string): MonitorTuning => tunings.find((each) => each.id === id) ?? assert.fail();
const ascii = (columns: number): TerminalOutput => ({
  ...outputOf({ columns, isColoured: false }),
  glyphs: asciiGlyphs,
  cells: { measure: (text) => text.length, ellipsis: '...' },
});
const golden = (name: string, text: string) => {
  assertGolden(new URL(`golden/${name}.txt`, import.meta.url), text);
};

describe('what tune prints', () => {
  it('is a line a change where there is room, and a block where there is not', () => {
    const text = (columns: number, isColoured = false) =>
      summaryText(findings, { isQuiet: false }, outputOf({ columns, isColoured }));
    golden('summary-200', text(200));
    golden('summary-80', text(80));
    golden('summary-colour', text(80, true));
    golden('summary-ascii', summaryText(findings, { isQuiet: false }, ascii(80)));
  });

  it('shows the figures behind a recommendation', () => {
    golden('detail-api', detailText(tuning('api'), findings, outputOf({ columns: 80, isColoured: false })));
    golden(
      'detail-search',
      detailText(tuning('search'), findings, outputOf({ columns: 120, isColoured: true })),
    );
    golden('detail-job', detailText(tuning('job'), findings, ascii(80)));
  });

  it('says that nothing is to be changed, and nothing at all when it should be quiet', () => {
    const quiet = { ...findings, tunings: [tuning('quiet')] };
    const output = outputOf({ columns: 80, isColoured: false });
    assert.match(summaryText(quiet, { isQuiet: false }, output), /Nothing should be set differently\./);
    assert.equal(summaryText(quiet, { isQuiet: true }, output), '');
    assert.match(
      summaryText({ ...findings, tunings: [] }, { isQuiet: false }, output),
      /The configuration has no monitors\./,
    );
  });

  it('says where as many alerts would be sent as before', () => {
    const api = tuning('api');
    const same = { ...api, then: { ...api.then, alerts: api.now.alerts } };
    const output = outputOf({ columns: 80, isColoured: false });
    const text = summaryText({ ...findings, tunings: [same] }, { isQuiet: false }, output);
    assert.match(
      text,
      /^\d settings? should change: \d alerts as before, \d of \d real outages? notified\.$/m,
    );
  });

  it('never draws something as nothing', () => {
    const { glyphs } = outputOf({ columns: 80, isColoured: false });
    assert.deepEqual(
      [0, 0.0001, 0.5, 1].map((share) => barOf(share, 4, glyphs)),
      ['', '▏', '██', '████'],
    );
    assert.deepEqual(
      [0, 0.0001, 0.5, 1].map((share) => barOf(share, 4, asciiGlyphs)),
      ['', '#', '##', '####'],
    );
  });
});
