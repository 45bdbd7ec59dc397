/** The components that every part of the screen uses. */
import { Box, Text } from 'ink';
import { createContext, useContext, useEffect, useState } from 'react';
import { cellsOfAll, cutSpans, fitted } from '../fitted.ts';
import { type StyledText, span, type Theme, type Tone } from '../theme.ts';
import type { PaintedLines } from './painted.ts';

interface Canvas {
  readonly theme: Theme;
  readonly painted: PaintedLines;
}

const CanvasContext = createContext<Canvas | null>(null);

export const CanvasProvider = CanvasContext.Provider;

function useCanvas(): Canvas {
  const canvas = useContext(CanvasContext);
  if (canvas === null) throw new Error('there is no theme around this part of the screen');
  return canvas;
}

export function useTheme(): Theme {
  return useCanvas().theme;
}

/** One line of text in several tones; what does not fit is cut at its end. */
export function Line({ spans }: { readonly spans: readonly StyledText[] }) {
  const { paint } = useTheme();
  return <Text wrap="truncate">{spans.map(({ text, tone }) => paint(text, tone)).join('')}</Text>;
}

/** Text in one tone that goes on in the next line where it has to. */
export function Prose({ tone = 'plain', text }: { readonly tone?: Tone; readonly text: string }) {
  const { paint } = useTheme();
  return <Text wrap="wrap">{paint(text, tone)}</Text>;
}

/**
 * A line of exactly `width` cells, of which Ink lays out one: to measure, cut and compose every character of a full
 * screen takes it longer than all the rest.
 */
export function Strip({ spans, width }: { readonly spans: readonly StyledText[]; readonly width: number }) {
  const { theme, painted } = useCanvas();
  const [mark] = useState(() => painted.take());
  painted.put(mark, { text: paintedText(spans, theme), width });
  useEffect(
    () => () => {
      painted.drop(mark);
    },
    [painted, mark],
  );
  return (
    <Box width={width} flexShrink={0} height={1}>
      <Text>{mark}</Text>
    </Box>
  );
}

/** Neighbours of one tone are painted together; a space looks the same in every tone but that of the cursor. */
function paintedText(spans: readonly StyledText[], { paint }: Theme): string {
  const runs: StyledText[] = [];
  for (const { text, tone } of spans) {
    const last = runs.at(-1);
    const isJoined =
      last !== undefined && (last.tone === tone || (last.tone !== 'cursor' && /^ *$/.test(text)));
    if (isJoined) runs[runs.length - 1] = span(last.text + text, last.tone);
    else runs.push(span(text, tone));
  }
  return runs.map(({ text, tone }) => paint(text, tone)).join('');
}

/** What gives way keeps so many cells. */
const leastCells = 4;

interface EndsProps {
  readonly spans: readonly StyledText[];
  /** At the right. */
  readonly end?: readonly StyledText[];
  readonly width: number;
}

/** A rule across the whole width, with what follows written over it. */
export function Rule({ spans, end = [], width }: EndsProps) {
  const { marks } = useTheme();
  const short = span(marks.rule.repeat(2), 'dim');
  const after = end.length === 0 ? [] : cutSpans([span(' '), ...end, span(' '), short], width - leastCells);
  const room = width - cellsOfAll(after);
  const before = cutSpans([short, span(' '), ...spans, span(' ')], room);
  const dashes = span(marks.rule.repeat(Math.max(0, room - cellsOfAll(before))), 'dim');
  return <Strip spans={[...before, dashes, ...after]} width={width} />;
}

/** One line with something at each of its ends; the left one gives way. */
export function Ends({ spans, end = [], width }: EndsProps) {
  const after = end.length === 0 ? [] : cutSpans([span('  '), ...end], width - leastCells);
  return <Strip spans={[...fitted(spans, width - cellsOfAll(after)), ...after]} width={width} />;
}
