/** Has a snapshot built in a process of its own: `checkpoint-leader.ts MODULE URL`, where MODULE builds it. */
import { inProcess } from '../../src/db/wal/checkpoint/thread.ts';

const [, , module = '', url = ''] = process.argv;
await inProcess(new URL(module))({ url, space: 'statusd', epoch: 1 });
