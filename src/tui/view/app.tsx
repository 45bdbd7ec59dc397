/** The whole screen, chosen by its width and height. */
import { Box, useInput } from 'ink';
import type { Key } from '../keys.ts';
import { panesOf } from '../layout/regions.ts';
import { regionsFor } from '../selection.ts';
import { type ScreenState } from '../state.ts';
import type { Theme } from '../theme.ts';
import { DetailPane } from './detail.tsx';
import { Footer } from './footer.tsx';
import { Header } from './header.tsx';
import { Help } from './help.tsx';
import { keysOf } from './input.ts';
import { ThemeProvider } from './parts.tsx';
import { Table } from './table.tsx';

export interface AppProps {
  readonly state: ScreenState;
  readonly theme: Theme;
  /** Hears how far the detail or the help can be scrolled. */
  readonly onScroll: (mostScroll: number) => void;
}

export function App({ state, theme, onScroll }: AppProps) {
  const { size, place, scroll } = state;
  const regions = regionsFor(state);
  const isOpen = place === 'detail';
  const { table, pane } = panesOf(size.columns, isOpen);
  const height = regions.body + 2;
  return (
    <ThemeProvider value={theme}>
      <Box flexDirection="column" width={size.columns} height={size.rows}>
        {place === 'help' ? (
          <Help width={size.columns} height={size.rows - 1} scroll={scroll} onScroll={onScroll} />
        ) : (
          <>
            <Header state={state} regions={regions} />
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
export function LiveApp({ onKey, ...rest }: AppProps & { readonly onKey: (key: Key, text: string) => void }) {
  useInput((input, key) => {
    for (const [name, text] of keysOf(input, key)) onKey(name, text);
  });
  return <App {...rest} />;
}
