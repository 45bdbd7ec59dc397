import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import stringWidth from 'string-width';
import { planJson } from '../../../src/commands/plan/perform.ts';
import { noImpact, type PlanOutcome } from '../../../src/commands/plan/impact.ts';
import { planText } from '../../../src/commands/plan/render.ts';
import { asciiGlyphs } from '../../../src/commands/terminal/glyphs.ts';
import { assertGolden } from '../../support/golden.ts';
import { outputOf } from '../../support/sheet.ts';

const golden = (name: string) => new URL(`golden/${name}`, import.meta.url);
const secret = (hidden: string, shown: string | null = null) => ({ hidden, shown });
const nothing = { added: [], removed: [], changed: [] };

const outcome: PlanOutcome = {
  file: '/etc/statusd/new.toml',
  ground: { kind: 'daemon', sinceAt: Date.UTC(2026, 10, 21, 12, 0, 0), pid: 4711 },
  keptDays: 30,
  impact: {
    open: new Map([['old', 12]]),
    waitingOf: new Map([['old', 2]]),
    waitingFor: new Map([['mail', 1]]),
    renamedMonitors: new Map([['web-old', 'web-new']]),
    renamedChannels: new Map([['sms', 'text']]),
    known: new Set(['old', 'back']),
  },
  difference: {
    started: ['fresh', 'back', 'web-new'],
    stopped: ['old', 'never-seen', 'web-old'],
    restarted: [
      {
        id: 'web',
        changes: [
          { key: 'interval_secs', before: 60, after: 30 },
          { key: 'target', before: 'https://a.example/', after: `https://${'long.'.repeat(30)}example/` },
          { key: 'push_token', before: secret('a'), after: secret('b') },
        ],
      },
    ],
    unchanged: 12,
    channels: {
      added: ['pager', 'text'],
      removed: ['mail', 'sms'],
      changed: [{ id: 'ops', changes: [{ key: 'url', before: secret('a'), after: secret('b') }] }],
    },
    peers: { ...nothing, added: ['berlin'] },
    outputs: { ...nothing, removed: ['remote_write'] },
    settings: [{ key: 'page.title', before: 'Status', after: '監視 \u202e' }],
    waiting: [{ key: 'server.bind', before: '127.0.0.1:8787', after: '0.0.0.0:80' }],
  },
};
const same: PlanOutcome = {
  ...outcome,
  ground: { kind: 'file', file: '/etc/statusd/statusd.toml' },
  impact: noImpact,
  difference: {
    started: [],
    stopped: [],
    restarted: [],
    unchanged: 1,
    channels: nothing,
    peers: nothing,
    outputs: nothing,
    settings: [],
    waiting: [],
  },
};
const plain = outputOf({ columns: 80, isColoured: false });

describe('a plan on the terminal', () => {
  for (const columns of [80, 200]) {
    for (const isColoured of [false, true]) {
      it(`is as it was at ${columns} columns, ${isColoured ? 'with' : 'without'} colour`, () => {
        const text = planText(outcome, false, outputOf({ columns, isColoured }));
        assertGolden(golden(`plan.${columns}${isColoured ? '.colour' : ''}.txt`), text);
      });
    }
  }

  it('is as it was for a program', () => {
    assertGolden(golden('plan.json'), `${JSON.stringify(planJson(outcome), null, 2)}\n`);
  });

  it('keeps to 80 columns below its first line', () => {
    const [, ...lines] = planText(outcome, false, plain).split('\n');
    for (const line of lines) assert.ok(stringWidth(line) <= 80, line);
  });

  it('says so when nothing would change', () => {
    assert.equal(
      planText(same, false, plain),
      'new.toml, compared with statusd.toml:\n\nNothing would change: 1 monitor as before.\n',
    );
    assert.equal(planText(same, true, plain), '');
  });

  it('shows what would happen and nothing else when quiet', () => {
    const lines = planText(outcome, true, plain).split('\n');
    assert.match(lines[0] ?? '', /^- stop {5}old$/);
    assert.match(lines.at(-2) ?? '', /^! wait/);
  });

  it('draws its arrows in ASCII where nothing else can be shown', () => {
    assert.match(planText(outcome, true, { ...plain, glyphs: asciiGlyphs }), /60 -> 30/);
  });
});
