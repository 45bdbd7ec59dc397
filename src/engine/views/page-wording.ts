/** The words and figures that every page, feed and plain text has in common. */
import { categories, type Category } from '../core/probe.ts';
import { clockText, dayText } from '../core/instant.ts';
import type { Status } from '../core/status.ts';

const statusWords: Readonly<Record<Status, string>> = {
  up: 'Up',
  degraded: 'Degraded',
  down: 'Down',
  unknown: 'No data yet',
};

export function statusWord(status: Status): string {
  return statusWords[status];
}

const categoryWords: Readonly<Record<Category, string>> = {
  timeout: 'It did not answer in time',
  dns: 'Its name could not be resolved',
  connection: 'It could not be reached',
  tls: 'No secure connection could be made',
  certificate_key: 'Its certificate has another key',
  status: 'It answered with an error',
  content: 'It answered with unexpected content',
  redirect: 'It redirected where it should not',
  protocol: 'It answered in an unexpected way',
  plugin: 'Its check reported a failure',
  heartbeat: 'Its job is overdue or failed',
  address_family: 'It answers over one address family only',
  own_fault: 'The fault is on the side of the monitoring',
};

/** What lasts is shown in whole minutes, in ms: a page that changed every second would never be kept. */
export function wholeMinutesMs(ms: number): number {
  return Math.max(1, Math.floor(ms / 60_000)) * 60_000;
}

/** What went wrong: a category in words, any other text as it is, null when nothing is known. */
export function errorText(error: string | null): string | null {
  const category = categories.find((known) => known === error);
  return category === undefined ? error : categoryWords[category];
}

/** A text as a sentence: with a capital (a lower-case word at its start gets one) and a full stop. */
export function sentenceOf(text: string): string {
  const begun = text.replace(/^[a-z](?=[a-z]* )/, (letter) => letter.toUpperCase());
  return /[.!?…]$/.test(begun) ? begun : `${begun}.`;
}

/** `100%`, `99.98%`; an uptime in hundredths of a percent, which were cut and not rounded. Null is `–`. */
export function percentText(hundredths: number | null): string {
  if (hundredths === null) return '–';
  if (hundredths === 10_000) return '100%';
  return `${(hundredths / 100).toFixed(2)}%`;
}

/** `21 Nov 2026`, from an RFC 3339 instant or a date. */
export function dateText(instant: string): string {
  const at = Date.parse(instant);
  return Number.isNaN(at) ? instant : readableDay(at);
}

/** `21 Nov 2026, 14:05 UTC`. */
export function timeText(instant: string): string {
  const at = Date.parse(instant);
  return Number.isNaN(at) ? instant : `${readableDay(at)}, ${clockText(at).slice(0, 5)} UTC`;
}

/** `14:05 UTC` on the day of `now`, else `21 Nov 2026, 14:05 UTC`. */
export function shortTimeText(instant: string, now: string): string {
  const at = Date.parse(instant);
  const isSameDay = !Number.isNaN(at) && dayText(at) === now.slice(0, 10);
  return isSameDay ? `${clockText(at).slice(0, 5)} UTC` : timeText(instant);
}

/** The time zone whose month a report is of, to be put after the month; empty for UTC. */
export function zoneText({ zone }: { readonly zone: string }): string {
  return zone === 'UTC' ? '' : ` (${zone})`;
}

/** `November 2026`, from `2026-11`. */
export function monthText(month: string): string {
  const name = longMonths[Number(month.slice(5)) - 1];
  return name === undefined ? month : `${name} ${month.slice(0, 4)}`;
}

const longMonths = [
  ['January', 'February', 'March', 'April', 'May', 'June'],
  ['July', 'August', 'September', 'October', 'November', 'December'],
].flat();

const shortMonths = longMonths.map((name) => name.slice(0, 3));

function readableDay(at: number): string {
  const date = new Date(at);
  const month = shortMonths[date.getUTCMonth()] ?? '';
  return `${date.getUTCDate()} ${month} ${date.getUTCFullYear()}`;
}

/** The turns of phrase that explanations share. */

/** A sentence ends with a full stop, a clause that stands in one does not. */
export function withoutStop(text: string): string {
  return text.trimEnd().replace(/\.$/, '');
}

/** Figures as the terminal writes them. */

/** `99.8%`: per mille, cut and never rounded up. */
export function permilleText(permille: number | null, none: string): string {
  if (permille === null) return none;
  return permille === 1000 ? '100%' : `${(permille / 10).toFixed(1)}%`;
}
