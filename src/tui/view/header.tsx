/** The lines above the table: the headline; then faults, banners, open incidents. */
import { Box } from 'ink';
import { cleanLine } from '../../engine/core/text.ts';
import { cellsOfAll } from '../fitted.ts';
import { headlineOf } from '../headline.ts';
import { incidentBlocks, type IncidentBlock, rootIncidents } from '../incidents.ts';
import { wideColumns, type Regions } from '../layout/regions.ts';
import { bannersOf, type HeaderNotice, ownTroubles } from '../notices.ts';
import type { ScreenState } from '../state.ts';
import { type Marks, type StyledText, span } from '../theme.ts';
import { Ends, Line, Rule, useTheme } from './parts.tsx';
import { counted } from '../../engine/core/words.ts';

interface HeaderProps {
  readonly state: ScreenState;
  readonly regions: Regions;
}

/** What is wrong, below the first lines. */
export function Troubles({ state, regions }: HeaderProps) {
  const { model, size } = state;
  const { columns } = size;
  if (model === null) return null;
  return (
    <Box flexDirection="column" flexShrink={0}>
      <Notices all={ownTroubles(model.summary)} room={regions.channels} columns={columns} isWarning />
      <Notices all={bannersOf(model.summary)} room={regions.banners} columns={columns} />
      <Incidents state={state} room={regions.incidents} />
    </Box>
  );
}

/** The first line or two, which alone change with every second. */
export function Headline({ state }: Pick<HeaderProps, 'state'>) {
  const { marks } = useTheme();
  const { columns } = state.size;
  const isWide = columns >= wideColumns;
  const { state: overall, counts, daemon, alerts, clock } = headlineOf({ ...state, hasBars: isWide }, marks);
  if (!isWide) {
    return (
      <>
        <Ends spans={[span(' '), ...overall]} end={[...counts, span('  '), ...clock]} width={columns} />
        <Ends spans={[span(' '), ...daemon]} end={alerts} width={columns} />
      </>
    );
  }
  return (
    <Box justifyContent="space-between" columnGap={2} height={1} flexShrink={0}>
      <Line spans={[span(' '), ...overall]} />
      <Box flexShrink={0}>
        <Line spans={counts} />
      </Box>
      <Line spans={daemon} />
      <Box flexShrink={0}>
        <Line spans={alerts} />
      </Box>
      <Box flexShrink={0}>
        <Line spans={clock} />
      </Box>
    </Box>
  );
}

/** The mark alone is coloured: in many palettes a yellow line cannot be read on white. */
function Notices({
  all,
  room,
  columns,
  isWarning = false,
}: {
  readonly all: readonly HeaderNotice[];
  readonly room: number;
  readonly columns: number;
  readonly isWarning?: boolean;
}) {
  const { marks } = useTheme();
  const mark = isWarning ? marks.warning : marks.banner;
  return limited(all, room, isWarning ? 'broken channels and nodes' : 'banners').map(
    ({ text, tone }, index) => (
      <Ends key={index} spans={[span(` ${mark} `, tone), span(cleanLine(text))]} width={columns} />
    ),
  );
}

/** As many as there is room for; the last line says how many more there are. */
function limited(notices: readonly HeaderNotice[], room: number, noun: string): readonly HeaderNotice[] {
  if (notices.length <= room) return notices;
  if (room === 0) return [];
  const shown = notices.slice(0, room - 1);
  const more = notices.length - shown.length;
  return [...shown, { text: `${more} ${shown.length === 0 ? '' : 'more '}${noun}`, tone: 'warn' }];
}

function Incidents({ state, room }: { readonly state: ScreenState; readonly room: number }) {
  const { marks } = useTheme();
  const { model, live, nowAt, size } = state;
  if (model === null || room === 0) return null;
  const { summary, readAt } = model;
  const blocks = incidentBlocks({ summary, live, aheadMs: Math.max(0, nowAt - readAt), nowAt }, marks);
  const roots = rootIncidents(summary).length;
  const { shown, more } = fitted(blocks, roots - blocks.length, { room, columns: size.columns });
  return (
    <Box
      flexDirection="column"
      flexShrink={0}
      {...(shown.length === blocks.length ? {} : { height: room + 1 })}
    >
      <Rule
        width={size.columns}
        spans={[span(`Incidents ${roots}`, 'strong')]}
        end={channelSpans(summary.channels, marks)}
      />
      {shown.map((block) => (
        <Incident key={block.uid} block={block} columns={size.columns} />
      ))}
      {more === 0 ? null : <Line spans={[span(` and ${counted(more, 'more open incident')}`, 'bad')]} />}
    </Box>
  );
}

/** `sent` and what else there is to say share a line where the first one is full. */
function Incident({ block, columns }: { readonly block: IncidentBlock; readonly columns: number }) {
  const { what, sent, more } = block;
  const { marks } = useTheme();
  const isWide = isBeside(sent, columns);
  const below = isWide ? more : belowOf(block, marks);
  return (
    <>
      <Ends spans={[span(' '), ...what]} end={isWide ? [...sent, span(' ')] : []} width={columns} />
      {below.length === 0 ? null : <Ends spans={[span('     '), ...below]} width={columns} />}
    </>
  );
}

/** Whether what was sent is at the right of the first line: where it is long, it would cut off what is down. */
function isBeside(sent: readonly StyledText[], columns: number): boolean {
  return columns >= wideColumns && cellsOfAll(sent) <= columns / 2;
}

function belowOf({ sent, more }: IncidentBlock, { branch, dot }: Marks): readonly StyledText[] {
  if (sent.length === 0) return more;
  const [, ...rest] = more;
  const apart = rest.length === 0 ? [] : [span(` ${dot} `, 'dim')];
  return [span(`${branch} `, 'dim'), ...sent, ...apart, ...rest];
}

/**
 * Blocks of one or two lines, whole ones only; the last line is kept for how many more there are. Where not one fits,
 * the first line of the first is more than a count.
 */
function fitted(
  blocks: readonly IncidentBlock[],
  hidden: number,
  { room, columns }: { readonly room: number; readonly columns: number },
) {
  const heightOf = ({ sent, more }: IncidentBlock) =>
    more.length > 0 || (sent.length > 0 && !isBeside(sent, columns)) ? 2 : 1;
  const total = blocks.reduce((sum, block) => sum + heightOf(block), 0);
  let left = total <= room && hidden === 0 ? room : room - 1;
  const shown: IncidentBlock[] = [];
  for (const block of blocks) {
    left -= heightOf(block);
    if (left < 0) break;
    shown.push(block);
  }
  const [first] = blocks;
  const all = blocks.length + hidden;
  if (shown.length > 0 || first === undefined) return { shown, more: all - shown.length };
  const headline = { ...first, sent: isBeside(first.sent, columns) ? first.sent : [], more: [] };
  return { shown: [headline], more: room > 1 ? all - 1 : 0 };
}

/** How each channel is. */
function channelSpans(
  channels: readonly { readonly name: string; readonly failing: boolean }[] = [],
  marks: Marks,
) {
  return channels.flatMap(({ name, failing }, index) => [
    span(index === 0 ? '' : ' '),
    span(cleanLine(name), 'dim'),
    failing ? span(marks.status.down, 'bad') : span(marks.status.up, 'good'),
  ]);
}
