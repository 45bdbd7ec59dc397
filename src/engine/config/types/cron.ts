/** Five-field cron schedules, in UTC. */
import { bad, good, notA, fault, type Fault, type ValueType } from './value.ts';

const name = 'a five-field cron schedule';
const hint = 'for example "0 8 * * 1": minute, hour, day of month, month, day of week';

/** The value is the schedule with single blanks. */
export const cron: ValueType<string> = {
  name,
  schema: { type: 'string', pattern: '^\\s*\\S+(\\s+\\S+){4}\\s*$' },
  isSecret: false,
  read: (raw) => {
    if (typeof raw !== 'string') return notA(name, raw);
    const fields = raw.trim().split(/\s+/);
    if (fields[0] === '') return bad('must not be empty', hint);
    if (fields.length === 5) return good(fields.join(' '));
    return bad(
      `must be ${name}, not one of ${fields.length} ${fields.length === 1 ? 'field' : 'fields'}`,
      hint,
    );
  },
  verify: async (written): Promise<Fault | null> => {
    const { Cron } = await import('croner');
    try {
      const next = new Cron(written, { timezone: 'UTC', mode: '5-part' }).nextRun();
      return next === null ? fault('never comes: no such day', hint) : null;
    } catch {
      return fault(`must be ${name}`, hint);
    }
  },
};
