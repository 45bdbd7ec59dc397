/** What the terminal view remembers, and how everything that happens changes it. */
import { regionsOf, scrolledTo, type Regions } from './layout/regions.ts';
import type { Command, LineEdit, ScreenPlace } from './keys.ts';
import type { Detail, Model } from './model.ts';
import { bannersOf, ownTroubles, type HeaderNotice } from './notices.ts';
import { rowsOf, sorts, type RowChoice, type TableRow } from './rows.ts';

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** A line that is being typed at the bottom of the screen. */
export interface Prompt {
  readonly kind: 'filter' | 'silence' | 'announce' | 'annotate';
  readonly text: string;
  /** The monitor it is about; null: none in particular. */
  readonly monitor: string | null;
}

export interface ScreenState extends RowChoice {
  readonly size: Size;
  readonly nowAt: number;
  /** Null: nothing was read yet. */
  readonly model: Model | null;
  /** Why the last reading failed; null: it did not. */
  readonly trouble: string | null;
  readonly place: ScreenPlace;
  /** Where help goes back to. */
  readonly placeBefore: Exclude<ScreenPlace, 'help'>;
  /** Null: the first row. */
  readonly selectedId: string | null;
  /** The first row on the screen. */
  readonly top: number;
  readonly detail: Detail | null;
  /** The first line of the detail or the help on the screen, and the last it can be. */
  readonly scroll: number;
  readonly mostScroll: number;
  readonly prompt: Prompt | null;
  /** What came of the last thing that was done. */
  readonly notice: HeaderNotice | null;
}

export type Event =
  | { readonly kind: 'read'; readonly model: Model }
  | { readonly kind: 'failed'; readonly trouble: string }
  | { readonly kind: 'looked'; readonly detail: Detail }
  | { readonly kind: 'passed'; readonly nowAt: number }
  | { readonly kind: 'resized'; readonly size: Size }
  | { readonly kind: 'drawn'; readonly mostScroll: number }
  | { readonly kind: 'told'; readonly notice: HeaderNotice }
  | { readonly kind: 'command'; readonly command: Command }
  | { readonly kind: 'typed'; readonly text: string }
  | { readonly kind: 'edit'; readonly edit: LineEdit };

export function initialState(size: Size, nowAt: number): ScreenState {
  return {
    size,
    nowAt,
    model: null,
    trouble: null,
    place: 'list',
    placeBefore: 'list',
    filter: '',
    sort: 'status',
    isGrouped: false,
    selectedId: null,
    top: 0,
    detail: null,
    scroll: 0,
    mostScroll: 0,
    prompt: null,
    notice: null,
  };
}

export function reduce(state: ScreenState, event: Event): ScreenState {
  switch (event.kind) {
    case 'read':
      return settled({ ...state, model: event.model, trouble: null });
    case 'failed':
      return { ...state, trouble: event.trouble };
    case 'looked':
      return { ...state, detail: event.detail };
    case 'passed':
      return { ...state, nowAt: event.nowAt };
    case 'resized':
      return settled({ ...state, size: event.size });
    case 'drawn':
      return drawn(state, event.mostScroll);
    case 'told':
      return { ...state, notice: event.notice };
    case 'command':
      return settled(commanded({ ...state, notice: null }, event.command));
    case 'typed':
      return typed(state, (text) => text + event.text);
    case 'edit':
      return edited(state, event.edit);
  }
}

export function currentRows({ model, ...choice }: ScreenState): readonly TableRow[] {
  return model === null ? [] : rowsOf(model.summary, choice);
}

/** The monitor the cursor stands on: the one it was put on, else the first. */
export function selectedIn(rows: readonly TableRow[], selectedId: string | null): string | null {
  let first: string | null = null;
  for (const row of rows) {
    if (row.kind !== 'monitor') continue;
    if (row.monitor.id === selectedId) return selectedId;
    first ??= row.monitor.id;
  }
  return first;
}

export function regionsFor({ model, size }: ScreenState): Regions {
  return regionsOf({
    rows: size.rows,
    banners: model === null ? 0 : bannersOf(model.summary).length,
    channels: model === null ? 0 : ownTroubles(model.summary).length,
    incidents: model?.summary.incidents.length ?? 0,
  });
}

function drawn(state: ScreenState, mostScroll: number): ScreenState {
  const scroll = Math.min(state.scroll, mostScroll);
  return state.mostScroll === mostScroll && state.scroll === scroll
    ? state
    : { ...state, mostScroll, scroll };
}

