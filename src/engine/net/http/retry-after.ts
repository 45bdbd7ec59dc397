/** How long a server asks to be left alone (RFC 9110, section 10.2.3). */
import { type Head, valueOf } from './redirect.ts';

/** In ms; null: it does not say. */
export function retryAfterHeaderMs(head: Pick<Head, 'headers'>, nowAt: number): number | null {
  const value = valueOf(head, 'retry-after') ?? '';
  // Whole seconds by the standard; some, such as Zulip, count parts of them.
  if (/^\d{1,9}(?:\.\d{1,20})?$/.test(value)) return Math.ceil(Number(value) * 1000);
  const at = /[A-Za-z]/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - nowAt);
}
