/** Turns the answers of peers about an outage into the stored finding. */
import { durationText } from '../../../engine/core/duration.ts';
import type { Operation } from '../../../db/store/operation.ts';
import { decisions } from '../../../db/tables/decisions.ts';
import { incidents, type IncidentRow } from '../../../db/tables/incidents.ts';
import { peers } from '../../../db/tables/peers.ts';
import type { SeenFrom } from '../../alerting/events/outage.ts';
import { reasons, type ReasonWord } from '../../alerting/reasons.ts';
import { cutText, cleanLine } from '../../core/text.ts';
import { vantageWords } from '../../views/vantage.ts';
import type { QuestionSubject, PeerAnswered } from './ask.ts';

export interface PeerFinding {
  readonly subject: QuestionSubject;
  readonly heard: readonly PeerAnswered[];
  /** How long it took. */
  readonly tookMs: number;
}

/** The incident as it stands, so that nothing else of it is changed. */
export function operationsOfFinding(
  finding: PeerFinding,
  incident: IncidentRow | null,
  at: number,
): Operation[] {
  const { subject, heard, tookMs } = finding;
  const views = viewsOf(heard);
  const said = vantageWords(views);
  const reason = reasonOf(views);
  const detail =
    said.length === 0
      ? reasons[reason]
      : `Other nodes were asked, in ${durationText(tookMs)}: ${said.join('. ')}.`;
  return [
    ...(incident === null
      ? []
      : [
          incidents.describe({
            uid: incident.uid,
            cause: incident.cause,
            impacted: [...incident.impacted],
            vantage: stored(views),
          }),
        ]),
    ...heard.flatMap((each) => verdictOf(each, subject.monitor, at)),
    decided(subject, { reason, detail, at }),
  ];
}

/** For an outage that no peer was asked about, because too many began at once. */
export function operationOfLeavingOut(subject: QuestionSubject, at: number): Operation {
  return decided(subject, { reason: 'peers_not_asked', detail: reasons.peers_not_asked, at });
}

interface Why {
  readonly reason: ReasonWord;
  readonly detail: string;
  readonly at: number;
}

function decided({ monitor, incident }: QuestionSubject, why: Why): Operation {
  return decisions.log({ monitor, incident, channel: null, event: 'down', verdict: 'held', ...why });
}

/** A peer that does not watch the target has nothing to say, and is left out. */
function viewsOf(peerAnswered: readonly PeerAnswered[]): SeenFrom[] {
  return peerAnswered.flatMap(({ peer: { name }, answer }): SeenFrom[] => {
    if (answer === null) return [{ peer: name, verdict: null, error: 'it did not answer in time' }];
    switch (answer.kind) {
      case 'unknown_target':
        return [];
      case 'answered': {
        const verdict = answer.status === 'unknown' ? null : answer.isUp ? 'up' : 'down';
        return [{ peer: name, verdict, error: lineOf(answer.error) }];
      }
      case 'busy':
        return [{ peer: name, verdict: null, error: 'it had too many questions to answer' }];
      case 'refused':
        return [{ peer: name, verdict: null, error: `it refused the question (${answer.status})` }];
      case 'unreachable':
        return [{ peer: name, verdict: null, error: lineOf(answer.error) }];
    }
  });
}

function reasonOf(views: readonly SeenFrom[]): ReasonWord {
  if (views.some(({ verdict }) => verdict === 'up')) return 'peers_disagree';
  return views.some(({ verdict }) => verdict === 'down') ? 'peers_agree' : 'peers_silent';
}

const maxError = 300;
const lineOf = (error: string | null) => (error === null ? null : cutText(cleanLine(error), maxError));

/** What an incident has room for. */
const roomFor = 20_000;

/** Verdicts count more than words. */
function stored(views: readonly SeenFrom[]) {
  const whole = views.map(({ peer, verdict, error }) => ({ peer, verdict, error }));
  if (JSON.stringify(whole).length <= roomFor) return whole;
  const bare = whole.map((view) => ({ ...view, error: null }));
  while (JSON.stringify(bare).length > roomFor) bare.pop();
  return bare;
}

const longestMs = 2 ** 31;
const farthestMs = 2 ** 52;

function verdictOf({ peer, answer }: PeerAnswered, monitor: string, at: number): Operation[] {
  if (answer?.kind !== 'answered') return [];
  const { status, latencyMs, error, skewMs } = answer;
  return [
    peers.saveVerdict({
      peer: peer.id,
      monitor,
      at,
      status,
      latencyMs: wholeWithin(latencyMs, 0, longestMs),
      error: lineOf(error),
      skewMs: wholeWithin(skewMs, -farthestMs, farthestMs),
    }),
  ];
}

/** What a peer sends may be anything. */
function wholeWithin(value: number | null, least: number, most: number): number | null {
  return value === null || !Number.isFinite(value)
    ? null
    : Math.round(Math.min(Math.max(value, least), most));
}
