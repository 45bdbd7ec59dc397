/** Draws the heatmap of a monitor: a row a day, a column an hour, darker where it was slower. */
import {
  type HeatmapFacts,
  type HeatmapHour,
  heatmapLevel,
  heatmapLabels,
  heatmapText,
} from '../../engine/views/heatmap.ts';
import { latencyText } from '../../engine/core/duration.ts';
import { heatmapColours } from './heatmap-colours.ts';
import { xml, type Xml } from './xml.ts';
import { dayText } from '../../engine/core/instant.ts';

const { grades: fills, noData } = heatmapColours;

const cell = { width: 20, height: 11, gap: 2 };
const left = 64;
const top = 58;
const sides = 16;

export interface NamedHeatmap extends HeatmapFacts {
  readonly name: string;
}

/** A picture of its own, with a tooltip for every hour that was measured. */
export function renderHeatmap(heatmap: NamedHeatmap): string {
  const width = left + 24 * cell.width + sides;
  const height = top + heatmap.days.length * cell.height + 62;
  const title = `Latency of ${heatmap.name} by hour`;
  return xml`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="t d" font-family="system-ui,-apple-system,Segoe UI,Roboto,Noto Sans,sans-serif" font-size="10" fill="#555d58"><title id="t">${title}</title><desc id="d">${heatmapText(heatmap)}</desc><rect width="${width}" height="${height}" rx="8" fill="#fff"/><text x="${sides}" y="26" font-size="14" font-weight="600" fill="#1b211e">${title}</text>${hourLabels()}${heatmap.days.map((day, row) => dayRow(day, row, heatmap.medianMs))}${legend(heatmap, height)}</svg>\n`
    .text;
}

function hourLabels(): Xml[] {
  return [0, 3, 6, 9, 12, 15, 18, 21].map(
    (hour) =>
      xml`<text x="${left + hour * cell.width}" y="${top - 6}">${String(hour).padStart(2, '0')}</text>`,
  );
}

function dayRow(day: readonly HeatmapHour[], row: number, medianMs: number | null): Xml {
  const y = top + row * cell.height;
  const date = dayText(day[0]?.at ?? 0);
  const label = row % 7 === 0 ? xml`<text x="${sides}" y="${y + 9}">${date.slice(5)}</text>` : null;
  return xml`${label}${day.map((hour, column) => hourCell(hour, { x: left + column * cell.width, y, medianMs }))}`;
}

interface CellPlace {
  readonly x: number;
  readonly y: number;
  readonly medianMs: number | null;
}

function hourCell({ at, averageMs }: HeatmapHour, { x, y, medianMs }: CellPlace): Xml {
  const size = xml`x="${x}" y="${y}" width="${cell.width - cell.gap}" height="${cell.height - cell.gap}"`;
  const level = heatmapLevel(averageMs, medianMs);
  if (level === null) return xml`<rect ${size} fill="${noData}"/>`;
  const hour = new Date(at).toISOString().slice(0, 13).replace('T', ' ');
  return xml`<rect ${size} fill="${fills[level] ?? null}"><title>${hour}:00 UTC: ${latencyText(averageMs)}</title></rect>`;
}

function legend({ medianMs }: HeatmapFacts, height: number): Xml {
  const y = height - 40;
  const levels = heatmapLabels().map((label, level) => ({
    label,
    fill: fills[level] ?? '',
  }));
  const entries = [...levels, { label: 'no data', fill: noData }];
  const step = (24 * cell.width + left) / entries.length;
  const boxes = entries.map(
    ({ label, fill }, index) =>
      xml`<rect x="${sides + index * step}" y="${y}" width="12" height="12" rx="2" fill="${fill}" stroke="#8a8f8b" stroke-width=".5"/><text x="${sides + index * step + 16}" y="${y + 10}">${label}</text>`,
  );
  const median =
    medianMs === null ? 'Nothing was measured yet.' : `Compared with the median, ${latencyText(medianMs)}.`;
  return xml`${boxes}<text x="${sides}" y="${y + 30}">${median} Hours are UTC.</text>`;
}

/**
 * The same for the inside of a page: no tooltips, one path a level (a row's hours of one level that follow each other are
 * one dashed line), coloured by the classes `h0` to `h4` of the page. `label` says what it shows.
 */
export function inlineHeatmap(heatmap: HeatmapFacts, label: string): Xml {
  const lines = new Map<number, string>();
  heatmap.days.forEach((day, row) => {
    for (const { level, from, length } of runsOf(day, heatmap.medianMs)) {
      lines.set(level, `${lines.get(level) ?? ''}M${from * 10} ${row * 6 + 2.5}h${length * 10}`);
    }
  });
  const paths = [...lines].map(([level, line]) => xml`<path class="h${level}" d="${line}"/>`);
  return xml`<svg class="heat" viewBox="0 0 239 ${heatmap.days.length * 6 - 1}" preserveAspectRatio="none" role="img" aria-label="${label}">${paths}</svg>`;
}

interface Run {
  readonly level: number;
  readonly from: number;
  length: number;
}

/** Hours of the same level one after the other; those without data are in none. */
function runsOf(day: readonly HeatmapHour[], medianMs: number | null): Run[] {
  const runs: Run[] = [];
  day.forEach(({ averageMs }, from) => {
    const level = heatmapLevel(averageMs, medianMs);
    if (level === null) return;
    const last = runs.at(-1);
    if (last?.level === level && last.from + last.length === from) last.length += 1;
    else runs.push({ level, from, length: 1 });
  });
  return runs;
}
