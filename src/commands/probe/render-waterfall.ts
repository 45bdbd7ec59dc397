/** Draws where the time of a probe went: a bar a phase, over the time of the whole. */
import { latencyText } from '../../engine/core/duration.ts';
import type { ProbePhase } from '../../engine/net/tracer.ts';
import { cleanLine } from '../../engine/core/text.ts';
import { cutCells } from '../../engine/views/text/cells.ts';
import { unicodeGlyphs } from '../terminal/glyphs.ts';
import type { TerminalOutput } from '../terminal/output.ts';
import type { PhaseSpan } from './recorder.ts';
import type { LegView, TrackView } from './report.ts';

const names: Readonly<Record<ProbePhase, string>> = {
  dns: 'name lookup',
  connect: 'connect',
  tunnel: 'tunnel',
  starttls: 'STARTTLS',
  tls: 'TLS',
  wait: 'first byte',
  body: 'body',
  query: 'name server',
  ping: 'echo',
  run: 'plugin',
};

const nameCells = 13;
const timeCells = 11;
const indent = '  ';

/** Wider bars are no easier to compare. */
const mostCells = 100;

/** Lines without a heading; none for a probe that never began. */
export function waterfallLines(tracks: readonly TrackView[], output: TerminalOutput): string[] {
  return tracks.flatMap((track) => [
    ...(track.family === null ? [] : [output.paint.dim(`${indent}over IPv${track.family}`)]),
    ...track.legs.flatMap((leg) => legLines(leg, track, output)),
  ]);
}

function legLines(leg: LegView, track: TrackView, output: TerminalOutput): string[] {
  const hasRedirects = track.legs.length > 1;
  const heading = hasRedirects ? [requestLine(leg, output)] : [];
  return [...heading, ...leg.spans.map((span) => spanLine(span, track.tookMs, output))];
}

/** `GET https://example.com/ 301 Moved Permanently`. */
function requestLine({ method, url, answer }: LegView, { paint, cells, columns }: TerminalOutput): string {
  const status = answer === null ? '' : `  ${cleanLine(`${answer.status} ${answer.statusText}`.trimEnd())}`;
  const room = (columns ?? Infinity) - indent.length - cells.measure(status);
  const request = cutCells(cleanLine(`${method ?? ''} ${url ?? ''}`.trim()), Math.max(20, room), cells);
  return `${indent}${request}${paint.dim(status)}`;
}

function spanLine({ phase, fromMs, toMs }: PhaseSpan, totalMs: number, output: TerminalOutput): string {
  const { paint, columns } = output;
  const width = Math.max(10, Math.min(mostCells, (columns ?? 80) - indent.length - nameCells - timeCells));
  const endMs = toMs ?? totalMs;
  const [from, to] = cellsOf({ fromMs, endMs, totalMs }, width);
  const bar = blockOf(output).repeat(to - from);
  const paintBar = toMs === null ? paint.red : paint.cyan;
  const time = latencyText(endMs - fromMs).padStart(timeCells);
  return `${indent}${names[phase].padEnd(nameCells)}${' '.repeat(from)}${paintBar(bar)}${' '.repeat(width - to)}${
    toMs === null ? paint.red(time) : time
  }`;
}

/** From the cell in which it begins to the one in which it ends: at least one. */
function cellsOf(
  { fromMs, endMs, totalMs }: { readonly fromMs: number; readonly endMs: number; readonly totalMs: number },
  width: number,
): readonly [from: number, to: number] {
  const scale = totalMs === 0 ? 0 : width / totalMs;
  const from = Math.min(width - 1, Math.floor(fromMs * scale));
  return [from, Math.min(width, Math.max(from + 1, Math.round(endMs * scale)))];
}

const blockOf = ({ glyphs }: TerminalOutput) => (glyphs.bar === unicodeGlyphs.bar ? '█' : '#');
