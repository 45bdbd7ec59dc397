/** An event in words, from which every channel makes its message. */
import type { Named } from '../../engine/alerting/events/event.ts';
import { plainLine } from './plain.ts';
import { reasonsText, type LatestReason } from '../../engine/core/latest-reason.ts';
import { counted } from '../../engine/core/words.ts';

/** A line that is a value under a name, for channels that set it apart. */
export interface Fact {
  readonly label: string;
  readonly value: string;
  /** What stands between the two in running text. */
  readonly joint: ': ' | ' ';
}

export type WordingLine = string | Fact;

/** All of it is plain text without control codes or line breaks. What matters most comes first. */
export interface Wording {
  /** Says on its own what happened. */
  readonly title: string;
  /** The first one is the verdict. */
  readonly lines: readonly WordingLine[];
  /** The first lines of the answer that failed. */
  readonly quote: readonly string[];
  /** The lines are the message, and the title only its heading. */
  readonly isText?: true;
}

/** The display name as a part of a sentence. */
export function nameOf({ name, id }: Named): string {
  const written = plainLine(name, 100);
  return written === '' ? id : written;
}

/** `API, Shop and Cart`, or `API, Shop and 7 others` when there are more than `most`. */
export function listed(names: readonly string[], most: number): string {
  if (names.length > most)
    return `${names.slice(0, most).join(', ')} and ${counted(names.length - most, 'other')}`;
  const last = names.at(-1) ?? '';
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`;
}

export function fact(label: string, value: string, joint: Fact['joint'] = ': '): Fact {
  return { label, value, joint };
}

/** A line as running text. */
export function lineText(line: WordingLine): string {
  return typeof line === 'string' ? line : `${line.label}${line.joint}${line.value}`;
}

/** The same of an outage, which may fail for another reason by now. */
export function reasonsLine({ reason, latest = null, startedAt }: ReasonedOutage): WordingLine[] {
  const said = plainLine(latest?.reason ?? latest?.category ?? '', 240);
  if (latest === null || said === '') return reasonLine(reason);
  const first = plainLine(reason ?? '', 240);
  const words = reasonsText({
    first: first === '' ? null : first,
    latest: { reason: said, sinceAt: latest.sinceAt },
    startedAt,
  });
  return words === null ? [] : [fact('Reason', words)];
}

interface ReasonedOutage {
  readonly reason: string | null;
  readonly latest?: LatestReason | null;
  /** Epoch ms. */
  readonly startedAt: number;
}

/** The line that says why, or none. */
export function reasonLine(reason: string | null): WordingLine[] {
  const written = plainLine(reason ?? '', 500);
  return written === '' ? [] : [fact('Reason', written)];
}
