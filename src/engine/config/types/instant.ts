/** Points in time, and spans of it. */
import { TomlDate } from 'smol-toml';
import { durationFaults, durationHint, parseDuration } from '../../core/duration.ts';
import { bad, good, notA, type ValueType } from './value.ts';

const name = 'a date and time with an offset';
const hint = 'for example "2026-06-08T00:00:00Z", or the same without quotes';

const offsetless = 'must say its offset from UTC';
const offsetHint = 'end it with Z for UTC, or with an offset such as +02:00';

/** What RFC 3339 allows, with a space or a small t in place of the T. */
const shape =
  /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?(?:[Zz]|[+-]([01]\d|2[0-3]):([0-5]\d))$/;

/** An RFC 3339 string or a TOML offset date-time; the value is in epoch milliseconds. */
export const instant: ValueType<number> = {
  name,
  schema: { type: 'string', format: 'date-time' },
  isSecret: false,
  read: (raw) => {
    if (raw instanceof TomlDate) return raw.isLocal() ? bad(offsetless, offsetHint) : good(raw.getTime());
    if (typeof raw !== 'string') return notA(name, raw);
    if (/^\d{4}-\d\d-\d\d([Tt ]\d\d:\d\d(:\d\d(\.\d+)?)?)?$/.test(raw)) {
      return bad(offsetless, offsetHint);
    }
    const at = parseInstant(raw);
    return at === null ? bad(`must be ${name}`, hint) : good(at);
  },
};

const leastMs = 60_000;

/** A span as commands take it, of a minute or more; the value is in milliseconds. */
export const duration: ValueType<number> = {
  name: 'a duration',
  schema: { type: 'string', pattern: '^([0-9]+[smhd])+$' },
  isSecret: false,
  read: (raw) => {
    if (typeof raw !== 'string') return notA('a duration', raw);
    const parsed = parseDuration(raw);
    if (parsed.kind === 'fault') return bad(durationFaults[parsed.fault], durationHint);
    return parsed.ms < leastMs ? bad('is less than a minute') : good(parsed.ms);
  },
};

/** The epoch milliseconds of an RFC 3339 text; null when it is none, or names no real day. */
function parseInstant(written: string): number | null {
  const match = shape.exec(written);
  if (match === null) return null;
  const [year, month, day, hour, minute] = match.slice(1, 6).map(Number);
  // RFC 3339 has leap seconds, the platform has not: the second before stands for it.
  const seconds = match[6] === '60' ? '59' : (match[6] ?? '00');
  if (hour === undefined || hour > 23 || minute === undefined || minute > 59 || Number(seconds) > 59)
    return null;
  const isRealDay =
    year !== undefined &&
    month !== undefined &&
    day !== undefined &&
    new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day &&
    month >= 1 &&
    month <= 12 &&
    day >= 1;
  if (!isRealDay) return null;
  const upper = written.toUpperCase().replace(' ', 'T');
  const at = Date.parse(upper.replace(/:60(?=\.|Z|[+-])/, ':59'));
  return Number.isNaN(at) ? null : at;
}
