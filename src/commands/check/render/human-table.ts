/** Draws the table: a line a monitor, in sections by group. */
import { latencyText } from '../../../engine/core/duration.ts';
import { cutCells, padEnd, padStart } from '../../terminal/cells.ts';
import type { CheckedMonitor } from '../report.ts';
import { statusMark } from './status-mark.ts';
import type { CheckView } from './view.ts';

const gap = '  ';
/** Narrower than this, a detail says nothing. */
const minDetail = 12;
/** A name cut shorter than this is not worth the detail it makes room for. */
const minName = 8;

interface Widths {
  readonly status: number;
  readonly name: number;
  readonly latency: number;
  /** Null: as wide as it is. Zero: no room for it. */
  readonly detail: number | null;
}

export function tableLines(results: readonly CheckedMonitor[], checkView: CheckView): string[] {
  const widths = widthsOf(results, checkView);
  const sections = sectionsOf(results);
  return sections.flatMap(({ group, members }, index) => [
    ...(index > 0 ? [''] : []),
    ...(group === null ? [] : [checkView.paint.bold(fitted(group, checkView.columns, checkView))]),
    ...members.map((result) => rowOf(result, widths, checkView)),
  ]);
}

/** Monitors without a group come first, groups in the order in which the configuration names them. */
function sectionsOf(
  results: readonly CheckedMonitor[],
): { group: string | null; members: CheckedMonitor[] }[] {
  const byGroup = new Map<string | null, CheckedMonitor[]>([[null, []]]);
  for (const result of results) {
    const members = byGroup.get(result.group);
    if (members === undefined) byGroup.set(result.group, [result]);
    else members.push(result);
  }
  return [...byGroup]
    .map(([group, members]) => ({ group, members }))
    .filter(({ members }) => members.length > 0);
}

function widthsOf(results: readonly CheckedMonitor[], { cells, columns }: CheckView): Widths {
  const widest = (texts: readonly string[]) => Math.max(0, ...texts.map((text) => cells.measure(text)));
  const status = widest(results.map((result) => result.status));
  const latency = widest(results.map(latencyOf));
  const name = widest(results.map((result) => result.name));
  if (columns === null) return { status, name, latency, detail: null };
  // Indent, mark, a space, then the three gaps between the columns.
  const fixed = gap.length + 2 + status + gap.length + gap.length + latency;
  const wanted = widest(results.map(detailOf));
  const least = Math.min(wanted, minDetail);
  const hasRoom = columns - fixed - gap.length - least >= Math.min(name, minName);
  const fittingName = Math.max(1, Math.min(name, columns - fixed - (hasRoom ? gap.length + least : 0)));
  return {
    status,
    name: fittingName,
    latency,
    detail: hasRoom ? columns - fixed - fittingName - gap.length : 0,
  };
}

function rowOf(result: CheckedMonitor, widths: Widths, checkView: CheckView): string {
  const { cells, paint, glyphs } = checkView;
  const name = padEnd(cutCells(result.name, widths.name, cells), widths.name, cells);
  const value = latencyOf(result);
  const latency = padStart(value === '' ? glyphs.none : value, widths.latency, cells);
  const text = widths.detail === 0 ? '' : fitted(detailOf(result), widths.detail, checkView);
  const row = [
    `${gap}${statusMark(result.status, widths.status, checkView)}`,
    result.status === 'skipped' ? paint.dim(name) : name,
    value === '' ? paint.dim(latency) : latency,
    ...(text === '' ? [] : [result.status === 'skipped' ? paint.dim(text) : text]),
  ];
  return row.join(gap).trimEnd();
}

function fitted(text: string, columns: number | null, { cells }: CheckView): string {
  return columns === null ? text : cutCells(text, columns, cells);
}

function latencyOf({ latencyMs }: CheckedMonitor): string {
  return latencyMs === null ? '' : latencyText(latencyMs);
}

function detailOf({ status, error }: CheckedMonitor): string {
  return status === 'skipped' ? 'waits for heartbeats' : (error ?? '');
}
