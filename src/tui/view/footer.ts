/** Draws the last line: what is being typed, what came of it, or which keys there are. */
import { cleanLine } from '../../engine/core/text.ts';
import { keymap, keyText } from '../keys.ts';
import { line, span, widthOf, type ScreenLine, type LineSpan } from '../line.ts';
import type { Prompt, ScreenState } from '../state.ts';
import type { TablePen } from './table.ts';

export function footerLine(state: ScreenState, tablePen: TablePen): ScreenLine {
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
