/** Renders the result of one probe for a terminal. */
import { cleanLine, cleanLines } from '../../engine/core/text.ts';
import { paintStatus } from '../check/render/parts.ts';
import type { TerminalOutput } from '../terminal/output.ts';
import { certificateLines } from './render-certificate.ts';
import type { LegView, ProbeReport, TrackView } from './report.ts';
import type { ExpectationVerdict } from './verdicts.ts';
import type { ProbePhase } from '../../engine/net/tracer.ts';
import { unicodeGlyphs } from '../terminal/glyphs.ts';
import type { PhaseSpan } from './recorder.ts';
import { latencyText } from '../../engine/core/duration.ts';
import { counted } from '../../engine/core/words.ts';
import { cutCells } from '../../engine/views/text/cells.ts';
import { headerLines } from '../../engine/views/incident.ts';

const indent = '  ';

/** Everything that is not ASCII alone is measured by. */
export function textsOf({ name, target, answer, certificate, verdicts, tracks }: ProbeReport): string[] {
  return [
    name,
    target,
    ...(answer === null ? [] : [answer.statusLine, ...answer.headers.flat(), ...cleanLines(answer.body)]),
    ...(certificate?.chain ?? []).flatMap(({ subject, issuer }) => [subject, issuer]),
    ...verdicts.flatMap(({ expected, actual }) => [expected, actual]),
    ...tracks.flatMap(({ legs }) => legs.flatMap(({ url }) => url ?? [])),
  ].map(cleanLine);
}

/** `isQuiet` leaves the verdict alone, and nothing where all is well. */
export function probeText(report: ProbeReport, isQuiet: boolean, output: TerminalOutput): string {
  if (isQuiet) return report.status === 'up' ? '' : `${verdictLine(report, output)}\n`;
  const { paint } = output;
  const blocks: readonly (readonly [heading: string, lines: readonly string[]])[] = [
    [`Time${paint.dim(totalOf(report))}`, waterfallLines(report.tracks, output)],
    ['Address', report.tracks.flatMap((track) => addressLines(track, output))],
    [`Certificate${paint.dim(tlsOf(report))}`, certificateLines(report, output)],
    [`Answer${paint.dim(sizeOf(report))}`, answerLines(report, output)],
    ['Checks', checkLines(report.verdicts, output)],
  ];
  const lines = [
    headLine(report, output),
    '',
    ...blocks.flatMap(([heading, body]) => (body.length === 0 ? [] : [paint.bold(heading), ...body, ''])),
    verdictLine(report, output),
    ...consequenceLines(report, output),
    ...(report.curl === null ? [] : [`${indent}${paint.dim('$')} ${paint.cyan(cleanLine(report.curl))}`]),
  ];
  return `${lines.join('\n')}\n`;
}

function headLine({ id, name, kind, target }: ProbeReport, output: TerminalOutput): string {
  const { paint, cells, columns } = output;
  const title = cleanLine(id === null || id === name ? name : `${name} (${id})`);
  const rest = id === null ? kind : `${kind} ${target}`;
  const room = (columns ?? Infinity) - cells.measure(title) - indent.length;
  return `${paint.bold(title)}${indent}${paint.dim(cutCells(cleanLine(rest), Math.max(8, room), cells))}`;
}

function totalOf({ tracks }: ProbeReport): string {
  const tookMs = Math.max(0, ...tracks.map((track) => track.tookMs));
  return `  ${latencyText(tookMs)}`;
}

function tlsOf({ tracks }: ProbeReport): string {
  const tls = tracks.flatMap(({ legs }) => legs.flatMap((leg) => leg.tls ?? []))[0];
  const parts = [tls?.protocol, tls?.cipher].filter((part) => part !== null && part !== undefined);
  return parts.length === 0 ? '' : `  ${parts.join(', ')}`;
}

function sizeOf({ tracks }: ProbeReport): string {
  const answer = tracks.at(-1)?.legs.at(-1)?.answer ?? null;
  if (answer === null) return '';
  const end = { complete: '', cut: ' and more (max_body_kb)', broken: ', then it broke off' }[answer.end];
  return `  ${counted(answer.bodyBytes, 'byte')}${end}`;
}

