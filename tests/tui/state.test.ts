import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { effectOf } from '../../src/tui/effect.ts';
import { commandOf, keymap } from '../../src/tui/keys.ts';
import { cursorIn, regionsFor, seenIds, selectedId } from '../../src/tui/selection.ts';
import { reduce, type Event, type ScreenState } from '../../src/tui/state.ts';
import { liveOf, modelOf, monitorOf, stateWith, summaryOf, troubled } from './facts.ts';

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

const selected = selectedId;

function ids(state: ScreenState): readonly string[] {
  return state.rows.map((row) => (row.kind === 'monitor' ? row.monitor.id : `[${row.name ?? ''}]`));
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

  it('stays on the first row until a key moves it', () => {
    const state = stateWith(80, 24, read(3));
    assert.equal(selected(after(state, troubledRead)), 'api');
  });

  it('puts what fails because of another monitor below it, and nowhere else', () => {
    const monitors = [
      monitorOf('shop', { status: 'down', cause: 'db' }),
      monitorOf('mail', { status: 'down' }),
      monitorOf('db', { status: 'down', name: 'Database' }),
      monitorOf('web', { status: 'down', cause: 'gone' }),
    ];
    const state = stateWith(80, 24, { kind: 'read', model: modelOf(summaryOf(monitors)) });
    assert.deepEqual(ids(state), ['mail', 'db', 'shop', 'web']);
    assert.deepEqual(
      state.rows.map((row) => (row.kind === 'monitor' && row.isNested ? row.because : null)),
      [null, null, 'Database', null],
    );
    assert.deepEqual(ids(after(state, command('reverse'))), ['web', 'db', 'mail', 'shop']);
  });

  it('stays on the monitor that is open when that leaves the list, and says when there is none any more', () => {
    const reading = (...down: readonly string[]): Event => ({
      kind: 'read',
      model: modelOf(
        summaryOf(['a', 'b', 'c'].map((id) => monitorOf(id, { status: down.includes(id) ? 'down' : 'up' }))),
      ),
    });
    const filtered = stateWith(
      80,
      24,
      reading('a', 'b', 'c'),
      command('filter'),
      typed('down'),
      edit('submit'),
    );
    const open = after(filtered, command('down'), command('open'));
    assert.equal(selectedId(open), 'b');
    const recovered = after(open, reading('a', 'c'));
    assert.deepEqual(ids(recovered), ['a', 'c']);
    assert.equal(selectedId(recovered), 'b');
    assert.deepEqual(effectOf(recovered, command('check')), { kind: 'check', monitor: 'b' });
    assert.equal(selectedId(after(recovered, command('help'))), 'b');
    const gone = after(recovered, { kind: 'read', model: modelOf(summaryOf([monitorOf('a')])) });
    assert.equal(selectedId(gone), null);
    assert.equal(effectOf(gone, command('check')), null);
  });

  it('has the checks of what is on the screen seen, and of what is open instead of it', () => {
    const list = stateWith(80, 24, read(50), command('down'));
    assert.equal(seenIds(list).length, regionsFor(list).body);
    assert.deepEqual(seenIds(after(list, command('open'))), ['m1']);
    const beside = after(list, { kind: 'resized', size: { columns: 200, rows: 24 } }, command('open'));
    assert.ok(seenIds(beside).includes('m1') && seenIds(beside).length > 10);
    assert.equal(new Set(seenIds(beside)).size, seenIds(beside).length);
  });

  it('stays where it is in the list when the row under it leaves', () => {
    const reading = (...all: readonly string[]): Event => ({
      kind: 'read',
      model: modelOf(summaryOf(all.map((id) => monitorOf(id)))),
    });
    const state = after(stateWith(80, 24, reading('a', 'b', 'c', 'd')), command('down'), command('down'));
    assert.equal(selected(state), 'c');
    assert.equal(selected(after(state, reading('a', 'b', 'd'))), 'd');
    assert.equal(selected(after(state, reading('a', 'b'))), 'b');
    assert.equal(selected(after(state, reading())), null);
    assert.equal(selected(after(state, command('filter'), typed('x'), edit('cancel'))), 'c');
  });

  it('puts a chain of causes below its end, and loses nobody where they cause each other', () => {
    const failing = (causes: Readonly<Record<string, string | null>>) => {
      const monitors = Object.entries(causes).map(([id, cause]) => monitorOf(id, { status: 'down', cause }));
      const state = stateWith(80, 24, { kind: 'read', model: modelOf(summaryOf(monitors)) });
      return state.rows.flatMap((row) =>
        row.kind === 'monitor' ? [`${row.isNested ? '> ' : ''}${row.monitor.id}`] : [],
      );
    };
    assert.deepEqual(failing({ shop: 'api', api: 'db', db: null, mail: null }), [
      'db',
      '> shop',
      '> api',
      'mail',
    ]);
    assert.deepEqual(failing({ a: 'b', b: 'a', c: 'a', d: 'd' }), ['a', 'b', 'c', 'd']);
  });

  it('sorts the groups by the worst of their monitors where the worst comes first', () => {
    const grouped = after(stateWith(80, 24, troubledRead), command('group'));
    assert.deepEqual(
      ids(grouped).filter((id) => id.startsWith('[')),
      ['[Core]', '[]', '[Edge]'],
    );
    assert.deepEqual(
      ids(after(grouped, command('reverse'))).filter((id) => id.startsWith('[')),
      ['[Edge]', '[]', '[Core]'],
    );
  });

  it('folds a group under the cursor, and unfolds it', () => {
    const grouped = after(stateWith(80, 24, troubledRead), command('group'), command('first'));
    assert.equal(grouped.rows[cursorIn(grouped)]?.kind, 'group');
    const folded = after(grouped, command('open'));
    assert.deepEqual(ids(folded).slice(0, 2), ['[Core]', '[]']);
    assert.equal(folded.place, 'list');
    assert.deepEqual(ids(after(folded, command('open'))), ids(grouped));
  });

  it('has no cursor, and accepts every key, without a monitor', () => {
    const state = stateWith(80, 24, read(0));
    for (const { command: name } of keymap) assert.equal(selected(after(state, command(name))), null);
    for (const { command: name } of keymap)
      assert.doesNotThrow(() => after(stateWith(80, 24), command(name)));
  });

  it('groups in the order of the summary as configured, what is in no group last', () => {
    const grouped = after(stateWith(80, 24, troubledRead), command('group'), command('sort'));
    assert.deepEqual(ids(grouped), [
      '[Core]',
      'db',
      'api',
      'search',
      '[Edge]',
      'web',
      'kyoto',
      '[]',
      'mail',
      'backup',
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

  it('can be mended when it was refused, unless something else is typed by then', () => {
    const asked = after(asking('silence'), typed('soon'));
    const notice = { text: 'that is no duration', tone: 'bad' } as const;
    const told = { kind: 'told', notice, refused: asked.prompt } as const;
    const refused = after(asked, edit('submit'), told);
    assert.deepEqual([refused.prompt?.text, refused.prompt?.trouble], ['soon', notice.text]);
    const mended = after(refused, edit('erase'));
    assert.deepEqual([mended.prompt?.text, mended.prompt?.trouble], ['soo', undefined]);
    const meanwhile = after(asked, edit('submit'), command('announce'), told);
    assert.deepEqual([meanwhile.prompt?.kind, meanwhile.notice], ['announce', notice]);
    assert.equal(after(asked, edit('submit'), { kind: 'told', notice }).prompt, null);
    const low = after(stateWith(80, 8, troubledRead, command('silence')), typed('soon'));
    const said = after(low, edit('submit'), { kind: 'told', notice, refused: low.prompt });
    assert.deepEqual([said.prompt, said.notice], [null, notice]);
  });

  it('is the banner, after it was seen as it will be', () => {
    const written = after(asking('announce'), typed(' slow '));
    assert.equal(effectOf(written, edit('submit')), null);
    const seen = after(written, edit('submit'));
    assert.equal(seen.prompt?.isConfirming, true);
    assert.deepEqual(effectOf(seen, edit('submit')), { kind: 'announce', text: 'slow' });
    assert.equal(after(seen, edit('submit')).prompt, null);
    assert.equal(after(seen, edit('cancel')).prompt?.isConfirming, false);
    assert.equal(after(seen, typed('!')).prompt?.isConfirming, false);
  });

  it('is the update of the open incident, and nothing where none is open', () => {
    const asked = stateWith(80, 24, troubledRead, command('update'));
    assert.deepEqual(effectOf(after(asked, typed('identified: a disk')), edit('submit')), {
      kind: 'update',
      incident: 'k3jd8s2a',
      text: 'identified: a disk',
    });
    const none = stateWith(80, 24, troubledRead, command('last'), command('update'));
    assert.equal(none.prompt, null);
    assert.match(none.notice?.text ?? '', /no incident of mail is open/);
  });

  it('is the acknowledgement of its open incident, by who is logged in unless another name is typed', () => {
    const ann = { ...stateWith(80, 24, troubledRead), author: 'ann' };
    const asked = after(ann, command('acknowledge'));
    assert.equal(asked.prompt?.text, '@ann ');
    const acknowledge = { kind: 'acknowledge', incident: 'k3jd8s2a' } as const;
    assert.deepEqual(effectOf(asked, edit('submit')), { ...acknowledge, text: '@ann' });
    assert.equal(after(asked, edit('submit')).prompt, null);
    assert.equal(effectOf(after(asked, edit('cancel')), edit('submit')), null);
    const typedOver = after(asked, edit('eraseAll'), typed('@bob restarting it'));
    assert.deepEqual(effectOf(typedOver, edit('submit')), { ...acknowledge, text: '@bob restarting it' });
    const nobody = after(stateWith(80, 24, troubledRead), command('acknowledge'));
    assert.deepEqual(effectOf(nobody, edit('submit')), { ...acknowledge, text: '' });
  });

  it('takes an acknowledgement back after a question, and is nothing where no incident is open', () => {
    const [incident] = troubled().incidents;
    assert.ok(incident !== undefined);
    const acknowledged = { at: '2026-11-21T14:00:00Z', by: 'ann', reason: null };
    const summary = { ...troubled(), incidents: [{ ...incident, acknowledged }] };
    const asked = stateWith(80, 24, { kind: 'read', model: modelOf(summary) }, command('acknowledge'));
    assert.equal(after(asked, typed('x')).prompt?.text, '');
    assert.deepEqual(effectOf(asked, edit('submit')), { kind: 'unacknowledge', incident: 'k3jd8s2a' });
    const none = stateWith(80, 24, troubledRead, command('last'), command('acknowledge'));
    assert.equal(none.prompt, null);
    assert.match(none.notice?.text ?? '', /no incident of mail is open/);
  });

  it('is the end of the silence that names the monitor', () => {
    const known = after(stateWith(80, 24, troubledRead), { kind: 'glanced', live: liveOf(troubled()) });
    const asked = after({ ...known, selectedKey: 'web' }, command('unsilence'));
    assert.deepEqual(effectOf(asked, edit('submit')), { kind: 'unsilence', id: 3 });
    const none = after({ ...known, selectedKey: 'db' }, command('unsilence'));
    assert.match(none.notice?.text ?? '', /no silence names db/);
  });

  it('is a copy of the id, or of a command that asks the target', () => {
    const state = after(stateWith(80, 24, troubledRead), { kind: 'glanced', live: liveOf(troubled()) });
    assert.deepEqual(effectOf(state, command('copyId')), { kind: 'copy', text: 'api' });
    const text = "curl -sSi 'https://api.example.com/'";
    assert.deepEqual(effectOf(state, command('copyCurl')), { kind: 'copy', text });
    assert.equal(effectOf(stateWith(80, 24, troubledRead), command('copyCurl')), null);
  });

  it('takes what Tab offers in front of what was typed', () => {
    const state = after(asking('silence'), typed('the deploy'), edit('preset'));
    assert.equal(state.prompt?.text, '15m the deploy');
    assert.equal(after(state, edit('preset')).prompt?.text, '1h the deploy');
  });

  it('is the note likewise', () => {
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

describe('the end of a banner', () => {
  const banners = modelOf({
    ...troubled(),
    announcements: [
      { id: 4, title: 'Slow today', body: null, severity: 'warning', at: null, until: null },
      { id: null, title: 'Configured', body: null, severity: 'info', at: null, until: null },
      { id: 2, title: 'New address', body: null, severity: 'info', at: null, until: null },
    ],
  });

  it('is asked for before it is done, of one after the other', () => {
    const state = after(stateWith(80, 24, { kind: 'read', model: banners }), command('unannounce'));
    assert.equal(state.prompt?.subject, '4');
    assert.deepEqual(effectOf(state, edit('submit')), { kind: 'unannounce', id: 4 });
    const other = after(state, edit('preset'), typed('x'));
    assert.deepEqual(effectOf(other, edit('submit')), { kind: 'unannounce', id: 2 });
    assert.equal(after(other, edit('preset')).prompt?.subject, '4');
    const left = after(state, edit('cancel'));
    assert.equal(left.prompt, null);
  });

  it('is not offered where none can be ended here', () => {
    const state = after(stateWith(80, 24, troubledRead), command('unannounce'));
    assert.equal(state.prompt, null);
    assert.equal(state.notice?.text, 'no banner is up that can be ended here');
  });
});

describe('a check out of turn', () => {
  it('is of the monitor under the cursor', () => {
    const state = stateWith(80, 24, troubledRead);
    assert.deepEqual(effectOf(state, command('check')), { kind: 'check', monitor: 'api' });
  });
});
