/** The keys as data: what each does and where, and its texts in help and footer. */

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
  | 'range'
  | 'back'
  | 'filter'
  | 'sort'
  | 'reverse'
  | 'group'
  | 'silence'
  | 'unsilence'
  | 'announce'
  | 'unannounce'
  | 'acknowledge'
  | 'annotate'
  | 'update'
  | 'check'
  | 'copyId'
  | 'copyCurl'
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
const both: readonly ScreenPlace[] = ['list', 'detail'];

function binding(keys: readonly Key[], command: Command, rest: Omit<Binding, 'keys' | 'command'>): Binding {
  return { keys, command, ...rest };
}

export const keymap: readonly Binding[] = [
  binding(['up', 'k'], 'up', { on: all, label: 'one line up', hint: null }),
  binding(['down', 'j'], 'down', { on: all, label: 'one line down', hint: null }),
  binding(['pageup', 'ctrl-b'], 'pageUp', { on: all, label: 'one page up', hint: null }),
  binding(['pagedown', 'ctrl-f', ' '], 'pageDown', { on: all, label: 'one page down', hint: null }),
  binding(['home'], 'first', { on: all, label: 'to the top', hint: null }),
  binding(['end', 'G'], 'last', { on: all, label: 'to the end', hint: null }),
  binding(['enter', 'right'], 'open', {
    on: ['list'],
    label: 'show the monitor; fold or unfold the group',
    hint: 'detail',
  }),
  binding(['p'], 'previous', { on: ['detail'], label: 'the monitor before', hint: 'previous' }),
  binding(['n'], 'next', { on: ['detail'], label: 'the monitor after', hint: 'next' }),
  binding(['t'], 'range', { on: ['detail'], label: 'the chart of 1h, 6h, 24h, 7d or 90d', hint: 'range' }),
  binding(['escape', 'left', 'backspace'], 'back', {
    on: all,
    label: 'back; in the list: end the filter',
    hint: null,
  }),
  binding(['/'], 'filter', { on: ['list'], label: 'filter by name, id, group, status', hint: 'filter' }),
  binding(['s'], 'sort', { on: ['list'], label: 'sort by the next figure', hint: 'sort' }),
  binding(['S'], 'reverse', { on: ['list'], label: 'sort the other way round', hint: null }),
  binding(['g'], 'group', { on: ['list'], label: 'by group, or all together', hint: 'group' }),
  binding(['m'], 'silence', { on: both, label: 'silence the monitor for a while', hint: 'silence' }),
  binding(['M'], 'unsilence', { on: both, label: 'end the silence of the monitor', hint: null }),
  binding(['A'], 'acknowledge', {
    on: both,
    label: 'acknowledge its open incident; again: withdraw it',
    hint: 'ack',
  }),
  binding(['u'], 'update', { on: both, label: 'add an update to its open incident', hint: 'update' }),
  binding(['b'], 'announce', { on: both, label: 'pin a banner to the page', hint: 'banner' }),
  binding(['B'], 'unannounce', { on: both, label: 'end a banner', hint: null }),
  binding(['a'], 'annotate', { on: both, label: 'note on its last incident', hint: 'note' }),
  binding(['R'], 'check', { on: both, label: 'check the monitor now', hint: 'check' }),
  binding(['y'], 'copyId', { on: both, label: 'copy its id', hint: null }),
  binding(['c'], 'copyCurl', { on: both, label: 'copy a curl command for its target', hint: null }),
  binding(['r'], 'refresh', { on: both, label: 'read again now', hint: null }),
  binding(['ctrl-l'], 'redraw', { on: all, label: 'draw the screen anew', hint: null }),
  binding(['?', 'h'], 'help', { on: all, label: 'this help', hint: 'help' }),
  binding(['ctrl-z'], 'suspend', { on: all, label: 'stop; fg goes on', hint: null }),
  binding(['q'], 'quit', { on: all, label: 'quit', hint: 'quit' }),
  binding(['ctrl-c'], 'interrupt', { on: all, label: 'quit as interrupted', hint: null }),
];

/** What a key does in a place; null: nothing. */
export function commandOf(key: Key, place: ScreenPlace): Command | null {
  return keymap.find(({ keys, on }) => keys.includes(key) && on.includes(place))?.command ?? null;
}

/** What typing into the line at the bottom may do. */
export type LineEdit = 'submit' | 'cancel' | 'preset' | 'erase' | 'eraseAll' | 'interrupt';

export const editKeys: readonly {
  readonly keys: readonly Key[];
  readonly edit: LineEdit;
  readonly label: string;
}[] = [
  {
    keys: ['enter'],
    edit: 'submit',
    label: 'done; a banner is shown first, and published by a second enter',
  },
  { keys: ['escape'], edit: 'cancel', label: 'never mind' },
  { keys: ['tab'], edit: 'preset', label: 'the next of what is offered' },
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
  if (key === 'up' || key === 'down') return arrows[key] === 'v' || arrows[key] === '^' ? key : arrows[key];
  return key.startsWith('ctrl-') ? `^${key.slice(5).toUpperCase()}` : key;
}
