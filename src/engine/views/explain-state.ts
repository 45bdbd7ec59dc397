/** Describes how close a monitor is, or was, to being confirmed down, when there is no incident. */
import { problemOf, remedyOf } from '../core/own-fault.ts';
import type { MonitorState } from '../monitoring/confirm/state.ts';
import { instantText, nearInstantText } from '../core/instant.ts';
import { counted, inWords } from '../core/words.ts';
import type { PeerState } from '../peers/rules/state.ts';
import type { ExplainFacts } from './explain-facts.ts';
import { withoutStop } from './page-wording.ts';

type StateFacts = Pick<
  ExplainFacts,
  'nowAt' | 'askedAt' | 'monitor' | 'peer' | 'policy' | 'state' | 'samples'
>;

export function stateHeadline(facts: StateFacts): string {
  const { askedAt, monitor, peer, policy } = facts;
  if (peer !== null) return peerSentence(peer, facts);
  if (askedAt === null) return policy === null ? removedSentence(facts) : presentSentence(facts);
  const sentence = pastSentence(facts, askedAt);
  return policy === null ? `${sentence} ${monitor.id} is not configured any more.` : sentence;
}

/** How it is now is not known. */
function removedSentence({ state, monitor: { id } }: StateFacts): string {
  const status = state?.status ?? 'unknown';
  const last = status === 'unknown' ? '' : ` It was ${status} when it was last checked.`;
  return `${id} is not configured any more.${last}`;
}

function presentSentence({ state, monitor: { id }, policy, nowAt }: StateFacts): string {
  if (state === null) return `Nothing is known of ${id} yet.`;
  const { failures, slow, status } = state;
  if (failures !== null && status !== 'down') {
    const since = nearInstantText(failures.sinceAt, nowAt);
    const so = `${id} is ${status}: ${counted(failures.count, 'failed check')} in a row since ${since}`;
    return policy === null ? `${so}.` : `${so}; ${policy.failThreshold} confirm that it is down.`;
  }
  if (slow !== null && status === 'degraded') {
    const since = nearInstantText(slow.sinceAt, nowAt);
    const so = `${id} is degraded: ${counted(slow.count, 'degraded answer')} since ${since}`;
    return policy?.isDegradedNotified === false
      ? `${so}; alert_on_degraded is off, so nobody is notified.`
      : `${so}.`;
  }
  const { blocked } = state;
  if (blocked !== null && status !== 'down') {
    const since = nearInstantText(blocked.sinceAt, nowAt);
    return `${id} cannot be checked since ${since}, ${problemOf(blocked.ownFault)}. ${remedyOf(blocked.ownFault)}.`;
  }
  return `${id} is ${statusWord(state)}.`;
}

/**
 * How often checks failed in the last 24 hours without confirming anything, which is why nobody was alerted; null when
 * none did. What fails at the moment is not counted: the state says it.
 */
export function flappingSentence(
  facts: StateFacts & Pick<ExplainFacts, 'incident' | 'others'>,
): string | null {
  const { askedAt, nowAt, policy, state, samples, incident, others = [] } = facts;
  if (askedAt !== null || policy === null || state === null) return null;
  // One heartbeat that is missed confirms it, as a lower threshold of before did.
  const outages = incident === null ? others : [incident, ...others];
  const isOfOutage = ({ fromAt, toAt }: FailedRun) =>
    outages.some(({ startedAt, endedAt }) => startedAt <= toAt && (endedAt ?? Infinity) >= fromAt);
  const isShort = (run: FailedRun) =>
    run.count < policy.failThreshold &&
    run.fromAt < (state.failures?.sinceAt ?? Infinity) &&
    !isOfOutage(run);
  const runs = failedRuns(samples).filter(isShort);
  const longest = runs.toSorted((a, b) => b.count - a.count)[0];
  if (longest === undefined) return null;
  const failed = runs.reduce((sum, { count }) => sum + count, 0);
  const at = nearInstantText(longest.fromAt, nowAt);
  const inRow = longest.count === 1 ? 'never two in a row' : `at most ${longest.count} in a row`;
  const how = runs.length === 1 ? `from ${at}` : `at ${runs.length} times, ${inRow} (from ${at})`;
  const where = outages.length === 0 ? '' : ', apart from those of incidents,';
  return `In the last 24 h${where} ${counted(failed, 'check')} failed ${how}; ${policy.failThreshold} in a row confirm that it is down, so no alert was due.`;
}

