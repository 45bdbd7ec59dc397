import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import stringWidth from 'string-width';
import { type Colours, createTheme } from '../../../src/tui/theme.ts';
import type { Event, ScreenState } from '../../../src/tui/state.ts';
import { screenLines, sheetLines } from '../../../src/tui/view/screen.tsx';
import { assertGolden } from '../../support/golden.ts';
import { detailOf, liveOf, modelOf, monitorOf, stateWith, summaryOf, troubled } from '../facts.ts';

const read: Event = { kind: 'read', model: modelOf(troubled()) };
const command = (name: Extract<Event, { kind: 'command' }>['command']): Event => ({
  kind: 'command',
  command: name,
});
const typed = (text: string): Event => ({ kind: 'typed', text });
const daemon: Event = { kind: 'daemon', daemon: 'ok' };
const glanced: Event = { kind: 'glanced', live: liveOf(troubled()) };

function drawn(state: ScreenState, colours: Colours, isUnicode = true): string {
  return screenLines(state, createTheme(colours, isUnicode))
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}

/** The same, after ann has taken care of the outage. */
const acknowledgedRead: Event = {
  kind: 'read',
  model: modelOf({
    ...troubled(),
    incidents: troubled().incidents.map((incident) => ({
      ...incident,
      acknowledged: { at: '2026-11-21T14:01:00Z', by: 'ann', reason: 'restarting it' },
    })),
  }),
};

const places: Readonly<Record<string, readonly Event[]>> = {
  list: [],
  grouped: [command('group'), command('down'), command('first'), command('down')],
  filtered: [command('filter'), typed('core'), { kind: 'edit', edit: 'submit' }, command('reverse')],
  detail: [command('open'), { kind: 'looked', detail: detailOf() }],
  silencing: [command('silence'), { kind: 'edit', edit: 'preset' }],
  acknowledging: [command('acknowledge')],
  acknowledged: [acknowledgedRead],
  'acknowledged-detail': [acknowledgedRead, command('open'), { kind: 'looked', detail: detailOf() }],
  publishing: [command('announce'), typed('warning: slow today'), { kind: 'edit', edit: 'submit' }],
};

/** The smallest terminals that anybody uses, and the largest. */
const sizes = [
  [60, 24],
  [80, 24],
  [120, 40],
  [160, 50],
  [200, 60],
] as const;

