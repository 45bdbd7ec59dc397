/** The pieces that every part of the screen is made of. */
import { Box, Text, Transform } from 'ink';
import { createContext, type ReactNode, useContext } from 'react';
import { type StyledText, span, type Theme, type Tone } from '../theme.ts';

const ThemeContext = createContext<Theme | null>(null);

export const ThemeProvider = ThemeContext.Provider;

export function useTheme(): Theme {
  const theme = useContext(ThemeContext);
  if (theme === null) throw new Error('there is no theme around this part of the screen');
  return theme;
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
 * A row of marks that each take a cell. Ink lays out as many letters, which are quickly measured, and the marks take
 * their place when the screen is put together.
 */
export function Strip({ spans, width }: { readonly spans: readonly StyledText[]; readonly width: number }) {
  const { paint } = useTheme();
  const painted = spans.map(({ text, tone }) => paint(text, tone)).join('');
  return (
    <Box width={width} flexShrink={0} height={1}>
      <Transform transform={() => painted}>{'.'.repeat(width)}</Transform>
    </Box>
  );
}

/** What gives way keeps so many cells: in none, Ink would still draw that something was cut. */
const leastCells = 4;

/** A rule across the whole width, with what follows written over it; `end` stands at its right. */
export function Rule({
  spans,
  end = [],
  width,
}: {
  readonly spans: readonly StyledText[];
  readonly end?: readonly StyledText[];
  readonly width: number;
}) {
  const { marks } = useTheme();
  const dashes = span(marks.rule.repeat(width), 'dim');
  const after = end.length === 0 ? [] : [span(' '), ...end, span(` ${marks.rule.repeat(2)}`, 'dim')];
  return (
    <Box width={width} height={1} flexShrink={0} justifyContent="space-between">
      <Box position="absolute">
        <Strip spans={[dashes]} width={width} />
      </Box>
      <Box flexShrink={100} minWidth={leastCells}>
        <Line spans={[span(`${marks.rule.repeat(2)} `, 'dim'), ...spans, span(' ')]} />
      </Box>
      <Box flexShrink={1}>
        <Line spans={after} />
      </Box>
    </Box>
  );
}

/** One line with something at each of its ends; the left one gives way. */
export function Ends({ children, end }: { readonly children: ReactNode; readonly end: ReactNode }) {
  return (
    <Box justifyContent="space-between" columnGap={2} height={1} flexShrink={0}>
      <Box flexShrink={100} minWidth={leastCells}>
        {children}
      </Box>
      <Box flexShrink={1}>{end}</Box>
    </Box>
  );
}
