/** Draws the table: a line a monitor, in sections by group. */
import { latencyText } from '../../../engine/core/duration.ts';
import { cutCells } from '../../../engine/views/text/cells.ts';
import { type Cell, sectionLines } from '../../../engine/views/text/table.ts';
import type { CheckedMonitor } from '../report.ts';
import { paintStatus } from './status-mark.ts';
import type { CheckView } from './view.ts';

const indent = '  ';

const columns = [
  { heading: '' },
  { heading: '', least: 8 },
  { heading: '', isNumber: true },
  { heading: '', least: 12, spare: 1 },
] as const;

export function checkTable(results: readonly CheckedMonitor[], checkView: CheckView): string[] {
  const { cells, columns: width, paint } = checkView;
  const sections = sectionsOf(results);
  const tables = sectionLines(
    columns,
    sections.map(({ members }) => ({ rows: members.map((result) => rowOf(result, checkView)) })),
    { cells, columns: width === null ? null : width - indent.length },
  );
  return sections.flatMap(({ group }, index) => [
    ...(index > 0 ? [''] : []),
    ...(group === null ? [] : [paint.bold(width === null ? group : cutCells(group, width, cells))]),
    ...(tables[index] ?? []).slice(1).map((line) => indent + line),
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

function rowOf(result: CheckedMonitor, { paint, glyphs }: CheckView): Cell[] {
  const { status, name, latencyMs } = result;
  const dimmed = status === 'skipped' ? paint.dim : undefined;
  return [
    { text: `${glyphs[status]} ${status}`, paint: paintStatus(status, paint) },
    { text: name, paint: dimmed },
    latencyMs === null ? { text: glyphs.none, paint: paint.dim } : { text: latencyText(latencyMs) },
    { text: detailOf(result), paint: dimmed },
  ];
}

function detailOf({ status, error }: CheckedMonitor): string {
  return status === 'skipped' ? 'waits for heartbeats' : (error ?? '');
}
