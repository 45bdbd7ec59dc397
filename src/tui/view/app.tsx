/** The whole screen, laid out by its width and height. */
import { Box, useInput } from 'ink';
import { useMemo, useState } from 'react';
import type { Key } from '../keys.ts';
import { type MouseMove, mouseOf } from '../mouse.ts';
import { panesOf } from '../layout/regions.ts';
import { regionsFor } from '../selection.ts';
import { type ScreenState } from '../state.ts';
import type { Theme } from '../theme.ts';
import { DetailPane } from './detail.tsx';
import { Feed } from './feed.tsx';
import { Footer } from './footer.tsx';
import { Headline, Troubles } from './header.tsx';
import { Help } from './help.tsx';
import { createStrokeReader } from './input.ts';
import type { PaintedLines } from './painted.ts';
import { CanvasProvider } from './parts.tsx';
import { Table } from './table.tsx';

export interface HeadProps {
  readonly state: ScreenState;
  readonly theme: Theme;
  readonly painted: PaintedLines;
}

export interface BodyProps extends HeadProps {
  /** Hears how far the detail or the help can be scrolled. */
  readonly onScroll: (mostScroll: number) => void;
}

/** The first lines: how everything is, and what time it is. */
export function Head({ state, theme, painted }: HeadProps) {
  const { size } = state;
  const canvas = useMemo(() => ({ theme, painted }), [theme, painted]);
  return (
    <CanvasProvider value={canvas}>
      <Box flexDirection="column" width={size.columns} height={regionsFor(state).headline}>
        <Headline state={state} />
      </Box>
    </CanvasProvider>
  );
}

/** Everything below the first lines. */
export function Body({ state, theme, painted, onScroll }: BodyProps) {
  const canvas = useMemo(() => ({ theme, painted }), [theme, painted]);
  const { size, place, scroll, rows } = state;
  const regions = regionsFor(state);
  const isOpen = place === 'detail';
  const { table, pane } = panesOf(size.columns, isOpen);
  const lines = Math.max(1, size.rows - regions.headline);
  const isFeedShown = regions.feed > 0 && table > 0;
  // The events follow the last row.
  const tableRows = isFeedShown ? Math.min(regions.body, Math.max(1, rows.length) + 1) : regions.body;
  const height = regions.body + 2 + regions.feed;
  return (
    <CanvasProvider value={canvas}>
      <Box flexDirection="column" width={size.columns} height={lines}>
        {place === 'help' ? (
          <Help width={size.columns} height={lines - 1} scroll={scroll} onScroll={onScroll} />
        ) : (
          <>
            <Troubles state={state} regions={regions} />
            <Box height={height} flexShrink={0}>
              {table === 0 ? null : (
                <Box flexDirection="column" width={table} flexShrink={0}>
                  <Table state={state} width={table} body={tableRows} />
                  {isFeedShown ? <Feed state={state} width={table} room={regions.feed} /> : null}
                </Box>
              )}
              {isOpen ? (
                <DetailPane {...{ state, height, onScroll }} width={pane} isBeside={table > 0} />
              ) : null}
            </Box>
          </>
        )}
        <Box flexGrow={1} />
        <Footer state={state} room={place === 'help' ? 0 : regions.dialog} />
      </Box>
    </CanvasProvider>
  );
}

export interface InputListeners {
  /** `text`: what the key writes; empty for a key that writes nothing. */
  readonly onKey: (key: Key, text: string) => void;
  readonly onMouse: (mouse: MouseMove) => void;
}

/** The same with a keyboard and a mouse. */
export function LiveBody({ onKey, onMouse, ...rest }: BodyProps & InputListeners) {
  const [strokesOf] = useState(createStrokeReader);
  useInput((input, key) => {
    const mouse = mouseOf(input);
    if (mouse !== null) {
      if (mouse !== 'other') onMouse(mouse);
      return;
    }
    for (const [name, text] of strokesOf(input, key)) onKey(name, text);
  });
  return <Body {...rest} />;
}
