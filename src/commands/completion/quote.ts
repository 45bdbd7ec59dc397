/** Quotes text for a shell. */

/** `text` as one word of bash or zsh, in single quotes. */
export function quotePosix(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** `text` as one word of fish, in single quotes: there only `\` and `'` mean something. */
export function quoteFish(text: string): string {
  return `'${text.replace(/['\\]/g, '\\$&')}'`;
}
