/** The keys, as data: what each does where, and how help and the last line of the screen put it. */

/** A key as typed: one character, or the name of a key (`up`, `enter`, `ctrl-c`). */
export type Key = string;

export type Command =
  | 'up'
  | 'down'
  | 'pageUp'
  | 'pageDown'
  | 'first'
  | 'last'
  | 'open'
  | 'previous'
  | 'next'
  | 'back'
  | 'filter'
  | 'sort'
  | 'group'
  | 'silence'
  | 'announce'
  | 'annotate'
  | 'refresh'
  | 'redraw'
  | 'help'
  | 'suspend'
  | 'quit'
  | 'interrupt';

export type ScreenPlace = 'list' | 'detail' | 'help';

export interface Binding {
  readonly keys: readonly Key[];
  readonly command: Command;
  readonly on: readonly ScreenPlace[];
  /** What it does, in a few words. */
  readonly label: string;
  /** A word for the last line; null: only help names it. */
  readonly hint: string | null;
}

const all: readonly ScreenPlace[] = ['list', 'detail', 'help'];

export const keymap: readonly Binding[] = [
  { keys: ['up', 'k'], command: 'up', on: all, label: 'one line up', hint: null },
  { keys: ['down', 'j'], command: 'down', on: all, label: 'one line down', hint: null },
  { keys: ['pageup', 'ctrl-b'], command: 'pageUp', on: all, label: 'one page up', hint: null },
  { keys: ['pagedown', 'ctrl-f', ' '], command: 'pageDown', on: all, label: 'one page down', hint: null },
  { keys: ['home'], command: 'first', on: all, label: 'to the top', hint: null },
  { keys: ['end', 'G'], command: 'last', on: all, label: 'to the end', hint: null },
  { keys: ['enter', 'right'], command: 'open', on: ['list'], label: 'show the monitor', hint: 'detail' },
  { keys: ['p'], command: 'previous', on: ['detail'], label: 'the monitor before', hint: 'previous' },
  { keys: ['n'], command: 'next', on: ['detail'], label: 'the monitor after', hint: 'next' },
  {
    keys: ['escape', 'left', 'backspace'],
    command: 'back',
    on: all,
    label: 'back; in the list: end the filter',
    hint: null,
  },
  {
    keys: ['/'],
    command: 'filter',
    on: ['list'],
    label: 'filter by name, id, group, status',
    hint: 'filter',
  },
  { keys: ['s'], command: 'sort', on: ['list'], label: 'sort by the next figure', hint: 'sort' },
  { keys: ['g'], command: 'group', on: ['list'], label: 'by group, or all together', hint: 'group' },
  {
    keys: ['m'],
    command: 'silence',
    on: ['list', 'detail'],
    label: 'silence the monitor for a while',
    hint: 'silence',
  },
  {
    keys: ['b'],
    command: 'announce',
    on: ['list', 'detail'],
    label: 'pin a banner to the page',
    hint: 'banner',
  },
  {
    keys: ['a'],
    command: 'annotate',
    on: ['list', 'detail'],
    label: 'note on its last incident',
    hint: 'note',
  },
  { keys: ['r'], command: 'refresh', on: ['list', 'detail'], label: 'read again now', hint: null },
  { keys: ['ctrl-l'], command: 'redraw', on: all, label: 'draw the screen anew', hint: null },
  { keys: ['?', 'h'], command: 'help', on: all, label: 'this help', hint: 'help' },
  { keys: ['ctrl-z'], command: 'suspend', on: all, label: 'stop; fg goes on', hint: null },
  { keys: ['q'], command: 'quit', on: all, label: 'quit', hint: 'quit' },
  { keys: ['ctrl-c'], command: 'interrupt', on: all, label: 'quit as interrupted', hint: null },
];

/** What a key does in a place; null: nothing. */
export function commandOf(key: Key, place: ScreenPlace): Command | null {
  return keymap.find(({ keys, on }) => keys.includes(key) && on.includes(place))?.command ?? null;
}

/** What typing into the line at the bottom may do. */
export type LineEdit = 'submit' | 'cancel' | 'erase' | 'eraseAll' | 'interrupt';

export const editKeys: readonly {
  readonly keys: readonly Key[];
  readonly edit: LineEdit;
  readonly label: string;
}[] = [
  { keys: ['enter'], edit: 'submit', label: 'done' },
  { keys: ['escape'], edit: 'cancel', label: 'never mind' },
  { keys: ['backspace', 'delete'], edit: 'erase', label: 'take the last character back' },
  { keys: ['ctrl-u'], edit: 'eraseAll', label: 'start over' },
  { keys: ['ctrl-c'], edit: 'interrupt', label: 'quit as interrupted' },
];

export function editOf(key: Key): LineEdit | null {
  return editKeys.find(({ keys }) => keys.includes(key))?.edit ?? null;
}

/** How a key is written: `^L`, `space`. */
export function keyText(key: Key, arrows: { readonly up: string; readonly down: string }): string {
  if (key === ' ') return 'space';
  if (key === 'escape') return 'esc';
  if (key === 'up' || key === 'down') return arrows[key];
  return key.startsWith('ctrl-') ? `^${key.slice(5).toUpperCase()}` : key;
}