describe('the screen', () => {
  for (const [columns, rows] of sizes) {
    it(`is what it should be in ${columns} columns and ${rows} lines`, () => {
      const texts = Object.entries(places).map(
        ([place, events]) =>
          `== ${place}\n${drawn(stateWith(columns, rows, read, daemon, glanced, ...events), 'none')}`,
      );
      assertGolden(new URL(`golden/${columns}x${rows}.txt`, import.meta.url), texts.join(''));
    });
  }

  for (const [name, colours, isUnicode] of [
    ['ascii', 'none', false],
    ['sixteen', 'basic', true],
    ['many', 'many', true],
  ] as const) {
    it(`is what it should be with ${name}`, () => {
      const state = (events: readonly Event[]) => stateWith(120, 40, read, daemon, glanced, ...events);
      const texts = ['list', 'detail'].map(
        (place) => `== ${place}\n${drawn(state(places[place] ?? []), colours, isUnicode)}`,
      );
      // Escapes are spelled out, so that a reader of the file sees them.
      assertGolden(
        new URL(`golden/120x40-${name}.txt`, import.meta.url),
        texts.join('').replaceAll('\u001b', '^['),
      );
    });
  }

  it('has no character beyond ASCII where there is none', () => {
    const lines = Object.values(places).map((events) =>
      drawn(stateWith(80, 24, read, daemon, glanced, ...events), 'none', false),
    );
    assert.doesNotMatch(lines.join('').replaceAll('京都', ''), /[^\n -~]/);
  });

  it('has exactly as many lines as the terminal, none wider than it, in any size', () => {
    for (const events of Object.values(places)) {
      for (const columns of [40, 50, 60, 61, 80, 101, 140, 160, 220]) {
        for (const rows of [5, 9, 20, 24, 60]) {
          const lines = screenLines(
            stateWith(columns, rows, read, daemon, glanced, ...events),
            createTheme('none', true),
          );
          assert.equal(lines.length, rows);
          for (const line of lines) assert.ok(stringWidth(line) <= columns, `${columns}x${rows}: ${line}`);
        }
      }
    }
  });

  it('has the headline of an incident where there is no room for more', () => {
    const summary = { ...troubled(), announcements: [], maintenances: [], channels: [], peers: [] };
    const text = drawn(stateWith(40, 10, { kind: 'read', model: modelOf(summary) }, glanced), 'none');
    assert.match(text, /^── Incidents 1 ─.*\n #12 ✗ Public API {2}12m 34s/m);
    assert.doesNotMatch(text, /more open/);
  });

  it('counts in the heading what it lists: root causes, not what they took along', () => {
    const [outage] = troubled().incidents;
    assert.ok(outage !== undefined);
    const folded = ['b', 'c', 'd'].map((monitor) => ({
      ...outage,
      uid: monitor,
      monitor,
      cause: outage.monitor,
    }));
    const alone = { ...outage, uid: 'other', monitor: 'other', impacted: [], cause: 'no-longer-down' };
    for (const [incidents, count] of [
      [[outage, ...folded], 1],
      [[outage, ...folded, alone], 2],
    ] as const) {
      const summary = { ...troubled(), incidents };
      const text = drawn(stateWith(120, 40, { kind: 'read', model: modelOf(summary) }, glanced), 'none');
      assert.match(text, new RegExp(`^── Incidents ${count} ─`, 'm'));
      assert.equal(text.split('\n').filter((line) => line.startsWith(' #12 ')).length, count);
    }
  });

  it('counts every open incident that it does not show', () => {
    const [outage] = troubled().incidents;
    assert.ok(outage !== undefined);
    const incidents = Array.from({ length: 120 }, (_, index) => ({
      ...outage,
      uid: `u${index}`,
      monitor: `m${index}`,
      impacted: [],
    }));
    const summary = { ...troubled(), incidents };
    for (const rows of [20, 24, 60]) {
      const text = drawn(stateWith(120, rows, { kind: 'read', model: modelOf(summary) }, glanced), 'none');
      const shown = text.split('\n').filter((line) => line.startsWith(' #12 ')).length;
      assert.ok(shown > 0);
      assert.match(text, new RegExp(`^ and ${120 - shown} more open incidents$`, 'm'), `${rows}`);
    }
    const paper = sheetLines(
      stateWith(120, 24, { kind: 'read', model: modelOf(summary) }, glanced),
      createTheme('none', true),
    );
    assert.ok(paper.length < 200, `${paper.length} lines`);
    const printed = paper.filter((line) => line.startsWith(' #12 ')).length;
    assert.ok(paper.some((line) => line.trim() === `and ${120 - printed} more open incidents`));
  });

  it('asks in its last line and says about what, with a dialog or without one', () => {
    for (const [name, words] of [
      ['acknowledge', 'Acknowledge Public API: _'],
      ['update', 'Update Public API: _'],
      ['silence', 'Silence api: _'],
    ] as const) {
      for (const rows of [7, 8, 9, 10]) {
        const lines = drawn(stateWith(60, rows, read, command(name)), 'none').split('\n');
        assert.ok(lines[rows - 1]?.startsWith(` ${words}`), `${name} ${rows}: ${lines[rows - 1] ?? ''}`);
      }
      const high = drawn(stateWith(60, 24, read, command(name)), 'none');
      assert.match(high, name === 'silence' ? /this will cover: api/ : /Public API/);
    }
  });

  it('has the cursor on what is open beside the table, and nowhere when that left it', () => {
    const reading = (...down: readonly string[]): Event => ({
      kind: 'read',
      model: modelOf(
        summaryOf(['a', 'b', 'c'].map((id) => monitorOf(id, { status: down.includes(id) ? 'down' : 'up' }))),
      ),
    });
    const filtered = [command('filter'), typed('down'), { kind: 'edit', edit: 'submit' }] as const;
    const open = [reading('a', 'b', 'c'), ...filtered, command('down'), command('open')];
    assert.match(drawn(stateWith(200, 24, ...open), 'none'), /^❯ ✗ {2}b /m);
    const left = drawn(stateWith(200, 24, ...open, reading('a', 'c')), 'none');
    assert.doesNotMatch(left, /❯/);
    assert.match(left, /✓ up {2}b /);
  });

  it('begins no line of a detail with the space it was broken at, and names what it took along', () => {
    const text = 'a word '.repeat(60);
    const timeline = [
      { at: 0, kind: 'told', channel: null, event: null, reason: null, text, times: 1 },
    ] as const;
    const explanation = { headline: [text], timeline, messages: [], next: [] };
    for (let columns = 60; columns < 90; columns++) {
      const state = stateWith(columns, 60, read, command('open'), {
        kind: 'looked',
        detail: detailOf({ explanation }),
      });
      const lines = drawn(state, 'none').split('\n');
      const told = lines.filter((line) => /^ {2,}(?:a|word)\b/.test(line));
      assert.ok(told.length > 3);
      for (const line of told) assert.match(line, /^ {20}\S/, `${columns}: ${line}`);
      assert.ok(!lines.some((line) => /^ \S*(?:a|word)\b/.test(line)), `${columns}`);
      assert.match(drawn(state, 'none'), /^impacted: Search$/m);
    }
  });

  it('says in red that no daemon runs, whatever the monitors are', () => {
    const state = stateWith(120, 24, read, { kind: 'daemon', daemon: 'gone' });
    assert.match(drawn(state, 'basic'), /\u001b\[31mNO DAEMON, checked 4s ago/);
  });

  it('keeps the colours of the marks under the cursor', () => {
    const rowOf = (state: ScreenState, name: string) =>
      drawn(state, 'basic')
        .split('\n')
        .find((line) => line.includes(name) && line.includes('✓✓')) ?? '';
    const state = stateWith(120, 40, read, glanced);
    const marks = (row: string) => row.slice(row.indexOf('✓✓'));
    const under = rowOf({ ...state, selectedKey: 'db' }, 'Primary database');
    const beside = rowOf({ ...state, selectedKey: 'api' }, 'Primary database');
    assert.notEqual(under, beside);
    assert.equal(marks(under), marks(beside));
  });

  it('draws one yellow line a node that is not heard, and how many are', () => {
    const quiet = { clock_skew_ms: null, reason: null, seen_by: [] };
    const model = modelOf(
      summaryOf([monitorOf('a')], {
        peers: [
          { ...quiet, id: 'b', name: 'Paris', state: 'up', age: 3 },
          { ...quiet, id: 'c', name: 'Tokyo', state: 'down', age: 754, reason: 'no heartbeat came' },
          { ...quiet, id: 'd', name: 'Lima', state: 'link_degraded', age: 90 },
        ],
        peer_counts: { up: 1, down: 1, link_degraded: 1, unknown: 0 },
      }),
    );
    const lines = drawn(stateWith(80, 24, { kind: 'read', model }), 'basic').split('\n');
    const yellow = lines.filter((line) => line.startsWith('\u001b[33m') && line.includes('node '));
    assert.equal(yellow.length, 2);
    assert.match(yellow[0] ?? '', /node Tokyo is down: heard 12m 34s ago, no heartbeat came/);
    assert.match(yellow[1] ?? '', /the link to node Lima is broken: heard 1m 30s ago/);
    assert.ok(lines.some((line) => line.includes('nodes: 1 of 3 is heard')));
  });

  it('draws one yellow line a broken channel', () => {
    const names = ['ops', 'mail', 'chat'];
    const channels = names.map((name) => ({
      name,
      failing: name !== 'mail',
      consecutive_failures: 3,
      failing_for_secs: 90,
    }));
    const model = modelOf(summaryOf([monitorOf('a')], { channels }));
    const lines = drawn(stateWith(80, 24, { kind: 'read', model }), 'basic').split('\n');
    const yellow = lines.filter((line) => line.startsWith('\u001b[33m') && line.includes('is broken'));
    assert.deepEqual(
      yellow.map((line) => /channel (\w+)/.exec(line)?.[1]),
      ['ops', 'chat'],
    );
  });

  it('leaves no control code of anyone else on the terminal', () => {
    const evil = '\u001b]0;owned\u0007\u001b[2J\u009b31m\r\n\u202e\u0000x';
    const summary = troubled();
    const model = modelOf({
      ...summary,
      title: evil,
      overall_label: evil,
      monitors: summary.monitors.map((monitor) => ({
        ...monitor,
        name: evil + monitor.id,
        group: evil,
        last_error: evil,
        cause: evil,
        kind: evil,
        impacted: [evil],
      })),
      incidents: summary.incidents.map((incident) => ({
        ...incident,
        name: evil,
        error: evil,
        cause: evil,
        note: evil,
        impacted: [evil],
      })),
      announcements: [{ title: evil, body: evil, severity: evil, at: null, until: null }],
      maintenances: [{ title: evil, start: '2026-11-21T14:00:00Z', end: evil, monitors: [evil] }],
      channels: [{ name: evil, failing: true, consecutive_failures: 3, failing_for_secs: 1 }],
      groups: [{ name: evil, ids: ['api'] }],
    });
    const explanation = {
      headline: [evil],
      timeline: [
        { at: 0, kind: 'told' as const, channel: evil, event: evil, reason: evil, text: evil, times: 2 },
      ],
      messages: [],
      next: [evil],
    };
    const looked: Event = {
      kind: 'looked',
      detail: detailOf({
        explanation,
        channels: [evil],
        incidents: summary.incidents.map((one) => ({ ...one, error: evil, note: evil })),
      }),
    };
    const states = [
      stateWith(120, 200, { kind: 'read', model }),
      stateWith(120, 200, { kind: 'read', model }, command('group')),
      stateWith(120, 200, { kind: 'read', model }, command('open'), looked),
      stateWith(120, 200, { kind: 'read', model }, command('filter'), { kind: 'typed', text: evil }),
      stateWith(
        120,
        200,
        { kind: 'failed', trouble: evil },
        { kind: 'told', notice: { text: evil, tone: 'bad' } },
      ),
    ];
    for (const state of states)
      assert.doesNotMatch(drawn(state, 'none').replaceAll('\n', ''), /[\p{Cc}\u202e]/u);
  });

  it('keeps the data and says since when it could not be read', () => {
    const failed: Event = { kind: 'failed', trouble: 'https://example.com cannot be reached' };
    const later: Event = { kind: 'passed', nowAt: Date.UTC(2026, 10, 21, 14, 5, 54) };
    const text = drawn(stateWith(140, 24, read, failed, later), 'none');
    assert.match(text, /cannot be reached; read 45s ago/);
    assert.match(text, /Primary database/);
    assert.match(drawn(stateWith(120, 24, read, failed, read), 'none'), /checked 4s ago/);
  });

  it('builds its help from the keys', () => {
    const text = drawn(stateWith(80, 60, read, command('help')), 'none');
    assert.match(text, /\^Z +stop; fg goes on/);
    assert.match(text, /pagedown \^F space +one page down/);
  });
});
