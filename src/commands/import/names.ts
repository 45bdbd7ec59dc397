/** Gives everything a name of its own. */
import { cleanLine, cutText } from '../../engine/core/text.ts';
import { transliterate } from './transliterate.ts';

const maxIdLength = 64;
const maxNameLength = 200;

/** Letters and digits of ASCII in lower case, with a hyphen between their groups; empty when there are none. */
export function slug(text: string): string {
  return trimmed(
    transliterate(text)
      .toLowerCase()
      .replace(/[^a-z0-9_]+/g, '-'),
    maxIdLength,
  );
}

/** Answers a free id for each name: its slug, else with a number. `fallback` is for names without a letter. */
export function createIds(): (name: string, fallback: string) => string {
  const taken = new Set<string>();
  return (name, fallback) => {
    const wanted = slug(name) || slug(fallback) || 'monitor';
    const id = firstFree(wanted, (one) => taken.has(one));
    taken.add(id);
    return id;
  };
}

/** Answers a free name of one printable line for each name; those with the same one get a number. */
export function createNames(): (name: string, fallback: string) => string {
  const taken = new Set<string>();
  return (name, fallback) => {
    const wanted = printable(name) || printable(fallback);
    let free = wanted;
    for (let number = 2; taken.has(free); number++) {
      free = `${cutText(wanted, maxNameLength - 8)} (${number})`;
    }
    taken.add(free);
    return free;
  };
}

/** The text as one printable line that fits a name. */
export function printable(text: string): string {
  return cutText(cleanLine(text).replace(/\s+/g, ' ').trim(), maxNameLength);
}

function firstFree(wanted: string, isTaken: (id: string) => boolean): string {
  if (!isTaken(wanted)) return wanted;
  for (let number = 2; ; number++) {
    const id = `${trimmed(wanted, maxIdLength - 6)}-${number}`;
    if (!isTaken(id)) return id;
  }
}

function trimmed(text: string, length: number): string {
  return text.replace(/^-+/, '').slice(0, length).replace(/-+$/, '');
}
