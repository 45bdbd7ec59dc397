/** One frame for paper or a pipe: all monitors, no cursor, no keys. */
import { Box } from 'ink';
import type { ScreenState } from '../state.ts';
import type { Theme } from '../theme.ts';
import { Headline, Troubles } from './header.tsx';
import { ThemeProvider } from './parts.tsx';
import { Table } from './table.tsx';

/** Plenty: nothing above the table is left out. */
const all = 100_000;

export function Sheet({ state, theme }: { readonly state: ScreenState; readonly theme: Theme }) {
  const { rows, size, model } = state;
  const regions = {
    headline: 1,
    dialog: 0,
    body: Math.max(1, rows.length),
    banners: all,
    channels: all,
    incidents: model?.summary.incidents.length === 0 ? 0 : all,
  };
  return (
    <ThemeProvider value={theme}>
      <Box flexDirection="column" width={size.columns}>
        <Headline state={state} />
        <Troubles state={state} regions={regions} />
        <Table state={state} width={size.columns} body={regions.body} shown={rows} hasCursor={false} />
      </Box>
    </ThemeProvider>
  );
}
