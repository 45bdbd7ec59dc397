/** The details of one monitor: beside the table if there is room, else instead of it. */
import { Box } from 'ink';
import { cleanLine } from '../../engine/core/text.ts';
import { statusWord } from '../../engine/views/page-wording.ts';
import { detailSections, type DetailLine, type DetailSection, rangeText } from '../detail.ts';
import { wrapCells } from '../../engine/views/text/cells.ts';
import { screenCells } from '../fitted.ts';
import { selectedId } from '../selection.ts';
import { ranges, type ScreenState } from '../state.ts';
import { type Marks, span, statusTones } from '../theme.ts';
import { Line, Prose, Rule, Strip, useTheme } from './parts.tsx';
import { Scrolled } from './scrolled.tsx';

/** Text is easier to read in shorter lines than a terminal may have. */
const mostWidth = 110;

/** The line between the table and the pane, and the space behind it. */
const edgeWidth = 2;

function edge({ rule }: Marks) {
  const isAscii = rule === '-';
  return {
    borderStyle: isAscii ? 'classic' : 'single',
    borderTop: false,
    borderRight: false,
    borderBottom: false,
    paddingLeft: edgeWidth - 1,
  } as const;
}

interface DetailProps {
  readonly state: ScreenState;
  readonly width: number;
  readonly height: number;
  /** Whether the table stands at its left. */
  readonly isBeside: boolean;
  readonly onScroll: (mostScroll: number) => void;
}

/** The name of the monitor stays at the top, however far it is scrolled. */
export function DetailPane({ state, width: paneWidth, height, isBeside, onScroll }: DetailProps) {
  const { marks } = useTheme();
  const width = isBeside ? paneWidth - edgeWidth : paneWidth;
  const { model, detail, nowAt, hours, size } = state;
  const id = selectedId(state);
  const monitor = model?.summary.monitors.find((one) => one.id === id);
  if (model === null || monitor === undefined)
    return <Line spans={[span('there is no such monitor any more', 'dim')]} />;
  const { status, name, kind, group } = monitor;
  const about = cleanLine([monitor.id, kind, group].filter((word) => word !== null).join(', '));
  const textWidth = Math.min(width - 2, mostWidth);
  const sections = detailSections(
    {
      model,
      monitor,
      live: state.glances.get(monitor.id) ?? null,
      detail: detail?.id === monitor.id ? detail : null,
      hours,
      nowAt,
      width: textWidth,
      chartHeight: Math.min(10, Math.max(4, Math.floor(size.rows / 5))),
    },
    marks,
  );
  const word = status === 'unknown' ? 'no data' : statusWord(status).toLowerCase();
  return (
    <Box
      flexDirection="column"
      width={paneWidth}
      height={height}
      flexShrink={0}
      {...(isBeside ? edge(marks) : {})}
    >
      <Rule
        width={width}
        spans={[
          span(`${marks.status[status]} ${word}`, statusTones[status]),
          span('  '),
          span(cleanLine(name), 'strong'),
          span(`  ${about}`, 'dim'),
        ]}
        end={ranges.flatMap((one, index) => [
          span(index === 0 ? '' : ' '),
          one === hours ? span(`[${rangeText(one)}]`, 'accent') : span(rangeText(one), 'dim'),
        ])}
      />
      <Scrolled scroll={state.scroll} height={height - 1} width={width} onScroll={onScroll}>
        {sections.map((section) => (
          <Section key={section.heading} section={section} width={textWidth} />
        ))}
      </Scrolled>
    </Box>
  );
}

function Section({ section, width }: { readonly section: DetailSection; readonly width: number }) {
  const { heading, lines } = section;
  return (
    <Box flexDirection="column" flexShrink={0} width={width} marginBottom={1}>
      {heading === '' ? null : <Line spans={[span(heading, 'strong')]} />}
      {lines.map((line, index) => (
        <DetailRow key={index} line={line} width={width} />
      ))}
    </Box>
  );
}

function DetailRow({ line, width }: { readonly line: DetailLine; readonly width: number }) {
  if (line.kind === 'strip') return <Strip spans={line.spans} width={line.width} />;
  const { lead, leadWidth, text, tone } = line;
  return (
    <Box flexShrink={0}>
      {leadWidth === 0 ? null : (
        <Box width={leadWidth} flexShrink={0}>
          <Line spans={lead} />
        </Box>
      )}
      {/* Ink would begin a line with the space that it was broken at. */}
      <Prose tone={tone} text={wrapCells(text, Math.max(8, width - leadWidth), screenCells).join('\n')} />
    </Box>
  );
}
