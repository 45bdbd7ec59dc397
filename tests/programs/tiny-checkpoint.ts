/** The module of a checkpoint thread over the small schema of the tests. */
import { answerJobs } from '../../src/db/wal/checkpoint/thread.ts';
import { tinySchema } from '../support/tiny-schema.ts';

await answerJobs(tinySchema());
