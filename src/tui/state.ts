/** The reducer of the terminal view: how each action changes its state. */
import type { LiveView } from '../engine/views/live.ts';
import type { Command, LineEdit } from './keys.ts';
import { scrolledTo } from './layout/regions.ts';
import type { DaemonState, Detail, Model } from './model.ts';
import type { HeaderNotice } from './notices.ts';
import { isQuestion, needsConfirming, nextBanner, openedPrompt, type Prompt, withPreset } from './prompt.ts';
import { allRows, keyOfRow, rowsOf, sorts } from './rows.ts';
import { cursorIn, dialogLines, keptCursor, regionsFor, selectedId } from './selection.ts';
import type { ScreenState, Size } from './screen-state.ts';
import { wantsOf } from './table-wants.ts';

export type { ScreenState, Size } from './screen-state.ts';

/** How far back a chart goes, in hours. */
export const ranges = [1, 6, 24, 168, 2160] as const;

export type Event =
  | { readonly kind: 'read'; readonly model: Model }
  | { readonly kind: 'failed'; readonly trouble: string }
  | { readonly kind: 'looked'; readonly detail: Detail }
  | { readonly kind: 'glanced'; readonly live: LiveView }
  | { readonly kind: 'daemon'; readonly daemon: DaemonState }
  | { readonly kind: 'passed'; readonly nowAt: number }
  | { readonly kind: 'resized'; readonly size: Size }
  | { readonly kind: 'drawn'; readonly mostScroll: number }
  | {
      readonly kind: 'told';
      readonly notice: HeaderNotice;
      /** What was typed and refused, to be mended; absent: nothing was. */
      readonly refused?: Prompt | null;
    }
  | { readonly kind: 'command'; readonly command: Command }
  | { readonly kind: 'picked'; readonly key: string }
  | { readonly kind: 'typed'; readonly text: string }
  | { readonly kind: 'edit'; readonly edit: LineEdit };

export function initialState(size: Size, nowAt: number, author: string | null = null): ScreenState {
  return {
    ...allRows,
    size,
    nowAt,
    author,
    model: null,
    live: null,
    glances: new Map(),
    daemon: 'unknown',
    trouble: null,
    wants: { nameWidth: 0, noteWidth: 0, hasSlo: false },
    rows: [],
    place: 'list',
    placeBefore: 'list',
    selectedKey: null,
    top: 0,
    detail: null,
    hours: 24,
    scroll: 0,
    mostScroll: 0,
    prompt: null,
    notice: null,
  };
}

export function reduce(state: ScreenState, event: Event): ScreenState {
  const next = changed(state, event);
  const { model, filter, sort, isReversed, isGrouped, folded } = next;
  const isSame =
    model === state.model &&
    filter === state.filter &&
    sort === state.sort &&
    isReversed === state.isReversed &&
    isGrouped === state.isGrouped &&
    folded === state.folded;
  if (isSame) return settled(next);
  const rows = model === null ? [] : rowsOf(model.summary, next);
  const selectedKey = event.kind === 'read' ? keptCursor(state, rows) : next.selectedKey;
  return settled({ ...next, rows, selectedKey });
}

function changed(state: ScreenState, event: Event): ScreenState {
  switch (event.kind) {
    case 'read':
      return { ...state, model: event.model, wants: wantsOf(event.model.summary), trouble: null };
    case 'failed':
      return { ...state, trouble: event.trouble };
    case 'looked':
      return { ...state, detail: event.detail };
    case 'glanced': {
      const glances = new Map(state.glances);
      for (const one of event.live.monitors) glances.set(one.id, one);
      return { ...state, live: event.live, glances };
    }
    case 'daemon':
      return { ...state, daemon: event.daemon };
    case 'passed':
      return { ...state, nowAt: event.nowAt };
    case 'resized':
      return { ...state, size: event.size };
    case 'drawn': {
      const { mostScroll } = event;
      return { ...state, mostScroll, scroll: Math.min(state.scroll, mostScroll) };
    }
    case 'told':
      return told(state, event.notice, event.refused ?? null);
    case 'command':
      return commanded({ ...state, notice: null }, event.command);
    case 'picked':
      return { ...state, selectedKey: event.key, scroll: 0, notice: null };
    case 'typed':
      return typed(state, (text) => text + event.text);
    case 'edit':
      return edited(state, event.edit);
  }
}

