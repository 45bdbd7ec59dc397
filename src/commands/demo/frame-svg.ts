/** Draws the screen of a terminal as an SVG that looks the same in any font. */

/** In pixels of the picture. */
const cell = { width: 8.4, height: 18 };
const pad = 14;
const background = '#0d1117';
const foreground = '#d0d7de';

/** The colours that statusd paints with, by their SGR codes, as a dark terminal has them. */
const colours: Readonly<Record<string, string>> = {
  '31': '#f85149',
  '32': '#56d364',
  '33': '#e3b341',
  '36': '#56b6c2',
};

interface Style {
  readonly colour: string;
  readonly isBold: boolean;
  readonly isDim: boolean;
  readonly isInverse: boolean;
}

interface Run extends Style {
  readonly text: string;
  /** The column it begins in. */
  readonly at: number;
}

const plain: Style = { colour: foreground, isBold: false, isDim: false, isInverse: false };

/** `lines` as they are written to a terminal, with SGR codes; every character takes one cell. */
export function frameSvg(
  lines: readonly string[],
  { title, columns }: { title: string; columns: number },
): string {
  const width = Math.ceil(columns * cell.width + 2 * pad);
  const height = lines.length * cell.height + 2 * pad;
  const drawn = lines.flatMap((line, row) => runsOf(line).map((run) => runSvg(run, row)));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${width}" height="${height}" rx="8" fill="${background}"/>`,
    `<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="14" xml:space="preserve">`,
    ...drawn.filter((text) => text !== ''),
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

function runsOf(line: string): Run[] {
  const runs: Run[] = [];
  let style = plain;
  let at = 0;
  for (const [, code, text = ''] of line.matchAll(/\u001b\[([\d;]*)m|([^\u001b]+)/g)) {
    if (code !== undefined) {
      style = styled(style, code);
      continue;
    }
    // Bars are drawn, and everything else is text.
    for (const [part] of text.matchAll(/[▁-█]+|─+| +|[^ ▁-█─]+(?: [^ ▁-█─]+)*/g)) {
      runs.push({ ...style, text: part, at });
      at += Array.from(part).length;
    }
  }
  return runs;
}

function styled(style: Style, code: string): Style {
  switch (code) {
    case '1':
      return { ...style, isBold: true };
    case '2':
      return { ...style, isDim: true };
    case '22':
      return { ...style, isBold: false, isDim: false };
    case '7':
    case '27':
      return { ...style, isInverse: code === '7' };
    case '39':
      return { ...style, colour: foreground };
    default: {
      const [, index] = /^38;5;(\d+)$/.exec(code) ?? [];
      const colour = index === undefined ? colours[code] : colourOf(Number(index));
      return colour === undefined ? style : { ...style, colour };
    }
  }
}

/** Of the 256: the cube of six steps a colour, then the greys. */
function colourOf(index: number): string {
  if (index >= 232) return hex(Array<number>(3).fill(8 + 10 * (index - 232)));
  const step = (value: number) => (value === 0 ? 0 : 55 + 40 * value);
  const cube = index - 16;
  return hex([step(Math.floor(cube / 36)), step(Math.floor(cube / 6) % 6), step(cube % 6)]);
}

function hex(parts: readonly number[]): string {
  return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}

function runSvg(run: Run, row: number): string {
  const { text, at, colour, isBold, isDim, isInverse } = run;
  if (text.trim() === '' && !isInverse) return '';
  const cells = Array.from(text).length;
  const x = round(pad + at * cell.width);
  const top = pad + row * cell.height;
  const width = round(cells * cell.width);
  const opacity = isDim ? ' opacity=".65"' : '';
  if (text.startsWith('─'))
    return `<rect x="${x}" y="${top + 9}" width="${width}" height="1" fill="${colour}"${opacity}/>`;
  if (/^[▁-█]/.test(text)) return barsSvg(run, row);
  const weight = isBold ? ' font-weight="700"' : '';
  const fill = isInverse ? background : colour;
  const letters = `<text x="${x}" y="${top + 14}" textLength="${width}" fill="${fill}"${weight}${opacity}>${escaped(text)}</text>`;
  return isInverse
    ? `<rect x="${x}" y="${top}" width="${width}" height="${cell.height}" fill="${colour}"/>${letters}`
    : letters;
}

/** One path for bars of any heights. */
function barsSvg({ text, at, colour }: Run, row: number): string {
  const bottom = pad + (row + 1) * cell.height - 2;
  const bars = Array.from(text).map((bar, index) => {
    const height = (((bar.codePointAt(0) ?? 0) - 0x2580) / 8) * (cell.height - 4);
    return `M${round(pad + (at + index) * cell.width)} ${bottom}v-${round(height)}h${cell.width - 0.9}v${round(height)}z`;
  });
  return `<path fill="${colour}" d="${bars.join('')}"/>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
