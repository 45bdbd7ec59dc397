import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { effectOf } from '../../src/tui/effect.ts';
import { commandOf, keymap } from '../../src/tui/keys.ts';
import {
  currentRows,
  reduce,
  regionsFor,
  selectedIn,
  type Event,
  type ScreenState,
} from '../../src/tui/state.ts';
import { modelOf, monitorOf, stateWith, summaryOf, troubled } from './facts.ts';

const command = (name: Extract<Event, { kind: 'command' }>['command']): Event => ({
  kind: 'command',
  command: name,
});
const typed = (text: string): Event => ({ kind: 'typed', text });
const edit = (name: Extract<Event, { kind: 'edit' }>['edit']): Event => ({ kind: 'edit', edit: name });
const read = (count: number): Event => ({
  kind: 'read',
  model: modelOf(summaryOf(Array.from({ length: count }, (_, index) => monitorOf(`m${index}`)))),
});
const troubledRead: Event = { kind: 'read', model: modelOf(troubled()) };

function after(state: ScreenState, ...events: readonly Event[]): ScreenState {
  return events.reduce(reduce, state);
}

function selected(state: ScreenState): string | null {
  return selectedIn(currentRows(state), state.selectedId);
}

function ids(state: ScreenState): readonly string[] {
  return currentRows(state).map((row) => (row.kind === 'monitor' ? row.monitor.id : `[${row.name ?? ''}]`));
}

describe('the list', () => {
  it('shows the worst first', () => {
    assert.deepEqual(ids(stateWith(80, 24, troubledRead)).slice(0, 3), ['api', 'search', 'backup']);
  });

  it('keeps the cursor on the screen whatever is typed', () => {
    let state = stateWith(80, 12, read(100));
    for (const name of [
      'last',
      'pageUp',
      'up',
      'first',
      'pageDown',
      'down',
      'last',
      'first',
      'up',
    ] as const) {
      state = after(state, command(name));
      const index = ids(state).indexOf(selected(state) ?? '');
      assert.ok(index >= state.top && index < state.top + regionsFor(state).body, name);
    }
    assert.equal(selected(state), 'm0');
  });

  it('moves the page by one line at its end, not by a page', () => {
    const state = stateWith(80, 12, read(100));
    const { body } = regionsFor(state);
    const down = Array.from({ length: body }, () => command('down'));
    assert.equal(after(state, ...down).top, 1);
  });

  it('stays on a monitor when the order changes', () => {
    const state = stateWith(80, 24, troubledRead, command('down'));
    assert.equal(selected(state), 'search');
    assert.equal(selected(after(state, command('sort'), command('group'))), 'search');
  });

  it('stays on the first row until somebody moves', () => {
    const state = stateWith(80, 24, read(3));
    assert.equal(selected(after(state, troubledRead)), 'api');
  });

  it('has no cursor, and bears every key, without a monitor', () => {
    const state = stateWith(80, 24, read(0));
    for (const { command: name } of keymap) assert.equal(selected(after(state, command(name))), null);
    for (const { command: name } of keymap)
      assert.doesNotThrow(() => after(stateWith(80, 24), command(name)));
  });

  it('groups in the order of the summary, what is in no group last', () => {
    const grouped = after(stateWith(80, 24, troubledRead), command('group'));
    assert.deepEqual(ids(grouped), [
      '[Core]',
      'api',
      'search',
      'db',
      '[Edge]',
      'web',
      'kyoto',
      '[]',
      'backup',
      'mail',
    ]);
  });

  it('comes back to where it was after a turn through all orders', () => {
    const state = stateWith(80, 24, troubledRead);
    const orders = new Set<string>();
    let turned = state;
    do {
      orders.add(ids(turned).join());
      turned = after(turned, command('sort'));
    } while (turned.sort !== state.sort);
    assert.ok(orders.size >= 4);
  });
});

