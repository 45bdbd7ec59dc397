/** Renders the comparison for a terminal. */
import { durationText, latencyText } from '../../engine/core/duration.ts';
import type { Status } from '../../engine/core/status.ts';
import { cleanLine } from '../../engine/core/text.ts';
import { peerTones, peerWords, skewWords } from '../../engine/views/peers.ts';
import type { Paint } from '../terminal/colour.ts';
import type { TerminalOutput } from '../terminal/output.ts';
import { type Cell, tableLines } from '../../engine/views/text/table.ts';
import type { Matrix, Node, MatrixRow, PeerCell } from './matrix.ts';
import { paintStatus } from '../check/render/parts.ts';

export interface PeerListing {
  /** Only the tables, without headings. */
  readonly isQuiet: boolean;
  /** Masks the secrets of the configuration in what others said. */
  readonly redact: (text: string) => string;
}

/** How much width a node takes, with the gap after it. */
const cellsPerNode = 16;
const cellsBesides = 28;

export function matrixText(matrix: Matrix, peerListing: PeerListing, output: TerminalOutput): string {
  const { rows, nodes } = matrix;
  if (nodes.length === 0) {
    return peerListing.isQuiet
      ? ''
      : 'No peers are configured: there is nobody to compare with. See [[peers]].\n';
  }
  const blocks = [
    ...(rows.length === 0 ? [['No monitors are configured.']] : matrixBlocks(matrix, peerListing, output)),
    nodeLines(nodes, peerListing, output),
  ];
  return `${blocks.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

/** Everything the tables are measured by. */
export function textsOf({ rows, nodes }: Matrix): string[] {
  return [
    ...rows.map(({ id }) => cleanLine(id)),
    ...nodes.flatMap(({ name, error }) => [name, error ?? ''].map(cleanLine)),
  ];
}

/** As many nodes side by side as there is room for, the others below. */
function matrixBlocks(
  { rows, nodes, at }: Matrix,
  { isQuiet }: PeerListing,
  output: TerminalOutput,
): string[][] {
  const room =
    output.columns === null ? nodes.length : Math.floor((output.columns - cellsBesides) / cellsPerNode);
  const size = Math.max(1, room);
  const blocks: string[][] = [];
  for (let from = 0; from < nodes.length; from += size) {
    const shown = nodes.slice(from, from + size);
    const columns = [
      { heading: 'MONITOR', least: 8 },
      { heading: 'HERE' },
      ...shown.map(({ name }) => ({ heading: headingOf(name, output), least: 8 })),
    ];
    const cells = rows.map((matrixRow) => [
      { text: cleanLine(matrixRow.id), paint: output.paint.bold },
      hereCell(matrixRow, output),
      ...shown.map(({ id }) => viewCell(matrixRow.views.get(id) ?? noView, at, output)),
    ]);
    blocks.push(tableLines({ columns, rows: cells }, output, { hasHeading: !isQuiet }));
  }
  return blocks;
}

const noView: PeerCell = { kind: 'unknown', error: null };
const longestHeading = 24;

function headingOf(name: string, { cells }: TerminalOutput): string {
  const heading = cleanLine(name).toUpperCase();
  return cells.measure(heading) <= longestHeading
    ? heading
    : `${heading.slice(0, longestHeading - 1)}${cells.ellipsis}`;
}

function hereCell({ here }: MatrixRow, output: TerminalOutput): Cell {
  return statusCell(here.status, here.latencyMs, output);
}

function viewCell(peerCell: PeerCell, nowAt: number, output: TerminalOutput): Cell {
  const { paint, glyphs } = output;
  switch (peerCell.kind) {
    case 'seen': {
      const cell = statusCell(peerCell.status, peerCell.latencyMs, output);
      if (peerCell.source === 'live') return cell;
      return { text: `${cell.text}, ${ageText(nowAt - peerCell.at)} ago`, paint: paint.dim };
    }
    case 'unwatched':
      return { text: 'not watched', paint: paint.dim };
    case 'without_target':
    case 'unasked':
      return { text: glyphs.none, paint: paint.dim };
    case 'unknown':
      return { text: `${glyphs.unknown} no answer`, paint: paint.yellow };
  }
}

function statusCell(status: Status, latencyMs: number | null, { paint, glyphs }: TerminalOutput): Cell {
  const word = status === 'up' && latencyMs !== null ? latencyText(latencyMs) : wordOf(status, latencyMs);
  return { text: `${glyphs[status]} ${word}`, paint: paintOf(status, paint) };
}

function wordOf(status: Status, latencyMs: number | null): string {
  switch (status) {
    case 'up':
    case 'down':
      return status;
    case 'degraded':
      return latencyMs === null ? 'degraded' : `degraded ${latencyText(latencyMs)}`;
    case 'unknown':
      return 'unknown';
  }
}

/** Nobody has to look at what is not known of another node. */
function paintOf(status: Status, paint: Paint): (text: string) => string {
  return status === 'unknown' ? paint.dim : paintStatus(status, paint);
}

function nodeLines(
  nodes: readonly Node[],
  { isQuiet, redact }: PeerListing,
  output: TerminalOutput,
): string[] {
  const columns = [
    { heading: 'NODE', least: 8 },
    { heading: 'HEARTBEATS', least: 10 },
    { heading: 'CLOCK' },
    { heading: 'ASKED NOW', least: 10 },
  ];
  const rows = nodes.map((node) => [
    { text: cleanLine(node.name), paint: output.paint.bold },
    heardCell(node, output),
    clockCell(node, output),
    reachCell(node, redact, output),
  ]);
  return tableLines({ columns, rows }, output, { hasHeading: !isQuiet });
}

function heardCell({ heard }: Node, { paint, glyphs }: TerminalOutput): Cell {
  if (heard === null) return { text: 'not expected', paint: paint.dim };
  const { state, age } = heard;
  const ago = age === null ? '' : `, ${durationText(age * 1000)} ago`;
  const tone = peerTones[state];
  return { text: `${glyphs[tone]} ${peerWords[state].toLowerCase()}${ago}`, paint: paintOf(tone, paint) };
}

function clockCell({ skewMs }: Node, { paint, glyphs }: TerminalOutput): Cell {
  if (skewMs === null) return { text: glyphs.none, paint: paint.dim };
  const words = skewWords(skewMs)?.replace(/^clock /, '') ?? null;
  return words === null ? { text: 'within 2 s' } : { text: words, paint: paint.yellow };
}

function reachCell(
  { isReachable, error }: Node,
  redact: PeerListing['redact'],
  { paint }: TerminalOutput,
): Cell {
  if (isReachable === null) return { text: 'not asked: it has no ping_url', paint: paint.dim };
  if (isReachable) return { text: 'it answers', paint: paint.green };
  return { text: cleanLine(redact(error ?? 'it does not answer')), paint: paint.red };
}

function ageText(ms: number): string {
  return durationText(ms);
}
