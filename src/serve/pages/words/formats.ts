/**
 * Dates, spans, figures and lists as a language writes them. The first formatter of Intl brings 8 MB of tables in, so what
 * most pages need, English and UTC, is written by hand; a test compares both.
 */
import { lazy } from '../../../engine/core/lazy.ts';

export type Unit = 'day' | 'hour' | 'minute' | 'second';

/** Instants are epoch ms. */
export interface Formats {
  readonly plural: (count: number) => Intl.LDMLPluralRule;
  /** Several names, the last with "and": names and what is between them. */
  readonly list: (names: readonly string[]) => readonly ListPart[];
  /** `01:49 UTC`. */
  readonly clock: (at: number) => string;
  /** `Mon 21 Sep 2026`, the day of the zone. */
  readonly date: (at: number) => string;
  /** The same of UTC. */
  readonly utcDay: (at: number) => string;
  /** `September 2026`, of UTC. */
  readonly month: (at: number) => string;
  /** `2026-09-21`, the day of the zone. */
  readonly isoDay: (at: number) => string;
  /** `5 min`. */
  readonly unit: (unit: Unit, count: number) => string;
  readonly number: (value: number) => string;
  /** With two digits after the point. */
  readonly share: (value: number) => string;
}

interface ListPart {
  readonly type: 'element' | 'literal';
  readonly value: string;
}

/** `zone`: a name of the IANA database. */
export function formatsOf(language: string, zone: string): Formats {
  const byIntl = intlFormats(language, zone);
  if (language !== 'en') return byIntl;
  return zone === 'UTC' ? { ...english, ...utc } : { ...byIntl, ...english };
}

/** Those of Intl. Formatters are costly to make, so each waits for the first text that needs it. */
export function intlFormats(language: string, zone: string): Formats {
  const day = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const;
  const plural = lazy(() => new Intl.PluralRules(language));
  const list = lazy(
    () => new Intl.ListFormat(language === 'en' ? 'en-GB' : language, { type: 'conjunction' }),
  );
  const clock = lazy(
    () =>
      new Intl.DateTimeFormat('en-GB', {
        hour: '2-digit',
        minute: '2-digit',
        timeZoneName: 'short',
        timeZone: zone,
      }),
  );
  const date = lazy(() => new Intl.DateTimeFormat(language, { ...day, timeZone: zone }));
  const utcDay = lazy(() => new Intl.DateTimeFormat(language, { ...day, timeZone: 'UTC' }));
  const month = lazy(
    () => new Intl.DateTimeFormat(language, { month: 'long', year: 'numeric', timeZone: 'UTC' }),
  );
  const isoDate = lazy(() => new Intl.DateTimeFormat('sv-SE', { timeZone: zone }));
  const unit = (name: Unit) =>
    lazy(() => new Intl.NumberFormat(language, { style: 'unit', unit: name, unitDisplay: 'short' }));
  const units = { day: unit('day'), hour: unit('hour'), minute: unit('minute'), second: unit('second') };
  const number = lazy(() => new Intl.NumberFormat(language, { maximumFractionDigits: 6 }));
  const share = lazy(() => new Intl.NumberFormat(language, { minimumFractionDigits: 2 }));
  return {
    plural: (count) => plural().select(count),
    list: (names) => list().formatToParts(names),
    clock: (at) => clock().format(at),
    date: (at) => dayText(date(), language, at),
    utcDay: (at) => dayText(utcDay(), language, at),
    month: (at) => month().format(at),
    isoDay: (at) => isoDate().format(at),
    unit: (name, count) => units[name]().format(count),
    number: (value) => number().format(value),
    share: (value) => share().format(value),
  };
}

/** English dates are put together by hand: which comes first depends on where it is spoken. */
function dayText(format: Intl.DateTimeFormat, language: string, at: number): string {
  if (language !== 'en') return format.format(at);
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]));
  return `${parts.get('weekday')} ${parts.get('day')} ${parts.get('month')} ${parts.get('year')}`;
}

const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
const unitNames: Readonly<Record<Unit, readonly [one: string, other: string]>> = {
  day: ['day', 'days'],
  hour: ['hr', 'hr'],
  minute: ['min', 'min'],
  second: ['sec', 'sec'],
};

function utcDay(at: number): string {
  const date = new Date(at);
  const month = months[date.getUTCMonth()]?.slice(0, 3);
  return `${weekdays[date.getUTCDay()]} ${date.getUTCDate()} ${month} ${date.getUTCFullYear()}`;
}

function inEnglish(value: number, leastDigits: number): string {
  const [whole = '', digits = ''] = value.toFixed(6).split('.');
  const fraction = digits.replace(/0+$/, '').padEnd(leastDigits, '0');
  const grouped = whole.replace(/\B(?=(?:\d{3})+$)/g, ',');
  return fraction === '' ? grouped : `${grouped}.${fraction}`;
}

const isOne = (count: number): boolean => count === 1;

/** What has no time zone. */
const english = {
  plural: (count) => (isOne(count) ? 'one' : 'other'),
  list: (names) =>
    names.flatMap((value, index): ListPart[] => {
      const between = index === names.length - 1 ? ' and ' : ', ';
      const name: ListPart = { type: 'element', value };
      return index === 0 ? [name] : [{ type: 'literal', value: between }, name];
    }),
  utcDay,
  month: (at) => {
    const date = new Date(at);
    return `${months[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
  },
  unit: (name, count) => `${inEnglish(count, 0)} ${unitNames[name][isOne(count) ? 0 : 1]}`,
  number: (value) => inEnglish(value, 0),
  share: (value) => inEnglish(value, 2),
} satisfies Partial<Formats>;

const utc = {
  clock: (at) => `${new Date(at).toISOString().slice(11, 16)} UTC`,
  date: utcDay,
  isoDay: (at) => new Date(at).toISOString().slice(0, 10),
} satisfies Partial<Formats>;
