/** Draws the whole screen: as many lines as it has, none wider than it. */
import { cutLine, emptyLine, line, type LineSpan, padded, type ScreenLine, span, widthOf } from '../line.ts';
import { currentRows, type Prompt, regionsFor, type ScreenState, selectedIn } from '../state.ts';
import { detailLines } from './detail.ts';
import { headerLines } from './header.ts';
import { tableColumns, tableHeading, type TablePen, tableRows } from './table.ts';
import { cleanLine } from '../../engine/core/text.ts';
import { editKeys, keymap, keyText } from '../keys.ts';

export interface ScreenFrame {
  readonly lines: readonly ScreenLine[];
  /** How far the detail or the help can be scrolled. */
  readonly mostScroll: number;
}

export function drawFrame(state: ScreenState, tablePen: TablePen): ScreenFrame {
  const { rows, columns } = state.size;
  const { above, body, mostScroll } = contentOf(state, tablePen);
  const height = Math.max(0, rows - above.length - 1);
  const filling = Array.from({ length: Math.max(0, height - body.length) }, () => emptyLine);
  const lines = [...above, ...body.slice(0, height), ...filling, footerLine(state, tablePen)].slice(-rows);
  return { lines: lines.map((one) => cutLine(one, columns, tablePen.cells)), mostScroll };
}

interface Content {
  /** Stays where it is. */
  readonly above: readonly ScreenLine[];
  readonly body: readonly ScreenLine[];
  readonly mostScroll: number;
}

function contentOf(state: ScreenState, tablePen: TablePen): Content {
  const regions = regionsFor(state);
  const above = headerLines(state, regions, tablePen);
  switch (state.place) {
    case 'list':
      return {
        above: regions.hasGap ? [...above, emptyLine] : above,
        body: listLines(state, regions.body, tablePen),
        mostScroll: 0,
      };
    case 'detail':
      return scrollable([...above.slice(0, 1), emptyLine], monitorLines(state, tablePen), state);
    case 'help':
      return scrollable([], helpLines(tablePen), state);
  }
}

function scrollable(
  above: readonly ScreenLine[],
  whole: readonly ScreenLine[],
  { scroll, size }: ScreenState,
): Content {
  const room = Math.max(1, size.rows - above.length - 1);
  const mostScroll = Math.max(0, whole.length - room);
  return { above, body: whole.slice(Math.min(scroll, mostScroll)), mostScroll };
}

function listLines(state: ScreenState, height: number, tablePen: TablePen): ScreenLine[] {
  const { model, selectedId, size, isGrouped, top } = state;
  if (model === null) return [];
  const rows = currentRows(state);
  const view = {
    model,
    rows: rows.slice(top, top + height),
    selectedId: selectedIn(rows, selectedId),
    columns: tableColumns(model.summary, tablePen, { width: size.columns, isGrouped }),
  };
  if (rows.length === 0) {
    const why = state.filter.trim() === '' ? 'there are no monitors' : 'no monitor matches the filter';
    return [tableHeading(view, tablePen), line(span(`  ${why}`, 'dim'))];
  }
  return [
    tableHeading(view, tablePen),
    ...tableRows(view, tablePen).map((one) => padSelected(one, size.columns, tablePen)),
  ];
}

/** The cursor is as wide as the screen. */
function padSelected(one: ScreenLine, width: number, { cells }: TablePen): ScreenLine {
  if (one.isSelected !== true) return one;
  const used = one.spans.reduce((sum, { text }) => sum + cells.measure(text), 0);
  return { ...one, spans: [...one.spans, span(' '.repeat(Math.max(0, width - used)))] };
}

function monitorLines(state: ScreenState, tablePen: TablePen): ScreenLine[] {
  const { model, detail, nowAt, size } = state;
  const id = selectedIn(currentRows(state), state.selectedId);
  const monitor = model?.summary.monitors.find((one) => one.id === id);
  if (model === null || monitor === undefined)
    return [line(span('there is no such monitor any more', 'dim'))];
  const chartHeight = Math.min(10, Math.max(4, Math.floor(size.rows / 4)));
  const own = detail?.id === monitor.id ? detail : null;
  return detailLines({ model, monitor, detail: own, nowAt, width: size.columns, chartHeight }, tablePen);
}