describe('the filter', () => {
  const filtering = stateWith(80, 24, troubledRead, command('filter'));

  it('is felt with every character', () => {
    assert.deepEqual(ids(after(filtering, typed('c'), typed('ore'), typed(' db'))), ['db']);
    assert.deepEqual(ids(after(filtering, typed('DOWN'))), ['api']);
  });

  it('takes a character back as a reader sees it', () => {
    assert.equal(after(filtering, typed('e\u0301x'), edit('erase'), edit('erase')).filter, '');
    assert.equal(after(filtering, typed('abc'), edit('eraseAll')).filter, '');
  });

  it('stays with Enter, and ends with Escape', () => {
    const kept = after(filtering, typed('core'), edit('submit'));
    assert.equal(kept.prompt, null);
    assert.equal(kept.filter, 'core');
    assert.equal(after(kept, command('back')).filter, '');
    assert.equal(after(filtering, typed('core'), edit('cancel')).filter, '');
  });
});

describe('what is done outside', () => {
  const asking = (name: 'silence' | 'announce' | 'annotate') =>
    stateWith(80, 24, troubledRead, command(name));

  it('is the silence that was typed, for the monitor under the cursor', () => {
    const state = after(asking('silence'), typed('1h deploy'));
    assert.deepEqual(effectOf(state, edit('submit')), { kind: 'silence', monitor: 'api', text: '1h deploy' });
    assert.equal(reduce(state, edit('submit')).prompt, null);
  });

  it('is the banner and the note likewise', () => {
    assert.deepEqual(effectOf(after(asking('announce'), typed(' slow ')), edit('submit')), {
      kind: 'announce',
      text: 'slow',
    });
    assert.deepEqual(effectOf(after(asking('annotate'), typed('why')), edit('submit')), {
      kind: 'annotate',
      monitor: 'api',
      text: 'why',
    });
  });

  it('is nothing when nothing was typed, or it was cancelled', () => {
    assert.equal(effectOf(asking('silence'), edit('submit')), null);
    assert.equal(effectOf(after(asking('silence'), typed('1h')), edit('cancel')), null);
    assert.equal(
      effectOf(stateWith(80, 24, troubledRead, command('filter'), typed('x')), edit('submit')),
      null,
    );
  });

  it('is quitting and the like, without a question', () => {
    for (const kind of ['quit', 'interrupt', 'suspend', 'refresh', 'redraw'] as const) {
      assert.deepEqual(effectOf(stateWith(80, 24), command(kind)), { kind });
    }
    assert.equal(effectOf(stateWith(80, 24), command('sort')), null);
  });
});

describe('the detail and the help', () => {
  const detail = stateWith(80, 24, troubledRead, command('open'));

  it('scroll no further than there is something', () => {
    const scrolled = after(detail, { kind: 'drawn', mostScroll: 5 }, command('last'));
    assert.equal(scrolled.scroll, 5);
    assert.equal(after(scrolled, { kind: 'drawn', mostScroll: 2 }).scroll, 2);
    assert.equal(after(scrolled, command('first')).scroll, 0);
  });

  it('go from monitor to monitor in the order of the list', () => {
    assert.equal(selected(after(detail, command('next'))), 'search');
    assert.equal(selected(after(detail, command('next'), command('previous'))), 'api');
  });

  it('go back to where they were opened', () => {
    assert.equal(after(detail, command('help'), command('back')).place, 'detail');
    assert.equal(after(detail, command('help'), command('help')).place, 'detail');
    assert.equal(after(detail, command('back')).place, 'list');
  });
});

describe('the keys', () => {
  it('do one thing in one place', () => {
    for (const place of ['list', 'detail', 'help'] as const) {
      const keys = keymap.filter(({ on }) => on.includes(place)).flatMap((binding) => binding.keys);
      assert.deepEqual(keys.toSorted(), [...new Set(keys)].toSorted());
    }
  });

  it('do nothing where they are not meant', () => {
    assert.equal(commandOf('n', 'list'), null);
    assert.equal(commandOf('n', 'detail'), 'next');
    assert.equal(commandOf('Z', 'list'), null);
  });
});