/** Keeps the cursor on the screen. */
function settled(state: ScreenState): ScreenState {
  const rows = currentRows(state);
  const selected = selectedIn(rows, state.selectedId);
  const index = rows.findIndex((row) => row.kind === 'monitor' && row.monitor.id === selected);
  // The heading of the first group is seen with its first monitor.
  const wanted = index === 1 && rows[0]?.kind === 'group' ? 0 : Math.max(0, index);
  const top = scrolledTo(wanted, state.top, { body: regionsFor(state).body, count: rows.length });
  return top === state.top ? state : { ...state, top };
}

function commanded(state: ScreenState, command: Command): ScreenState {
  switch (command) {
    case 'up':
    case 'down':
    case 'pageUp':
    case 'pageDown':
    case 'first':
    case 'last':
      return state.place === 'list'
        ? moved(state, stepOf(command, regionsFor(state).body))
        : scrolled(state, stepOf(command, Math.max(1, state.size.rows - 4)));
    case 'previous':
      return shown(moved(state, -1));
    case 'next':
      return shown(moved(state, 1));
    case 'open':
      return currentRows(state).length === 0 ? state : shown(state);
    case 'back':
      return back(state);
    case 'help':
      return state.place === 'help'
        ? back(state)
        : { ...state, place: 'help', placeBefore: state.place, scroll: 0 };
    case 'sort':
      return { ...state, sort: sorts[(sorts.indexOf(state.sort) + 1) % sorts.length] ?? 'status' };
    case 'group':
      return { ...state, isGrouped: !state.isGrouped };
    case 'filter':
      return { ...state, prompt: { kind: 'filter', text: state.filter, monitor: null } };
    case 'silence':
    case 'announce':
    case 'annotate':
      return prompted(state, command);
    case 'refresh':
    case 'redraw':
    case 'suspend':
    case 'quit':
    case 'interrupt':
      return state;
  }
}

type Step = 'up' | 'down' | 'pageUp' | 'pageDown' | 'first' | 'last';

function stepOf(command: Step, page: number): number {
  const steps = { up: -1, down: 1, pageUp: -page, pageDown: page, first: -Infinity, last: Infinity };
  return steps[command];
}

function moved(state: ScreenState, by: number): ScreenState {
  const ids = currentRows(state).flatMap((row) => (row.kind === 'monitor' ? [row.monitor.id] : []));
  const from = Math.max(0, ids.indexOf(state.selectedId ?? ''));
  const id = ids[Math.min(ids.length - 1, Math.max(0, from + by))];
  return id === undefined ? state : { ...state, selectedId: id };
}

function scrolled(state: ScreenState, by: number): ScreenState {
  return { ...state, scroll: Math.min(state.mostScroll, Math.max(0, state.scroll + by)) };
}

/** The cursor stays on what is shown, also when the order changes meanwhile. */
function shown(state: ScreenState): ScreenState {
  const selectedId = selectedIn(currentRows(state), state.selectedId);
  return { ...state, selectedId, place: 'detail', scroll: 0 };
}

function back(state: ScreenState): ScreenState {
  if (state.place === 'help') return { ...state, place: state.placeBefore, scroll: 0 };
  if (state.place === 'detail') return { ...state, place: 'list' };
  return { ...state, filter: '' };
}

function prompted(state: ScreenState, kind: 'silence' | 'announce' | 'annotate'): ScreenState {
  const monitor = selectedIn(currentRows(state), state.selectedId);
  if (kind !== 'announce' && monitor === null) return state;
  return { ...state, prompt: { kind, text: '', monitor: kind === 'announce' ? null : monitor } };
}

const maxTyped = 500;

/** A filter is felt with every character. */
function typed(state: ScreenState, change: (text: string) => string): ScreenState {
  if (state.prompt === null) return state;
  const text = change(state.prompt.text).slice(0, maxTyped);
  const prompt = { ...state.prompt, text };
  return prompt.kind === 'filter' ? settled({ ...state, prompt, filter: text }) : { ...state, prompt };
}

function edited(state: ScreenState, lineEdit: LineEdit): ScreenState {
  switch (lineEdit) {
    case 'erase':
      return typed(state, withoutLast);
    case 'eraseAll':
      return typed(state, () => '');
    case 'submit':
      return { ...state, prompt: null };
    case 'cancel': {
      const filter = state.prompt?.kind === 'filter' ? '' : state.filter;
      return settled({ ...state, prompt: null, filter });
    }
    case 'interrupt':
      return state;
  }
}

function withoutLast(text: string): string {
  return [...new Intl.Segmenter().segment(text)]
    .slice(0, -1)
    .map(({ segment }) => segment)
    .join('');
}
