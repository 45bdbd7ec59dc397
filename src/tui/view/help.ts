/** Draws the help, from the keys as they are. */
import { editKeys, keymap, keyText } from '../keys.ts';
import { emptyLine, line, padded, span, type ScreenLine } from '../line.ts';
import type { TablePen } from './table.ts';

const keysWidth = 20;

const promptTexts: readonly string[] = [
  'A silence is how long, and why if you like: 1h deploy. It covers what depends on the monitor too.',
  'A banner is what to say; warning:, critical: or resolved: in front says how bad it is.',
  'A note goes to the last incident of the monitor. It is public where the monitor is.',
];

export function helpLines(tablePen: TablePen): ScreenLine[] {
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
