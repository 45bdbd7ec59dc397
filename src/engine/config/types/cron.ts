/** Five-field cron schedules; the instants follow from the time zone beside them. */
import { bad, good, notA, fault, type ValueFault, type ValueType } from './value.ts';

const name = 'a five-field cron schedule';
const hint = 'for example "0 8 * * 1": minute, hour, day of month, month, day of week';

/** Words for whole schedules, as crontab(5) has them. */
const nicknames: Readonly<Record<string, string>> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
};

/** The last value of each field: where the steps of `5/10` end. */
const lasts = [59, 23, 31, 12, 6] as const;

/** The value is the schedule as five fields with single blanks: `@daily` is `0 0 * * *`, `5/10` is `5-59/10`. */
export const cron: ValueType<string> = {
  name,
  schema: { type: 'string', pattern: '^\\s*(@[A-Za-z]+|\\S+(\\s+\\S+){4})\\s*$' },
  isSecret: false,
  read: (raw) => {
    if (typeof raw !== 'string') return notA(name, raw);
    const fields = fieldsOf(raw);
    if (fields[0] === '') return bad('must not be empty', hint);
    if (fields.length === 5) return good(fields.join(' '));
    return bad(
      `must be ${name}, not one of ${fields.length} ${fields.length === 1 ? 'field' : 'fields'}`,
      hint,
    );
  },
  verify: async (written): Promise<ValueFault | null> => {
    const { Cron } = await import('croner');
    try {
      const next = new Cron(fieldsOf(written).join(' '), { timezone: 'UTC', mode: '5-part' }).nextRun();
      return next === null ? fault('never occurs: there is no such day', hint) : null;
    } catch {
      return fault(`must be ${name}`, hint);
    }
  },
};

function fieldsOf(written: string): readonly string[] {
  const text = written.trim();
  const fields = (nicknames[text.toLowerCase()] ?? text).split(/\s+/);
  return fields.map((field, index) => {
    const steps = (item: string) => item.replace(/^(\d+)\/(?=\d)/, `$1-${lasts[index] ?? ''}/`);
    return field.split(',').map(steps).join(',');
  });
}
