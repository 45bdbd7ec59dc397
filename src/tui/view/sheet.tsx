/** One frame for paper or a pipe: all monitors, no cursor, no keys. */
import { Box } from 'ink';
import { Headline, Troubles } from './header.tsx';
import type { HeadProps } from './app.tsx';
import { CanvasProvider } from './parts.tsx';
import { Table } from './table.tsx';

/** Plenty: nothing above the table is left out. */
const all = 100_000;

export function Sheet({ state, ...canvas }: HeadProps) {
  const { rows, size, model } = state;
  const regions = {
    headline: 1,
    dialog: 0,
    feed: 0,
    body: Math.max(1, rows.length),
    banners: all,
    channels: all,
    incidents: model?.summary.incidents.length === 0 ? 0 : all,
  };
  return (
    <CanvasProvider value={canvas}>
      <Box flexDirection="column" width={size.columns}>
        <Headline state={state} />
        <Troubles state={state} regions={regions} />
        <Table state={state} width={size.columns} body={regions.body} shown={rows} hasCursor={false} />
      </Box>
    </CanvasProvider>
  );
}