function addressLines({ legs }: TrackView, output: TerminalOutput): string[] {
  const lines = legs.flatMap((leg) => [...resolvedLine(leg, output), ...unreachedLines(leg, output)]);
  return [...new Set(lines)];
}

/** A host that is an address by itself needs no line. */
function resolvedLine(
  { host, address, addresses }: LegView,
  { paint, cells, columns }: TerminalOutput,
): string[] {
  const isAddress = addresses.length === 1 && host?.replace(/^\[(.*)\]$/, '$1') === addresses[0];
  if (host === null || addresses.length === 0 || isAddress) return [];
  const used = address ?? '';
  const others = addresses.filter((one) => one !== used);
  const list = [...(used === '' ? [] : [used]), ...others].join(', ');
  const room = Math.max(20, (columns ?? Infinity) - indent.length);
  const text = cutCells(`${cleanLine(host)}: ${list}`, room, cells);
  const at = text.indexOf(used);
  if (used === '' || at === -1) return [indent + text];
  return [`${indent}${text.slice(0, at)}${paint.green(used)}${text.slice(at + used.length)}`];
}

function unreachedLines({ unreached }: LegView, { paint, glyphs }: TerminalOutput): string[] {
  return unreached.map(({ message }) => `${indent}${paint.yellow(glyphs.down)} ${cleanLine(message)}`);
}

/** The body of a healthy page is nobody's concern; records and the words of a plugin are the answer itself. */
function answerLines({ answer, kind, status }: ProbeReport, output: TerminalOutput): string[] {
  if (answer === null) return [];
  const { paint, glyphs, cells, columns } = output;
  const hasBody = answer.body !== '' && (kind !== 'http' || status === 'down');
  const head = headerLines(answer.headers, answer.moreHeaders);
  const body = hasBody ? [...(head.length === 0 ? [] : ['']), ...cleanLines(answer.body)] : [];
  const bar = `${indent}${glyphs.bar} `;
  const room = Math.max(10, (columns ?? Infinity) - bar.length);
  return [answer.statusLine, ...head, ...body].map((line, index) => {
    const text = cutCells(cleanLine(line), room, cells);
    return `${paint.dim(bar)}${index === 0 ? text : paint.dim(text)}`.trimEnd();
  });
}

function checkLines(
  verdicts: readonly ExpectationVerdict[],
  { paint, glyphs, cells, columns }: TerminalOutput,
): string[] {
  const width = Math.max(0, ...verdicts.map(({ key }) => key.length));
  const room = Math.max(16, (columns ?? Infinity) - indent.length - 2 - width - 2);
  const fitted = (text: string) => cutCells(cleanLine(text), room, cells);
  return verdicts.flatMap(({ key, isMet, expected, actual }) => {
    const name = key.padEnd(width);
    if (isMet === null) return [paint.dim(`${indent}${glyphs.none} ${name}  ${fitted(actual)}`)];
    if (isMet) return [`${indent}${paint.green(glyphs.up)} ${name}  ${fitted(actual)}`];
    const below = ' '.repeat(indent.length + 2 + width + 2);
    return [
      `${indent}${paint.red(glyphs.down)} ${paint.red(name)}  ${fitted(`expected ${expected}`)}`,
      `${below}${fitted(`got ${actual}`)}`,
    ];
  });
}

function verdictLine({ status, reason, latencyMs }: ProbeReport, { paint, glyphs }: TerminalOutput): string {
  const meaning = paintStatus(status, paint);
  const mark = meaning(`${glyphs[status]} ${status}`);
  if (reason !== null) return `${mark}: ${cleanLine(reason.message)}`;
  return latencyMs === null ? mark : `${mark} in ${latencyText(latencyMs)}`;
}

function consequenceLines({ id, status, failThreshold }: ProbeReport, { paint }: TerminalOutput): string[] {
  if (id === null || status !== 'down') return [];
  const when =
    failThreshold === 1
      ? 'One such check opens an incident (fail_threshold).'
      : `An incident opens after ${failThreshold} such checks in a row (fail_threshold).`;
  return [paint.dim(indent + when)];
}

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

/** Wider bars are no easier to compare. */
const mostCells = 100;

/** Lines without a heading; none for a probe that never began. */
function waterfallLines(tracks: readonly TrackView[], output: TerminalOutput): string[] {
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
