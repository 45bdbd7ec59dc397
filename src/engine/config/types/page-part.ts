/** Values of the page's design: colours, time zones. */
import { contrast, isColour } from '../../core/colour.ts';
import { bad, good, notA, type ValueType } from './value.ts';

/** The ground of light pages. */
const ground = '#fafaf8';
const readable = 4.5;

/** A colour that links can have. */
export const pageColour: ValueType<string> = {
  name: 'a colour',
  schema: { type: 'string', pattern: '^#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$' },
  isSecret: false,
  read: (raw) => {
    if (typeof raw !== 'string') return notA('a colour', raw);
    if (!isColour(raw)) return bad('must be a colour', 'for example #0b6650');
    const ratio = contrast(raw, ground);
    if (ratio >= readable) return good(raw);
    const shown = (Math.floor(ratio * 10) / 10).toFixed(1);
    return bad(
      `has a contrast of ${shown} to 1 on the page, and needs ${readable} to 1`,
      'choose a darker one',
    );
  },
};

/** A name of the IANA database that this machine knows. */
export const timeZone: ValueType<string> = {
  name: 'a time zone',
  schema: { type: 'string', minLength: 1 },
  isSecret: false,
  read: (raw) => {
    if (typeof raw !== 'string') return notA('a time zone', raw);
    try {
      new Intl.DateTimeFormat('en', { timeZone: raw });
      return good(raw);
    } catch {
      return bad('must be a time zone', 'for example Europe/Berlin');
    }
  },
};
