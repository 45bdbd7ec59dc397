/** The thread, or process, that builds a snapshot of this program's own schema. */
import { schema } from '../../tables/schema/schema.ts';
import { answerJobs } from './thread.ts';

await answerJobs(schema);
