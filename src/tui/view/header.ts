/** Draws what stands above the table: title, counts, broken channels, silent nodes, banners, open incidents. */
import { durationText } from '../../engine/core/duration.ts';
import { clockText } from '../../engine/core/instant.ts';
import { cleanLine } from '../../engine/core/text.ts';
import { countStatuses } from '../../engine/views/page.ts';
import { errorText } from '../../engine/views/page-wording.ts';
import { peersHeard } from '../../engine/views/peers.ts';
import { stateInWords, type IncidentView } from '../../engine/views/incident.ts';
import { statuses } from '../../engine/core/status.ts';
import type { Regions } from '../layout/regions.ts';
import { line, span, spread, type ScreenLine, type LineSpan } from '../line.ts';
import type { Model } from '../model.ts';
import { bannersOf, ownTroubles, type HeaderNotice } from '../notices.ts';
import { sortWords } from '../rows.ts';
import type { ScreenState } from '../state.ts';
import { statusTones } from '../theme.ts';
import type { TablePen } from './table.ts';

export function headerLines(state: ScreenState, regions: Regions, tablePen: TablePen): ScreenLine[] {
  const { model } = state;
  if (model === null) return [titleLine(state, tablePen), countsLine(state, tablePen)];
  const { summary } = model;
  return [
    titleLine(state, tablePen),
    countsLine(state, tablePen),
    ...limited(ownTroubles(summary), regions.channels, 'broken channels and nodes').map((one) =>
      noticeLine(one, tablePen.marks.warning),
    ),
    ...limited(bannersOf(summary), regions.banners, 'banners').map((one) =>
      noticeLine(one, tablePen.marks.banner),
    ),
    ...incidentLines(model, state, regions.incidents),
  ];
}

function titleLine(state: ScreenState, tablePen: TablePen): ScreenLine {
  const { model, nowAt, size, trouble } = state;
  const at = { width: size.columns, cells: tablePen.cells };
  if (model === null) {
    return spread(
      line(span('statusd', 'strong')),
      trouble === null ? line(span('reading', 'dim')) : troubleLine(trouble),
      at,
    );
  }
  const { summary } = model;
  const mark = span(
    `${tablePen.marks.status[toneStatus(summary.overall)]} `,
    statusTones[toneStatus(summary.overall)],
  );
  const label = span(cleanLine(summary.overall_label), statusTones[toneStatus(summary.overall)]);
  const left = line(span(cleanLine(summary.title), 'strong'), '  ', mark, label);
  if (trouble !== null)
    return spread(left, troubleLine(`${trouble}; read ${ageText(nowAt - model.readAt)} ago`), at);
  return spread(left, line(...ageSpans(model, nowAt), span(`  ${clockText(nowAt)} UTC`, 'dim')), at);
}

function troubleLine(text: string): ScreenLine {
  return line(span(cleanLine(text), 'warn'));
}

/** Older than this, check whether the daemon runs. */
const oldMs = 300_000;

/** How old the newest sample is. The reading may have come from a machine with another clock. */
function ageSpans({ summary, readAt }: Model, nowAt: number): LineSpan[] {
  const newest = summary.monitors.reduce<string>(
    (latest, { last_checked }) => (last_checked !== null && last_checked > latest ? last_checked : latest),
    '',
  );
  if (newest === '') return [span('no data yet', 'dim')];
  const ageMs =
    Math.max(0, Date.parse(summary.generated_at) - Date.parse(newest)) + Math.max(0, nowAt - readAt);
  return [span(`data ${ageText(ageMs)} old`, ageMs > oldMs ? 'warn' : 'dim')];
}

function ageText(ms: number): string {
  return durationText(ms);
}

function countsLine({ model, filter, sort, isGrouped, size }: ScreenState, tablePen: TablePen): ScreenLine {
  if (model === null) return line();
  const counts = countStatuses(model.summary.monitors);
  const parts = statuses
    .filter((status) => counts[status] > 0)
    .flatMap((status, index) => {
      const word = status === 'unknown' ? 'no data' : status;
      return [
        span(index === 0 ? '' : '  '),
        span(`${tablePen.marks.status[status]} ${counts[status]} ${word}`, statusTones[status]),
      ];
    });
  const heard = peersHeard(model.summary.peer_counts);
  const nodes = heard === null ? [] : [span(`  nodes: ${heard}`, 'dim')];
  const chosen = filter.trim() === '' ? [] : [span(`filter: ${cleanLine(filter.trim())}  `, 'accent')];
  const order = span(`${sortWords[sort]}${isGrouped ? ', by group' : ''}`, 'dim');
  return spread(line(...parts, ...nodes), line(...chosen, order), {
    width: size.columns,
    cells: tablePen.cells,
  });
}

function noticeLine({ text, tone }: HeaderNotice, mark: string): ScreenLine {
  return line(span(`${mark} ${cleanLine(text)}`, tone));
}

/** As many as there is room for; the last line says how many more there are. */
function limited(notices: readonly HeaderNotice[], room: number, noun: string): readonly HeaderNotice[] {
  if (notices.length <= room) return notices;
  const shown = notices.slice(0, Math.max(0, room - 1));
  const more = notices.length - shown.length;
  return room === 0
    ? []
    : [...shown, { text: `${more} ${shown.length === 0 ? '' : 'more '}${noun}`, tone: 'warn' }];
}

function incidentLines({ summary, readAt }: Model, { nowAt }: ScreenState, room: number): ScreenLine[] {
  const { incidents } = summary;
  const aheadMs = Math.max(0, nowAt - readAt);
  const lines = incidents.map((incident) => incidentLine(incident, incident.duration_secs * 1000 + aheadMs));
  if (lines.length <= room || room === 0) return lines.slice(0, room);
  const shown = lines.slice(0, room - 1);
  return [...shown, line(span(`  and ${lines.length - shown.length} more open incidents`, 'bad'))];
}

function incidentLine(
  { name, kind, error, cause, impacted, note, id }: IncidentView,
  lengthMs: number,
): ScreenLine {
  const why = errorText(error);
  const about = [
    why === null ? null : `: ${cleanLine(why)}`,
    cause === null ? null : `, because of ${cleanLine(cause)}`,
    impacted.length === 0 ? null : `, ${impacted.length} more with it`,
    note === null ? null : ` (${cleanLine(note)})`,
  ].filter((part) => part !== null);
  const number = id === undefined ? '' : `#${id} `;
  const tone = kind === 'down' ? 'bad' : 'warn';
  return line(
    span(`${number}${cleanLine(name)} ${stateInWords(kind, true)}`, tone),
    span(` for ${ageText(lengthMs)}`, tone),
    span(about.join('')),
  );
}

function toneStatus(overall: string): 'up' | 'degraded' | 'down' | 'unknown' {
  return statuses.find((status) => status === overall) ?? 'unknown';
}
