/** The table of monitors: as many rows as there are lines, each cell as wide as its column. */
import { Box } from 'ink';
import { memo, useMemo } from 'react';
import { cleanLine } from '../../engine/core/text.ts';
import type { LiveMonitor } from '../../engine/views/live.ts';
import { cellOf } from '../cells.ts';
import { fitted } from '../fitted.ts';
import {
  columnsFor,
  gap,
  gutter,
  headingOf,
  isFigure,
  type TableColumn,
  type TableRoom,
} from '../layout/columns.ts';
import {
  countsText,
  type RowOfGroup,
  keyOfRow,
  type RowOfMonitor,
  sortWords,
  type TableRow,
} from '../rows.ts';
import { cursorIn, selectedId, shownRows } from '../selection.ts';
import { type ScreenState } from '../state.ts';
import { type Marks, type StyledText, span } from '../theme.ts';
import { Line, Rule, Strip, useTheme } from './parts.tsx';

interface TableProps {
  readonly state: ScreenState;
  readonly width: number;
  /** Lines for rows. */
  readonly body: number;
  /** Left out: those on the screen. */
  readonly shown?: readonly TableRow[];
  readonly hasCursor?: boolean;
}

export function Table({ state, width, body, shown = shownRows(state), hasCursor = true }: TableProps) {
  const { marks } = useTheme();
  const { model, rows, nowAt, filter, place } = state;
  const { checks, hours, days } = pastOf(state);
  const columns = useMemo(
    () => columnsFor({ ...state.wants, width, checks, hours, days }),
    [state.wants, width, checks, hours, days],
  );
  if (model === null) return null;
  const selected = hasCursor ? rows[cursorIn(state)] : undefined;
  const cursorKey = selected === undefined ? null : keyOfRow(selected);
  // What is open beside the table may have left it.
  const selectedKey = place === 'detail' && selectedId(state) !== cursorKey ? null : cursorKey;
  const aheadMs = Math.max(0, nowAt - model.readAt);
  const downSince = new Map(
    model.summary.incidents.flatMap(({ monitor, kind, duration_secs }) =>
      monitor === null || kind !== 'down' ? [] : [[monitor, duration_secs * 1000 + aheadMs]],
    ),
  );
  const now = model.summary.generated_at;
  const why = filter.trim() === '' ? 'there are no monitors' : 'no monitor matches the filter';
  return (
    <Box flexDirection="column" width={width} height={body + 2} flexShrink={0}>
      <Rule width={width} spans={titleSpans(state, marks)} end={scrollSpans(state, body, marks)} />
      <Heading columns={columns} width={width} days={days} />
      {rows.length === 0 ? <Line spans={[span(`  ${why}`, 'dim')]} /> : null}
      {shown.map((row) => {
        const key = keyOfRow(row);
        const isSelected = key === selectedKey;
        if (row.kind === 'group') return <Group key={key} row={row} isSelected={isSelected} width={width} />;
        const { id, last_checked } = row.monitor;
        return (
          <Monitor
            key={key}
            monitor={row.monitor}
            because={row.because}
            isNested={row.isNested}
            acknowledged={row.acknowledged}
            isSelected={isSelected}
            columns={columns}
            width={width}
            live={state.glances.get(id) ?? null}
            downMs={downSince.get(id) ?? null}
            checkedMs={last_checked === null ? null : Math.max(0, Date.parse(now) - Date.parse(last_checked))}
            now={now}
          />
        );
      })}
    </Box>
  );
}

/** How many of some hours or days there are since the first that was measured; 0: at most one of them was. */
function ageOf(states: readonly string[]): number {
  const isMeasured = (state: string) => state !== 'unknown';
  const first = states.findIndex(isMeasured);
  return first < states.findLastIndex(isMeasured) ? states.length - first : 0;
}

/** How much of the past there is to draw: a column of a new daemon would be empty. */
function pastOf({ model, live, glances }: ScreenState): Pick<TableRoom, 'checks' | 'hours' | 'days'> {
  const monitors = model?.summary.monitors ?? [];
  const seen = live === null ? [] : [...glances.values()];
  const days = (live?.monitors[0]?.days ?? monitors[0]?.history ?? []).length;
  const hasDays =
    seen.some((one) => ageOf(one.days) > 0) ||
    monitors.some(({ history }) => ageOf(history.map(({ state }) => state)) > 0);
  return {
    checks: seen.reduce((most, one) => Math.max(most, one.checks.length), 0),
    hours: seen.reduce((most, { hours }) => Math.max(most, ageOf(hours.map(({ status }) => status))), 0),
    days: hasDays ? days : 0,
  };
}

