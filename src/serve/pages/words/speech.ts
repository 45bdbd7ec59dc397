/** Translates texts into one language: words from its table; dates, spans and figures in its formats. */
import { wholeSecs } from '../../../engine/core/duration.ts';
import { type Category, categories } from '../../../engine/core/probe.ts';
import { sentenceOf, wholeMinutesMs } from '../../../engine/views/page-wording.ts';
import { html, type Html, type HtmlPart } from '../html.ts';
import { en } from './en.ts';
import { type Formats, formatsOf, type Unit } from './formats.ts';

type PluralWords = Partial<Record<Intl.LDMLPluralRule, string>> & {
  readonly other: string;
  /** Of a part of a whole: one of several. */
  readonly oneOfMany?: string;
};

/** The table of a language. */
export type Words = {
  readonly [Key in keyof typeof en]: (typeof en)[Key] extends string ? string : PluralWords;
};

/** The keys of texts that have forms for one and many. */
type PluralKey = { [Key in keyof Words]: Words[Key] extends string ? never : Key }[keyof Words];
export type TextKey = Exclude<keyof Words, PluralKey>;

const categoryKeys: Readonly<Record<Category, TextKey>> = {
  timeout: 'timeout',
  dns: 'dns',
  connection: 'connection',
  tls: 'tls',
  certificate_key: 'certificate_key',
  status: 'statusReason',
  content: 'content',
  redirect: 'redirect',
  protocol: 'protocol',
  plugin: 'plugin',
  heartbeat: 'heartbeat',
  address_family: 'address_family',
  own_fault: 'own_fault',
};

/** What maintenance is called that nobody gave a title. */
const untitled = 'Maintenance';

const secsOf: Readonly<Record<Unit, number>> = { day: 86_400, hour: 3600, minute: 60, second: 1 };

/** Instants are RFC 3339, spans in ms. Formatters are costly to make: there is one speech a language and zone. */
export class Speech {
  readonly language: string;
  readonly zone: string;
  readonly words: Words;
  readonly #formats: Formats;
  readonly #days = new Map<string, string>();

  constructor(language: string, zone: string, words: Words) {
    this.language = language;
    this.zone = zone;
    this.words = words;
    this.#formats = formatsOf(language, zone);
  }

  /** A text of the table with `{}` filled in, one after the other. */
  fill(key: TextKey, ...parts: readonly (string | number)[]): string {
    return filled(this.words[key], parts.map(String));
  }

  /** The same with markup in it. */
  fillHtml(key: TextKey, ...parts: readonly HtmlPart[]): Html {
    return filledHtml(this.words[key], parts);
  }

  number(count: number): string {
    return this.#formats.number(count);
  }

  /** Several names, the last with "and". */
  list(names: readonly string[]): string {
    return this.#formats
      .list(names)
      .map(({ value }) => value)
      .join('');
  }

