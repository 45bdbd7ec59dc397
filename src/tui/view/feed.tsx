/** Recent events, below a table that leaves room for them. */
import { clockText, dayText } from '../../engine/core/instant.ts';
import { cleanLine } from '../../engine/core/text.ts';
import type { LiveEvent } from '../../engine/views/feed.ts';
import type { ScreenState } from '../screen-state.ts';
import { type Marks, type StyledText, span, type Tone } from '../theme.ts';
import { Ends, Rule, useTheme } from './parts.tsx';

const tones: Readonly<Record<LiveEvent['kind'], Tone>> = {
  down: 'bad',
  unknown: 'dim',
  up: 'good',
  sent: 'accent',
  failed: 'bad',
  suppressed: 'dim',
  changed: 'strong',
};

interface FeedProps {
  readonly state: ScreenState;
  readonly width: number;
  /** Lines, the rule above them included. */
  readonly room: number;
}

export function Feed({ state, width, room }: FeedProps) {
  const { marks } = useTheme();
  const events = state.live?.feed.slice(0, room - 1) ?? [];
  return (
    <>
      <Rule
        width={width}
        spans={[span('Events', 'strong'), span(` ${marks.rule.repeat(2)} newest first`, 'dim')]}
      />
      {events.map((event, index) => (
        <Ends key={index} spans={spansOf(event, state.nowAt, marks)} width={width} />
      ))}
    </>
  );
}

function spansOf({ at, kind, text }: LiveEvent, nowAt: number, marks: Marks): readonly StyledText[] {
  const time = Date.parse(at);
  const isToday = dayText(time) === dayText(nowAt);
  const when = `${isToday ? ' '.repeat(6) : dayText(time).slice(5).padEnd(6)}${clockText(time)}`;
  return [
    span(` ${when}  `, 'dim'),
    span(markOf(kind, marks), tones[kind]),
    span(`  ${cleanLine(text)}`, kind === 'suppressed' ? 'dim' : 'plain'),
  ];
}

function markOf(kind: LiveEvent['kind'], { status, arrow, dot, banner }: Marks): string {
  switch (kind) {
    case 'down':
    case 'unknown':
    case 'up':
      return status[kind];
    case 'sent':
      return arrow.slice(-1);
    case 'failed':
      return status.degraded;
    case 'suppressed':
      return dot;
    case 'changed':
      return banner;
  }
}
