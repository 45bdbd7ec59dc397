/** Opens a database and prints how long it took and how much memory the process has: `bench/open.ts FILE`. */
import { monitors } from '../src/db/tables/monitors.ts';
import { openReaderStore } from './seeding/open-store.ts';

const startedAt = performance.now();
const store = await openReaderStore(process.argv[2] ?? '');
const found = monitors.list(store.sql).length;
const openMs = performance.now() - startedAt;
process.stdout.write(JSON.stringify({ openMs, rssBytes: process.memoryUsage().rss, found }));
await store.close();