/** `Monitors 4 of 50 ── filter: core ── worst first ↓ ── by group`. */
function titleSpans(
  { model, rows, filter, sort, isReversed, isGrouped, folded }: ScreenState,
  marks: Marks,
): StyledText[] {
  const count = model?.summary.monitors.length ?? 0;
  const isFiltered = filter.trim() !== '';
  const shown = rows.filter(({ kind }) => kind === 'monitor').length;
  const isPart = isFiltered || (isGrouped && folded.size > 0 && shown < count);
  const apart = span(` ${marks.rule.repeat(2)} `, 'dim');
  return [
    span(`Monitors ${isPart ? `${shown} of ${count}` : count}`, 'strong'),
    ...(isFiltered ? [apart, span(`filter: ${cleanLine(filter.trim())}`, 'accent')] : []),
    apart,
    span(`${sortWords[sort]} ${isReversed ? marks.up : marks.down}`, 'dim'),
    ...(isGrouped ? [apart, span('by group', 'dim')] : []),
  ];
}

/** Which rows are seen, where not all are. */
function scrollSpans({ rows, top }: ScreenState, body: number, marks: Marks) {
  if (rows.length <= body) return [];
  const last = Math.min(rows.length, top + body);
  const arrows = `${top > 0 ? marks.up : ' '}${last < rows.length ? marks.down : ' '}`;
  return [span(`${arrows} ${top + 1}-${last} of ${rows.length}`, 'dim')];
}

const Heading = memo(function Heading({ columns, width, days }: TableShape & { readonly days: number }) {
  const cells = columns.map((column) => [span(headingOf(column, days), 'dim')]);
  return <Strip spans={rowSpans(span(' '.repeat(gutter)), columns, cells)} width={width} />;
});

const Group = memo(function Group({ row, isSelected, width }: GroupProps) {
  const { marks } = useTheme();
  const { name, counts, isFolded } = row;
  const spans = [
    span(isSelected ? `${marks.cursor} ` : ' '.repeat(gutter), 'accent'),
    span(`${isFolded ? marks.folded : marks.unfolded} `, 'dim'),
    span(name === null ? 'No group' : cleanLine(name), isSelected ? 'cursor' : 'strong'),
    span(`  ${countsText(counts)}`, 'dim'),
  ];
  return <Strip spans={fitted(spans, width)} width={width} />;
});

interface GroupProps {
  readonly row: RowOfGroup;
  readonly isSelected: boolean;
  readonly width: number;
}

interface TableShape {
  readonly columns: readonly TableColumn[];
  readonly width: number;
}

interface MonitorProps extends TableShape, Omit<RowOfMonitor, 'kind'> {
  readonly isSelected: boolean;
  readonly live: LiveMonitor | null;
  readonly downMs: number | null;
  readonly checkedMs: number | null;
  readonly now: string;
}

/** The cursor takes the name alone, so that the marks keep their colours. What did not change is not drawn again. */
const Monitor = memo(function Monitor({
  monitor,
  because,
  isNested,
  acknowledged,
  isSelected,
  columns,
  width,
  ...rest
}: MonitorProps) {
  const { marks } = useTheme();
  const facts = { row: { kind: 'monitor', monitor, because, isNested, acknowledged } as const, ...rest };
  const cells = columns.map((column) => {
    const spans = cellOf(facts, column, marks);
    return isSelected && column.name === 'name' ? withCursor(spans) : spans;
  });
  const cursor = span(isSelected ? `${marks.cursor} ` : ' '.repeat(gutter), 'accent');
  return <Strip spans={rowSpans(cursor, columns, cells)} width={width} />;
});

function withCursor(spans: readonly StyledText[]): readonly StyledText[] {
  return spans.map((one, index) => (index === spans.length - 1 ? span(one.text, 'cursor') : one));
}

/** Each cell as wide as its column. */
function rowSpans(
  cursor: StyledText,
  columns: readonly TableColumn[],
  cells: readonly (readonly StyledText[])[],
): readonly StyledText[] {
  return [
    cursor,
    ...columns.flatMap(({ name, width }, index) => [
      span(index === 0 ? '' : ' '.repeat(gap)),
      ...fitted(cells[index] ?? [], width, isFigure(name)),
    ]),
  ];
}