function peerSentence(
  { state, sinceAt, heardAt, reason, seenBy }: PeerState,
  { askedAt, monitor: { id }, nowAt }: StateFacts,
): string {
  if (askedAt !== null)
    return `Of the peer ${id} only the present state is kept; what was decided around ${instantText(askedAt)} follows.`;
  const since = sinceAt === null ? '' : ` since ${nearInstantText(sinceAt, nowAt)}`;
  const heard =
    heardAt === null ? 'no heartbeat yet' : `last heartbeat at ${nearInstantText(heardAt, nowAt)}`;
  const why = reason === null ? '' : `: ${withoutStop(reason)}`;
  switch (state) {
    case 'unknown':
      return heardAt === null
        ? `The peer ${id} is unknown: it has not sent a heartbeat yet, or is not watched.`
        : `The peer ${id} is unknown, ${heard}.`;
    case 'up':
      return `The peer ${id} is up: ${heard}.`;
    case 'down':
      return `The peer ${id} is down${since}, ${heard}${why}.`;
    case 'link_degraded':
      return `The link to the peer ${id} is broken${since}, ${heard}; ${inWords(seenBy)} still ${seenBy.length === 1 ? 'receives' : 'receive'} its heartbeats${why}.`;
  }
}

function statusWord({ status, unknowns }: MonitorState): string {
  if (status !== 'unknown') return status;
  return unknowns === null ? 'not known yet' : 'unknown: this host could not ask';
}

function pastSentence({ samples, monitor: { id }, policy }: StateFacts, askedAt: number): string {
  const at = instantText(askedAt);
  const none = `At ${at}, no incident of ${id} was open`;
  const streak = streakAround(samples, askedAt);
  const run =
    streak === null
      ? ''
      : `${counted(streak.count, 'failed check')} in a row from ${instantText(streak.fromAt)}`;
  const rule = policy === null ? '.' : `, and it takes ${policy.failThreshold} to confirm it down.`;
  if (streak !== null && streak.fromAt <= askedAt) return `${none}: it had ${run}${rule}`;
  const sample = samples.findLast((one) => one.at <= askedAt);
  const before =
    sample === undefined
      ? `There is no sample of ${id} from shortly before ${at}, and no incident was open.`
      : `${none}: the check at ${instantText(sample.at)} found it ${sample.status}.`;
  return streak === null ? before : `${before} Afterwards it had ${run}${rule}`;
}

interface FailedRun {
  readonly count: number;
  readonly fromAt: number;
  readonly toAt: number;
}

/** The instant that is asked about is rarely known to the second. */
const nearMs = 300_000;

/** The failed checks in a row nearest to `at`, which they hold or miss by five minutes at most; null: there are none. */
export function streakAround(samples: StateFacts['samples'], at: number): FailedRun | null {
  const distance = ({ fromAt, toAt }: FailedRun) => Math.max(0, fromAt - at, at - toAt);
  const near = failedRuns(samples).filter((run) => distance(run) <= nearMs);
  return near.toSorted((a, b) => distance(a) - distance(b))[0] ?? null;
}

function failedRuns(samples: StateFacts['samples']): readonly FailedRun[] {
  const runs: FailedRun[] = [];
  let isOpen = false;
  for (const { at, status } of samples) {
    // An unknown sample says nothing, so it neither adds to a streak nor ends it.
    if (status === 'unknown') continue;
    const last = runs.at(-1);
    if (status !== 'down') isOpen = false;
    else if (isOpen && last !== undefined)
      runs[runs.length - 1] = { ...last, count: last.count + 1, toAt: at };
    else {
      runs.push({ count: 1, fromAt: at, toAt: at });
      isOpen = true;
    }
  }
  return runs;
}