  /** A text that goes with a number. */
  count(key: PluralKey, count: number): string {
    return filled(this.#form(key, count), [this.number(count)]);
  }

  /** A text about a part of a whole: its form goes with the whole, and with the part where that is one of several. */
  countOf(key: PluralKey, part: number, whole: number): string {
    const forms: PluralWords = this.words[key];
    const form = part === 1 && whole > 1 ? forms.oneOfMany : undefined;
    return filled(form ?? this.#form(key, whole), [this.number(part), this.number(whole)]);
  }

  /** A text about several names: its form goes with their number. */
  aboutHtml(key: PluralKey, names: readonly Html[], more = 0): Html {
    const shown = more === 0 ? names : [...names, html`${this.count('more', more)}`];
    return filledHtml(this.#form(key, names.length + more), [this.listHtml(shown)]);
  }

  about(key: PluralKey, names: readonly string[], more = 0): string {
    const shown = more === 0 ? names : [...names, this.count('more', more)];
    return filled(this.#form(key, names.length + more), [this.list(shown)]);
  }

  listHtml(items: readonly Html[]): Html {
    const parts = this.#formats.list(items.map((_, index) => String(index)));
    return html`${parts.map(({ type, value }): HtmlPart => (type === 'element' ? (items[Number(value)] ?? '') : value))}`;
  }

  /** The title of maintenance; that of one without a title in the language of its readers. */
  maintenanceTitle(title: string): string {
    return title === untitled ? this.words.maintenance : title;
  }

  /** `01:49 UTC`. */
  clock(instant: string): string {
    return this.#formats.clock(Date.parse(instant));
  }

  /** `Mon 21 Sep 2026`. */
  date(instant: string): string {
    const at = Date.parse(instant);
    return Number.isNaN(at) ? '' : this.#formats.date(at);
  }

  /** The day that a bar stands for, from `2026-09-21`; those of a page are the same for all its bars. */
  day(date: string): string {
    const known = this.#days.get(date);
    if (known !== undefined) return known;
    if (this.#days.size > maxDays) this.#days.clear();
    const at = Date.parse(date);
    const text = Number.isNaN(at) ? '' : this.#formats.utcDay(at);
    this.#days.set(date, text);
    return text;
  }

  /** `2026-09-21`, the day of the zone. */
  isoDay(instant: string): string {
    return this.#formats.isoDay(Date.parse(instant));
  }

  /** `14:05 UTC` on the day of `now`, else with its date. */
  shortTime(instant: string, now: string): string {
    return this.isoDay(instant) === this.isoDay(now) ? this.clock(instant) : this.time(instant);
  }

  time(instant: string): string {
    return `${this.date(instant)}, ${this.clock(instant)}`;
  }

  /** `September 2026`, from `2026-09`. */
  month(month: string): string {
    return this.#formats.month(Date.parse(`${month}-01`));
  }

  /** A span in its two largest units, in whole minutes: `12 min`, `1 hr 5 min`, `2 days`. Days begin after the first. */
  span(ms: number): string {
    return this.#inUnits(wholeMinutesMs(ms) / 1000);
  }

  /** From one minute to another as both are shown, RFC 3339: who subtracts them gets the same. */
  spanBetween(from: string, to: string): string {
    const minuteOf = (instant: string) => Math.floor(Date.parse(instant) / 60_000);
    return this.span((minuteOf(to) - minuteOf(from)) * 60_000);
  }

  /** The same to the second, cut: `45 sec`, `12 min 5 sec`, `1 hr 5 min`. A number is not parted from its unit. */
  exactSpan(ms: number): string {
    return this.#inUnits(Math.max(1, wholeSecs(ms)), '\u00a0');
  }

  #inUnits(secs: number, blank = ' '): string {
    const units: readonly [Unit, Unit] =
      secs > secsOf.day ? ['day', 'hour'] : secs >= secsOf.hour ? ['hour', 'minute'] : ['minute', 'second'];
    const [large, small] = units;
    const parts = [
      [Math.floor(secs / secsOf[large]), large],
      [Math.floor((secs % secsOf[large]) / secsOf[small]), small],
    ] as const;
    return parts
      .filter(([count]) => count > 0)
      .map(([count, unit]) => this.#formats.unit(unit, count).replace(/\s/g, blank))
      .join(' ');
  }

  /** `99.94 %`, from hundredths of a percent that were cut. Null is `–`. */
  percent(hundredths: number | null): string {
    if (hundredths === null) return '–';
    return `${hundredths === 10_000 ? this.number(100) : this.#formats.share(hundredths / 100)} %`;
  }

  /** Why something failed: a category in words, any other text as it is. Null: nothing is known. */
  reason(error: string | null): string | null {
    const category = categories.find((known) => known === error);
    if (category !== undefined) return this.words[categoryKeys[category]];
    return error === null || error === '' ? null : sentenceOf(error);
  }

  #form(key: PluralKey, count: number): string {
    const forms = this.words[key];
    return forms[this.#formats.plural(count)] ?? forms.other;
  }
}

const maxDays = 2000;

function filled(text: string, parts: readonly string[]): string {
  const [first = '', ...rest] = text.split('{}');
  return rest.reduce((whole, piece, index) => whole + (parts[index] ?? '') + piece, first);
}

function filledHtml(text: string, parts: readonly HtmlPart[]): Html {
  const [first = '', ...rest] = text.split('{}');
  return html`${first}${rest.map((piece, index): HtmlPart => [parts[index] ?? null, piece])}`;
}

export const english = new Speech('en', 'UTC', en);
