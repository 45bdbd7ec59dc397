/** A scrolled window with a mark at its right if there is more above or below. */
import { Box, type DOMElement, measureElement } from 'ink';
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { span } from '../theme.ts';
import { Line, useTheme } from './parts.tsx';

interface ScrolledProps {
  /** The first line that is seen. */
  readonly scroll: number;
  readonly width: number;
  readonly height: number;
  /** Hears how far it can be scrolled, once it is laid out. */
  readonly onScroll: (mostScroll: number) => void;
  readonly children: ReactNode;
}

export function Scrolled({ scroll, width, height, onScroll, children }: ScrolledProps) {
  const { marks } = useTheme();
  const inner = useRef<DOMElement>(null);
  const [length, setLength] = useState(0);
  useLayoutEffect(() => {
    if (inner.current === null) return;
    const measured = measureElement(inner.current).height;
    if (measured !== length) setLength(measured);
    onScroll(Math.max(0, measured - height));
  });
  const isMore = length > scroll + height;
  return (
    <Box width={width} height={height} flexShrink={0}>
      <Box width={width - 2} height={height} overflowY="hidden" flexDirection="column">
        <Box ref={inner} flexDirection="column" flexShrink={0} marginTop={-scroll}>
          {children}
        </Box>
      </Box>
      <Box width={2} flexDirection="column" justifyContent="space-between" paddingLeft={1}>
        <Line spans={[span(scroll > 0 ? marks.up : ' ', 'accent')]} />
        <Line spans={[span(isMore ? marks.down : ' ', 'accent')]} />
      </Box>
    </Box>
  );
}
