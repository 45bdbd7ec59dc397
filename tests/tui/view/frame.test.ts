import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { textOf, type Colours } from '../../../src/tui/theme.ts';
import type { Event, ScreenState } from '../../../src/tui/state.ts';
import { drawFrame } from '../../../src/tui/view/frame.ts';
import { assertGolden } from '../../support/golden.ts';
import { detailOf, lookOf, modelOf, monitorOf, stateWith, summaryOf, troubled } from '../facts.ts';

const read: Event = { kind: 'read', model: modelOf(troubled()) };
const command = (name: Extract<Event, { kind: 'command' }>['command']): Event => ({
  kind: 'command',
  command: name,
});

function drawn(state: ScreenState, colours: Colours, isUnicode = true): string {
  const { theme, pen } = lookOf(colours, isUnicode);
  return drawFrame(state, pen)
    .lines.map((line) => `${theme.paint(line).trimEnd()}\n`)
    .join('');
}

const looks = [
  ['none', true],
  ['none', false],
  ['basic', true],
  ['many', true],
] as const;

const places: Readonly<Record<string, readonly Event[]>> = {
  list: [],
  grouped: [command('group'), command('down')],
  detail: [command('open'), { kind: 'looked', detail: detailOf() }],
};

describe('the screen', () => {
  for (const columns of [60, 80, 120, 200]) {
    for (const [colours, isUnicode] of looks) {
      const name = `${columns}-${isUnicode ? colours : 'ascii'}`;
      it(`is what it should be with ${name}`, () => {
        const texts = Object.entries(places).map(
          ([place, events]) =>
            `== ${place}\n${drawn(stateWith(columns, 30, read, ...events), colours, isUnicode)}`,
        );
        // Escapes are spelled out, so that a reader of the file sees them.
        assertGolden(
          new URL(`golden/${name}.txt`, import.meta.url),
          texts.join('').replaceAll('\u001b', '^['),
        );
      });
    }
  }

  it('has exactly as many lines as the terminal, none wider than it, in any size', () => {
    const { pen } = lookOf();
    for (const events of Object.values(places)) {
      for (const columns of [10, 23, 40, 60, 61, 80, 101, 140, 220]) {
        for (const rows of [1, 2, 5, 9, 20, 24, 60]) {
          const { lines } = drawFrame(stateWith(columns, rows, read, ...events), pen);
          assert.equal(lines.length, rows);
          for (const line of lines) assert.ok(pen.cells.measure(textOf(line)) <= columns, textOf(line));
        }
      }
    }
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

  it('leaves no control code of anybody else on the terminal', () => {
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
    const text = drawn(stateWith(120, 24, read, failed, later), 'none');
    assert.match(text, /cannot be reached; read 45s ago/);
    assert.match(text, /Primary database/);
    assert.match(drawn(stateWith(120, 24, read, failed, read), 'none'), /data 4s old/);
  });

  it('builds its help from the keys', () => {
    const text = drawn(stateWith(80, 60, read, command('help')), 'none');
    assert.match(text, /\^Z +stop; fg goes on/);
    assert.match(text, /pagedown \^F space +one page down/);
  });
});