/** Draws the last line: what is being typed, what came of it, or which keys there are. */
function footerLine(state: ScreenState, tablePen: TablePen): ScreenLine {
  if (state.prompt !== null) return promptLine(state.prompt, state.size.columns, tablePen);
  if (state.notice !== null) return line(span(cleanLine(state.notice.text), state.notice.tone));
  return hintLine(state, tablePen);
}

const promptWords: Readonly<Record<Prompt['kind'], string>> = {
  filter: 'Filter',
  silence: 'Silence',
  announce: 'Banner',
  annotate: 'Note on',
};

const promptHints: Readonly<Record<Prompt['kind'], string>> = {
  filter: 'a name, a group, down',
  silence: 'how long, and why: 1h deploy',
  announce: 'what to say; warning: in front says how bad',
  annotate: 'what the record should say',
};

/** The end of what is typed is seen, however long it is. */
function promptLine({ kind, text, monitor }: Prompt, width: number, { cells }: TablePen): ScreenLine {
  const lead = `${promptWords[kind]}${monitor === null ? '' : ` ${cleanLine(monitor)}`}: `;
  const typed = cleanLine(text);
  if (typed === '') return line(span(lead, 'accent'), '_', span(` ${promptHints[kind]}`, 'dim'));
  const room = Math.max(4, width - cells.measure(lead) - 1);
  return line(span(lead, 'accent'), span(`${endOf(typed, room, cells.measure)}_`));
}

function endOf(text: string, room: number, measure: (text: string) => number): string {
  const segments = [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);
  let from = 0;
  while (from < segments.length && measure(segments.slice(from).join('')) > room) from++;
  return segments.slice(from).join('');
}

/** As many hints as fit; help and quit always do. */
function hintLine({ place, size }: ScreenState, { cells, marks }: TablePen): ScreenLine {
  const hints = keymap
    .filter(({ on, hint }) => hint !== null && on.includes(place))
    .map(({ keys, hint }) => ({ key: keyText(keys[0] ?? '', marks), hint: hint ?? '' }));
  const drawn = (chosen: typeof hints): ScreenLine => ({
    spans: chosen.flatMap(({ key, hint }, index): LineSpan[] => [
      span(index === 0 ? '' : '  '),
      span(key, 'accent'),
      span(` ${hint}`, 'dim'),
    ]),
  });
  const kept = [...hints];
  while (kept.length > 2 && widthOf(drawn(kept), cells) > size.columns) kept.splice(-3, 1);
  return drawn(kept);
}

const keysWidth = 20;

const promptTexts: readonly string[] = [
  'A silence is how long, and why if you like: 1h deploy. It covers what depends on the monitor too.',
  'A banner is what to say; warning:, critical: or resolved: in front says how bad it is.',
  'A note goes to the last incident of the monitor. It is public where the monitor is.',
];

/** Draws the help, from the keys as they are. */
function helpLines(tablePen: TablePen): ScreenLine[] {
  const { cells, marks } = tablePen;
  const names = (keys: readonly string[]) => keys.map((key) => keyText(key, marks)).join(' ');
  const row = (keys: readonly string[], label: string) =>
    line(span(`  ${padded(names(keys), keysWidth, cells)}  `, 'accent'), label);
  return [
    line(span('Keys', 'strong')),
    ...keymap.map(({ keys, label, on }) =>
      row(keys, on.length === 1 && on[0] === 'detail' ? `${label} (in the detail)` : label),
    ),
    emptyLine,
    line(span('While typing', 'strong')),
    ...editKeys.map(({ keys, label }) => row(keys, label)),
    emptyLine,
    ...promptTexts.map((text) => line(span(text, 'dim'))),
  ];
}
