/** Decides when the checks of an open outage fail for another reason than before. */
import type { Category, Reason } from '../../core/probe.ts';
import type { LatestReason } from '../../core/latest-reason.ts';
import type { SampleFinding } from '../../core/sample.ts';
import type { MonitorState, Said, SaidOfOutage } from './state.ts';

export interface SaidNow {
  readonly state: MonitorState;
  /** What the record of the incident is to say from now on; null: what it says. */
  readonly change: LatestReason | null;
}

interface Heard {
  readonly finding: SampleFinding['kind'];
  readonly reason: Reason | null;
  /** Epoch ms. */
  readonly at: number;
}

/**
 * The state with what its latest sample said. A reason of another category, or in other words, counts when two failing
 * checks in a row gave it; a check that this host could not make says nothing, an answer begins anew.
 */
export function heard(before: MonitorState, state: MonitorState, { finding, reason, at }: Heard): SaidNow {
  if (state.incident === null)
    return { state: state.said === null ? state : { ...state, said: null }, change: null };
  if (before.incident === null)
    return { state: { ...state, said: { latest: saidOf(reason), next: null } }, change: null };
  const { said } = state;
  if (said === null || finding === 'unknown' || finding === 'late') return { state, change: null };
  const isFailing = finding === 'failed' || finding === 'missed';
  const words = saidOf(reason);
  if (!isFailing || isAlike(words, said.latest))
    return { state: said.next === null ? state : withSaid(state, { ...said, next: null }), change: null };
  if (said.next === null || !isAlike(words, said.next))
    return { state: withSaid(state, { ...said, next: { ...words, sinceAt: at } }), change: null };
  const { sinceAt } = said.next;
  return {
    state: withSaid(state, { latest: words, next: null }),
    change: { sinceAt, category: words.category, reason: reason?.message ?? null },
  };
}

/** The state after a start, where the record of the open incident has the last word about what was said so far. */
export function asRecorded(
  state: MonitorState,
  record: {
    readonly category: Category | null;
    readonly reason: string | null;
    readonly latest: LatestReason | null;
  } | null,
): MonitorState {
  if (state.incident === null || record === null)
    return state.said === null ? state : { ...state, said: null };
  const { category, reason: message } = record.latest ?? record;
  const latest = { category, words: masked(category, message ?? '') };
  // An incident that is taken from the record alone was never followed by this state.
  const next = state.incident.isReattached ? null : (state.said?.next ?? null);
  return withSaid(state, { latest, next: next !== null && isAlike(next, latest) ? null : next });
}

function withSaid(state: MonitorState, said: SaidOfOutage): MonitorState {
  return { ...state, said };
}

function saidOf(reason: Reason | null): Said {
  const category = reason?.category ?? null;
  return { category, words: masked(category, reason?.message ?? '') };
}

function isAlike(a: Said, b: Said): boolean {
  return a.category === b.category && a.words === b.words;
}

/** What differs later in a text is no other reason: this is stored with every failing check. */
const mostCompared = 200;

/**
 * A text as it is compared: times and sizes change with every check, so numbers count as equal. The status that a server
 * answers with is a reason of its own.
 */
function masked(category: Category | null, text: string): string {
  const words = category === 'status' ? text : text.replace(/\d+(?:[.,:]\d+)*/g, '#');
  return words.slice(0, mostCompared);
}
