/** The notation of a series: the states of a target, one after the other. */
import { ownFaultKinds, type OwnFaultKind } from '../../../engine/core/own-fault.ts';
import { nearest } from '../../../engine/core/nearest.ts';
import { parseDuration } from '../../../engine/core/duration.ts';
import { quote } from '../../../engine/config/finding.ts';
import { bad, good, notA, type ValueReading, type ValueType } from '../../../engine/config/types/value.ts';

const words = ['up', 'slow', 'degraded', 'down', 'timeout', 'unknown', '-'] as const;
type WordName = (typeof words)[number];

/** What a target is like. `latencyMs` is what was written in brackets; of `unknown` that is the fault of this host. */
export interface SeriesWord {
  readonly name: WordName;
  readonly latencyMs: number | null;
  readonly ownFault?: OwnFaultKind;
}

/** A word for so many checks, or for so long. The last stretch of a series lasts on. */
interface Stretch {
  readonly word: SeriesWord;
  readonly length:
    | { readonly kind: 'checks'; readonly count: number }
    | { readonly kind: 'span'; readonly ms: number };
}

export type Series = readonly [Stretch, ...Stretch[]];

/** A target that is well all the time. */
export const alwaysUp: Series = [
  { word: { name: 'up', latencyMs: null }, length: { kind: 'checks', count: 1 } },
];

const name = 'a series such as "up, down x3, up for 10m"';
const shape = /^([a-z]+|-)(?:\((\d{1,7}|[a-z_]+)\))?(?:\s+(?:x\s*(\d{1,6})|for\s+(\S+)))?$/i;

export const seriesType: ValueType<Series> = {
  name,
  schema: { type: 'string' },
  isSecret: false,
  read: (raw) => (typeof raw === 'string' ? readSeries(raw) : notA(name, raw)),
};

/** Reads `up, slow(900) x3, down for 5m, -`, and finds everything that is wrong with it. */
function readSeries(text: string): ValueReading<Series> {
  const readings = text.split(',').map((part) => readStretch(part.trim()));
  const faults = readings.flatMap((reading) => (reading.isGood ? [] : reading.faults));
  const [first, ...rest] = readings.flatMap((reading) => (reading.isGood ? [reading.value] : []));
  return first === undefined || faults.length > 0 ? { isGood: false, faults } : good([first, ...rest]);
}

function readStretch(part: string): ValueReading<Stretch> {
  if (part === '') return bad('has a comma too many', `write ${name}`);
  const match = shape.exec(part);
  if (match === null)
    return bad(`has ${quote(part)}, which is no stretch`, 'write a word, then x3 or for 10m, then a comma');
  const [, written = '', bracket, count, span] = match;
  const word = words.find((known) => known === written);
  if (word === undefined) return unknownWord(written);
  const qualified = qualify(word, bracket);
  if (!qualified.isGood) return qualified;
  const length = lengthOf(count, span);
  return length.isGood ? good({ word: qualified.value, length: length.value }) : length;
}

/** What stands in brackets behind a word: a latency, or what prevented the check. */
function qualify(name: WordName, bracket: string | undefined): ValueReading<SeriesWord> {
  if (bracket === undefined) return good({ name, latencyMs: null });
  if (name === 'unknown') {
    const ownFault = ownFaultKinds.find((kind) => kind === bracket);
    return ownFault === undefined
      ? bad(`has the unknown cause ${quote(bracket)}`, `there are ${ownFaultKinds.join(', ')}`)
      : good({ name, latencyMs: null, ownFault });
  }
  if (/^\d/.test(bracket) && name !== 'up' && name !== 'slow')
    return bad(`gives ${name} a latency`, 'only up and slow have one: up(120), slow(900)');
  return /^\d/.test(bracket)
    ? good({ name, latencyMs: Number(bracket) })
    : bad(
        `has ${quote(`${name}(${bracket})`)}, which is no stretch`,
        'only unknown has a cause: unknown(resolver)',
      );
}

function lengthOf(count: string | undefined, span: string | undefined): ValueReading<Stretch['length']> {
  if (span === undefined) {
    if (Number(count ?? 1) > 0) return good({ kind: 'checks', count: Number(count ?? 1) });
    return bad('has a stretch of no check at all', 'write x1 or more');
  }
  const parsed = parseDuration(span);
  return parsed.kind === 'duration'
    ? good({ kind: 'span', ms: parsed.ms })
    : bad(`has ${quote(`for ${span}`)}, which is no duration`, 'write for 90s, for 10m or for 1h30m');
}

function unknownWord(written: string): ValueReading<never> {
  const guess = nearest(written.toLowerCase(), words);
  const hint = guess === null ? `there are ${words.slice(0, -1).join(', ')} and -` : `did you mean ${guess}?`;
  return bad(`has the unknown word ${quote(written)}`, hint);
}
