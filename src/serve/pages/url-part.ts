/** Puts text into an address. */

/** `text` as a segment of a path or a value of a query; half a surrogate pair, which has no UTF-8, is U+FFFD. */
export function urlPart(text: string): string {
  return encodeURIComponent(text.replace(/\p{Cs}/gu, '\ufffd'));
}
