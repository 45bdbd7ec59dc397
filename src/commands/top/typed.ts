/** Reads what an operator typed into the last line of the screen. */

/** `1h deploy of the API`: how long, then why. */
export function silenceTyped(text: string): { readonly duration: string; readonly reason: string } {
  const [duration = '', ...words] = text.trim().split(/\s+/);
  return { duration, reason: words.join(' ') };
}

/** `warning: slow today`; without a severity in front it is info. */
export function bannerTyped(text: string): { readonly severity: string; readonly title: string } {
  const found = /^(info|warning|critical|resolved):\s*(.*)$/is.exec(text.trim());
  return { severity: found?.[1]?.toLowerCase() ?? 'info', title: found?.[2] ?? text.trim() };
}
