/** As much of a terminal as the live view uses: where text goes, how it looks, what is switched on. */
import stringWidth from 'string-width';

interface Cell {
  readonly text: string;
  /** SGR codes that are on, joined by `;`. */
  readonly look: string;
}

export interface PtyScreen {
  /** Takes what a program wrote; an escape sequence may arrive in pieces. Throws on one it does not know. */
  readonly take: (text: string) => void;
  /** What stands on the screen, a line each, without spaces at their ends. */
  readonly text: () => string;
  /** The same with looks: `{1;31}down{}`. */
  readonly styled: () => string;
  /** Everything that was ever written outside of the alternate screen. */
  readonly outside: () => string;
  readonly modes: () => {
    readonly isAlternate: boolean;
    readonly hasCursor: boolean;
    readonly wraps: boolean;
    readonly hasMouse: boolean;
  };
  /** How many lines were written since the last call. */
  readonly linesWritten: () => number;
}

const sequence = /^\u001b\[([?<>=]?)([\d;]*)([A-Za-z])/;
const blank: Cell = { text: ' ', look: '' };

/** Each is a character of its own, one column wide. */
const plain = /^[ -~]*$/;
const segmenter = new Intl.Segmenter();

/** Which code ends which others. */
const ends: Readonly<Record<string, readonly string[]>> = {
  '22': ['1', '2'],
  '27': ['7'],
  '39': ['3'],
  '49': ['4'],
};

export function createPtyScreen(columns: number, rows: number): PtyScreen {
  const modes = { isAlternate: false, hasCursor: true, wraps: true, hasMouse: false };
  let grid = emptyGrid(rows, columns);
  let at = { row: 0, column: 0 };
  let looks: string[] = [];
  let pending = '';
  let outside = '';
  let written = 0;

  const put = (text: string) => {
    const isPlain = plain.test(text);
    for (const segment of isPlain ? text : charactersOf(text)) {
      if (!modes.isAlternate) {
        outside += segment;
        continue;
      }
      const width = isPlain ? 1 : stringWidth(segment);
      const line = grid[at.row];
      if (line === undefined || at.column + width > columns) continue;
      line[at.column] = { text: segment, look: looks.join(';') };
      for (let more = 1; more < width; more++) line[at.column + more] = { text: '', look: '' };
      at.column += width;
    }
  };
  const erase = (final: string, argument: string) => {
    if (final === 'J' && argument === '2') grid = emptyGrid(rows, columns);
    else if (final === 'K' && argument === '2') {
      grid[at.row] = emptyLine(columns);
      written += 1;
    } else if (final === 'K' && argument === '') {
      grid[at.row]?.splice(at.column, columns, ...emptyLine(columns).slice(at.column));
    } else throw new Error(`the screen does not know how to erase ${argument}${final}`);
  };
  const style = (argument: string) => {
    if (argument === '' || argument === '0') looks = [];
    else if (argument in ends)
      looks = looks.filter((look) => !(ends[argument] ?? []).includes(look.charAt(0)));
    else looks = [...looks.filter((look) => !isForeground(look) || !isForeground(argument)), argument];
  };
  const switchMode = (argument: string, isOn: boolean) => {
    if (argument === '1049') modes.isAlternate = isOn;
    else if (argument === '25') modes.hasCursor = isOn;
    else if (argument === '7') modes.wraps = isOn;
    else if (argument === '1000' || argument === '1006') modes.hasMouse = isOn;
    else if (argument !== '2026' && argument !== '2004')
      throw new Error(`the screen does not know mode ${argument}`);
  };
  const obey = ([whole, mark = '', argument = '', final = '']: RegExpExecArray) => {
    if (mark === '?' && (final === 'h' || final === 'l')) switchMode(argument, final === 'h');
    else if (final === 'H') {
      const [row = 1, column = 1] = argument.split(';').map((one) => Number(one) || 1);
      at = { row: row - 1, column: column - 1 };
    } else if (final === 'm') style(argument);
    else if (final === 'J' || final === 'K') erase(final, argument);
    else throw new Error(`the screen does not know ${JSON.stringify(whole)}`);
  };

  return {
    take: (text) => {
      pending += text;
      while (pending !== '') {
        const escape = pending.indexOf('\u001b');
        if (escape !== 0) {
          put(escape === -1 ? pending : pending.slice(0, escape));
          pending = escape === -1 ? '' : pending.slice(escape);
          continue;
        }
        const found = sequence.exec(pending);
        if (found === null && pending.length < 16) return;
        if (found === null)
          throw new Error(`the screen does not know ${JSON.stringify(pending.slice(0, 16))}`);
        obey(found);
        pending = pending.slice(found[0].length);
      }
    },
    text: () =>
      grid
        .map((line) =>
          line
            .map(({ text }) => text)
            .join('')
            .trimEnd(),
        )
        .join('\n'),
    styled: () => grid.map(styledLine).join('\n'),
    outside: () => outside,
    modes: () => ({ ...modes }),
    linesWritten: () => {
      const count = written;
      written = 0;
      return count;
    },
  };
}

function charactersOf(text: string): string[] {
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** One colour takes the place of another. */
function isForeground(look: string): boolean {
  return look.startsWith('3');
}

function styledLine(line: readonly Cell[]): string {
  let look = '';
  const text = line.map((cell) => {
    const turn = cell.look === look || cell.text === '' ? '' : `{${cell.look}}`;
    if (turn !== '') look = cell.look;
    return turn + cell.text;
  });
  return text
    .join('')
    .trimEnd()
    .replace(/\s*\{\}$/, '');
}

function emptyGrid(rows: number, columns: number): Cell[][] {
  return Array.from({ length: rows }, () => emptyLine(columns));
}

function emptyLine(columns: number): Cell[] {
  return Array.from({ length: columns }, () => blank);
}
