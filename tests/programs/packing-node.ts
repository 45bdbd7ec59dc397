/** A node that packs rollups by the week as soon as it leads, and says so of each step. Arguments: the URL of the database, the present (epoch ms). */
import { schema } from '../../src/db/tables/schema/schema.ts';
import { retentionOf } from '../../src/db/tables/retention/retention.ts';
import { HistoryMover, type HistoryMoverOptions } from '../../src/engine/monitoring/history-mover.ts';
import { openTestNode } from '../support/nodes.ts';
import { realClock } from '../support/real-clock.ts';

const [url = '', at = ''] = process.argv.slice(2);
const config = { storage: { history_hours: 48 }, maintenance: [], peers: [] };
const store = await openTestNode('a', { url, schema, leaseMs: 5000 });
await store.leads;
const mover = new HistoryMover({
  store,
  clock: realClock,
  config: () => config as unknown as ReturnType<HistoryMoverOptions['config']>,
  signal: new AbortController().signal,
});
process.stdout.write('leads\n');
store.onChange(() => process.stdout.write('on\n'));
while (await mover.tidy(Number(at), retentionOf(90, new Map())));
process.stdout.write('done\n');
await store.close();