/** Keeps the cursor on the screen. */
function settled(state: ScreenState): ScreenState {
  const index = cursorIn(state);
  // The heading of the first group is seen with its first monitor.
  const wanted = index === 1 && state.rows[0]?.kind === 'group' ? 0 : Math.max(0, index);
  const view = { body: regionsFor(state).body, count: state.rows.length };
  const top = scrolledTo(wanted, state.top, view);
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
        : scrolled(state, stepOf(command, Math.max(1, state.size.rows - 6)));
    case 'previous':
      return shown(movedToMonitor(state, -1));
    case 'next':
      return shown(movedToMonitor(state, 1));
    case 'range':
      return {
        ...state,
        hours: ranges[(ranges.findIndex((one) => one === state.hours) + 1) % ranges.length] ?? 24,
      };
    case 'open':
      return opened(state);
    case 'back':
      return back(state);
    case 'help':
      return state.place === 'help'
        ? back(state)
        : { ...state, place: 'help', placeBefore: state.place, scroll: 0 };
    case 'sort':
      return { ...state, sort: sorts[(sorts.indexOf(state.sort) + 1) % sorts.length] ?? 'status' };
    case 'reverse':
      return { ...state, isReversed: !state.isReversed };
    case 'group':
      return { ...state, isGrouped: !state.isGrouped };
    case 'filter':
    case 'silence':
    case 'unsilence':
    case 'announce':
    case 'unannounce':
    case 'acknowledge':
    case 'annotate':
    case 'update':
      return { ...state, ...openedPrompt(command, { ...state, monitor: selectedId(state) }) };
    case 'copyId':
    case 'copyCurl':
    case 'check':
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
  const { rows } = state;
  const row = rows[Math.min(rows.length - 1, Math.max(0, cursorIn(state) + by))];
  return row === undefined ? state : { ...state, selectedKey: keyOfRow(row) };
}

function movedToMonitor(state: ScreenState, by: 1 | -1): ScreenState {
  const { rows } = state;
  for (let index = cursorIn(state) + by; index >= 0 && index < rows.length; index += by) {
    const row = rows[index];
    if (row?.kind === 'monitor') return { ...state, selectedKey: keyOfRow(row) };
  }
  return state;
}

function scrolled(state: ScreenState, by: number): ScreenState {
  return { ...state, scroll: Math.min(state.mostScroll, Math.max(0, state.scroll + by)) };
}

function opened(state: ScreenState): ScreenState {
  const row = state.rows[cursorIn(state)];
  if (row === undefined) return state;
  if (row.kind === 'monitor') return shown(state);
  const folded = new Set(state.folded);
  if (!folded.delete(row.name)) folded.add(row.name);
  return { ...state, folded, selectedKey: keyOfRow(row) };
}

/** The cursor stays on what is shown, also when the order changes meanwhile. */
function shown(state: ScreenState): ScreenState {
  const selectedKey = selectedId(state);
  return selectedKey === null ? state : { ...state, selectedKey, place: 'detail', scroll: 0 };
}

function back(state: ScreenState): ScreenState {
  if (state.place === 'help') return { ...state, place: state.placeBefore, scroll: 0 };
  if (state.place === 'detail') return { ...state, place: 'list' };
  return { ...state, filter: '' };
}

/** What was typed and refused comes back to be mended, where there is room to say why. */
function told(state: ScreenState, notice: HeaderNotice, refused: Prompt | null): ScreenState {
  if (refused === null || refused.text.trim() === '' || state.prompt !== null) return { ...state, notice };
  const again = { ...state, prompt: { ...refused, isConfirming: false, trouble: notice.text } };
  return regionsFor(again).dialog < dialogLines ? { ...state, notice } : again;
}

const maxTyped = 500;

/** A filter is felt with every character. */
function typed(state: ScreenState, change: (text: string) => string): ScreenState {
  const { prompt } = state;
  if (prompt === null || isQuestion(prompt.kind)) return state;
  const { kind, subject } = prompt;
  const text = change(prompt.text).slice(0, maxTyped);
  const next = { ...state, prompt: { kind, subject, text, isConfirming: false } };
  return kind === 'filter' ? { ...next, filter: text } : next;
}

function edited(state: ScreenState, lineEdit: LineEdit): ScreenState {
  const { prompt } = state;
  switch (lineEdit) {
    case 'erase':
      return typed(state, withoutLast);
    case 'eraseAll':
      return typed(state, () => '');
    case 'preset':
      if (prompt?.kind === 'unannounce') return { ...state, prompt: nextBanner(prompt, state.model) };
      return prompt === null ? state : typed(state, (text) => withPreset({ kind: prompt.kind, text }));
    case 'submit':
      if (
        prompt !== null &&
        needsConfirming(prompt.kind) &&
        !prompt.isConfirming &&
        prompt.text.trim() !== ''
      )
        return { ...state, prompt: { ...prompt, isConfirming: true } };
      return { ...state, prompt: null };
    case 'cancel':
      if (prompt?.isConfirming === true && !isQuestion(prompt.kind))
        return { ...state, prompt: { ...prompt, isConfirming: false } };
      return { ...state, prompt: null, filter: prompt?.kind === 'filter' ? '' : state.filter };
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
