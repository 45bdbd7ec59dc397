/** Reads what a vendor answered. */
import type { Head } from '../../engine/net/http/redirect.ts';
import { valueOf } from '../../engine/net/http/redirect.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** The answer as a JSON object; an empty one when it is something else. */
export function objectOf(body: string): JsonObject {
  try {
    return asObject(JSON.parse(body));
  } catch {
    return {};
  }
}

/** What the vendor says is wrong, in its own words; null when it says nothing that a person could read. */
export function complaintOf(body: string): string | null {
  const answer = objectOf(body);
  const errors = Array.isArray(answer['errors']) ? (answer['errors'] as unknown[]) : [];
  const said = ['description', 'errorDescription', 'message', 'error'].map((key) => answer[key]);
  const words = [...errors, ...said].find((text) => typeof text === 'string' && text.trim() !== '');
  if (typeof words === 'string') return words;
  const first = body.trimStart().split('\n', 1)[0] ?? '';
  // Pages and other documents are for machines.
  return first === '' || /^[<{[]/.test(first) ? null : first;
}

/**
 * How long the vendor asks to be left alone: the header (RFC 9110, section 10.2.3), or the field of the body that
 * Telegram (`parameters.retry_after`, s), Matrix (`retry_after_ms`) and Discord (`retry_after`, s) have for it.
 */
export function retryAfterMs({ headers }: Pick<Head, 'headers'>, body: string, nowAt: number): number | null {
  const answer = objectOf(body);
  const secs = (value: unknown) => (typeof value === 'number' ? value * 1000 : null);
  const stated = [
    ofHeader(valueOf({ headers }, 'retry-after') ?? '', nowAt),
    typeof answer['retry_after_ms'] === 'number' ? answer['retry_after_ms'] : null,
    secs(asObject(answer['parameters'])['retry_after']),
    secs(answer['retry_after']),
  ].filter((ms) => ms !== null && Number.isFinite(ms) && ms >= 0);
  return stated.length === 0 ? null : Math.ceil(Math.max(...stated.map(Number)));
}

function ofHeader(value: string, nowAt: number): number | null {
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  const at = /[A-Za-z]/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - nowAt);
}

function asObject(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}
