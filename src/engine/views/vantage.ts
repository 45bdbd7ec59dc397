/** Describes what other nodes saw of an outage. */

import type { SeenFrom } from '../alerting/events/outage.ts';
import { anObject, aText, oneOf, readAs, readList } from '../core/decode.ts';

const aVerdict = oneOf(['up', 'down']);

/** What is stored with an incident, as far as it reads as such; null: no peer was asked. */
export function readVantage(stored: unknown): SeenFrom[] | null {
  if (!Array.isArray(stored)) return null;
  return readList(stored, anObject).map(({ peer, verdict, error }) => ({
    peer: readAs(peer, aText),
    verdict: readAs(verdict, aVerdict),
    error: readAs(error, aText),
  }));
}

/** The same for a reader who may know how many nodes there are, and nothing else of them. */
export function anonymousVantage(views: readonly SeenFrom[]): SeenFrom[] {
  return views.map(({ verdict }) => ({ peer: null, verdict, error: null }));
}

/** The views of those who see it up, who see it down, and who did not answer. */
export function seenFrom(views: readonly SeenFrom[]) {
  const of = (wanted: SeenFrom['verdict']) => views.filter(({ verdict }) => verdict === wanted);
  return { up: of('up'), down: of('down'), silent: of(null) };
}

/** `Confirmed down from 3 of 3 nodes`: what they say together, without full stops; none when no peer was asked. */
export function vantageWords(views: readonly SeenFrom[]): string[] {
  if (views.length === 0) return [];
  const { up, down, silent } = seenFrom(views);
  const missing = silent.length === 0 ? [] : [`No answer from ${nodesOf(silent)}`];
  const from = `own from ${down.length + 1} of ${views.length + 1} nodes`;
  if (up.length === 0) return [...(down.length === 0 ? [] : [`Confirmed d${from}`]), ...missing];
  if (down.length > up.length) return [`D${from}, seen up by ${nodesOf(up)}`, ...missing];
  const others = down.length === 0 ? [] : [`D${from}`];
  return [`Seen up by ${nodesOf(up)}: perhaps a network problem near this node`, ...others, ...missing];
}

/** `seen up by Paris`, for a title; null when no node sees it up. */
export function disagreementOf(views: readonly SeenFrom[]): string | null {
  const up = views.filter(({ verdict }) => verdict === 'up');
  return up.length === 0 ? null : `seen up by ${nodesOf(up)}`;
}

const mostNames = 5;

function nodesOf(views: readonly SeenFrom[]): string {
  const names = views.flatMap(({ peer }) => (peer === null ? [] : [peer]));
  if (names.length < views.length) return views.length === 1 ? 'another node' : `${views.length} other nodes`;
  const shown = names.length > mostNames ? names.slice(0, mostNames - 1) : names;
  const rest = names.length - shown.length;
  const last = rest > 0 ? `${rest} others` : (shown.at(-1) ?? '');
  const first = rest > 0 ? shown : shown.slice(0, -1);
  return first.length === 0 ? last : `${first.join(', ')} and ${last}`;
}
