/** Reads the number of a stored thing off the command line. */

/** The number in `3` or `#3`; null when the text is none. */
export function rowNumber(text: string): number | null {
  const digits = /^#?([1-9][0-9]{0,14})$/.exec(text.trim())?.[1];
  return digits === undefined ? null : Number(digits);
}
