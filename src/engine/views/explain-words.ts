/** The turns of phrase that explanations share. */
import { clockText, dayText, instantText } from '../core/duration.ts';

/** `a`, `a and b`, `a, b and c`; with `most`, no more than so many names: `a, b and 7 more`. */
export function inWords(names: readonly string[], most = Infinity): string {
  const shown =
    names.length > most ? [...names.slice(0, most - 1), `${names.length - most + 1} more`] : names;
  const last = shown.at(-1) ?? '';
  return shown.length < 2 ? last : `${shown.slice(0, -1).join(', ')} and ${last}`;
}

/** `12:03:40 UTC` on the day of `nowAt`, else with its date. */
export function nearInstant(at: number, nowAt: number): string {
  return dayText(at) === dayText(nowAt) ? `${clockText(at)} UTC` : instantText(at);
}

/** `1 failed check`, `3 failed checks`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** A sentence ends with a full stop, a clause that stands in one does not. */
export function withoutStop(text: string): string {
  return text.trimEnd().replace(/\.$/, '');
}
