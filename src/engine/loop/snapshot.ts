/** Cuts the answer of a failed check to what is kept with an incident. */
import type { Answer } from '../core/probe.ts';
import { cutText } from '../core/text.ts';

const bounds = { headers: 24, line: 160, bodyBytes: 2048 } as const;

/** 24 headers, 160 characters a line, 2 KiB of the body. */
export function snapshotOf({ statusLine, headers, body }: Answer): Answer {
  return {
    statusLine: cutText(statusLine, bounds.line),
    headers: headers
      .slice(0, bounds.headers)
      .map(([name, value]) => [cutText(name, bounds.line), cutText(value, bounds.line)] as const),
    body: cutBytes(body, bounds.bodyBytes),
  };
}

/** The start of a text in at most `maxBytes` of UTF-8, cut between characters. */
function cutBytes(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= maxBytes) return text;
  return new TextDecoder().decode(bytes.subarray(0, maxBytes), { stream: true });
}
