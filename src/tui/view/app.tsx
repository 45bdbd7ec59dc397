/** The whole screen, chosen by its width and height. */
import { Box, useInput } from 'ink';
import type { Key } from '../keys.ts';
import { panesOf } from '../layout/regions.ts';
import { regionsFor } from '../selection.ts';
import { type ScreenState } from '../state.ts';
import type { Theme } from '../theme.ts';
import { DetailPane } from './detail.tsx';
import { Footer } from './footer.tsx';
import { Headline, Troubles } from './header.tsx';
import { Help } from './help.tsx';
import { keysOf } from './input.ts';
import { ThemeProvider } from './parts.tsx';
import { Table } from './table.tsx';

export interface HeadProps {
  readonly state: ScreenState;
  readonly theme: Theme;
}

export interface BodyProps extends HeadProps {
  /** Hears how far the detail or the help can be scrolled. */
  readonly onScroll: (mostScroll: number) => void;
}

/** The first lines: how everything is, and what time it is. */
export function Head({ state, theme }: HeadProps) {
  const { size } = state;
  return (
    <ThemeProvider value={theme}>
      <Box flexDirection="column" width={size.columns} height={regionsFor(state).headline}>
        <Headline state={state} />
      </Box>
    </ThemeProvider>
  );
}

/** Everything below the first lines. */
export function Body({ state, theme, onScroll }: BodyProps) {
  const { size, place, scroll } = state;
  const regions = regionsFor(state);
  const isOpen = place === 'detail';
  const { table, pane } = panesOf(size.columns, isOpen);
  const rows = Math.max(1, size.rows - regions.headline);
  const height = regions.body + 2;
  return (
    <ThemeProvider value={theme}>
      <Box flexDirection="column" width={size.columns} height={rows}>
        {place === 'help' ? (
          <Help width={size.columns} height={rows - 1} scroll={scroll} onScroll={onScroll} />
        ) : (
          <>
            <Troubles state={state} regions={regions} />
            <Box height={height} flexShrink={0}>
              {table === 0 ? null : <Table state={state} width={table} body={regions.body} />}
              {isOpen ? (
                <DetailPane {...{ state, height, onScroll }} width={pane} isBeside={table > 0} />
              ) : null}
            </Box>
          </>
        )}
        <Box flexGrow={1} />
        <Footer state={state} room={place === 'help' ? 0 : regions.dialog} />
      </Box>
    </ThemeProvider>
  );
}

/** The same with a keyboard. `text`: what the key writes; empty for a key that writes nothing. */
export function LiveBody({
  onKey,
  ...rest
}: BodyProps & { readonly onKey: (key: Key, text: string) => void }) {
  useInput((input, key) => {
    for (const [name, text] of keysOf(input, key)) onKey(name, text);
  });
  return <Body {...rest} />;
}
