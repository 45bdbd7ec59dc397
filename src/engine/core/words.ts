/** Numbers and lists in the words of a sentence. */

/** `2,000`: whole numbers with a comma between the thousands. */
export function numberText(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** `1 monitor`, `3 monitors`, `2,000 monitors`; `many` where the plural is no `s` at the end. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${numberText(count)} ${count === 1 ? one : many}`;
}

/** `a`, `a and b`, `a, b and c`; with `most`, no more than so many names: `a, b and 7 more`. */
export function inWords(names: readonly string[], most = Infinity): string {
  const shown =
    names.length > most
      ? [...names.slice(0, most - 1), `${numberText(names.length - most + 1)} more`]
      : names;
  const last = shown.at(-1) ?? '';
  return shown.length < 2 ? last : `${shown.slice(0, -1).join(', ')} and ${last}`;
}
