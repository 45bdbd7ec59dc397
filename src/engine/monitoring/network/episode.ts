/** The state of this node's network, from one finding to the next. */
import { aNumber, aText, document, fieldsOf, oneOf, readAs } from '../../core/decode.ts';

/**
 * `suspect`: all hosts are silent. `lost`: for so long that it is trusted. `by`: the hosts that monitors are on, or the
 * peers, none of which is heard. Instants are epoch ms.
 */
export type Network = NetworkOk | NetworkEpisode;

interface NetworkOk {
  readonly state: 'ok';
  /** The last time that the network was lost, as far as it is known. */
  readonly ended: EndedEpisode | null;
}

export interface NetworkEpisode {
  readonly state: 'suspect' | 'lost';
  readonly sinceAt: number;
  readonly reason: string;
  readonly by: 'hosts' | 'peers';
}

interface EndedEpisode extends Pick<NetworkEpisode, 'sinceAt' | 'reason'> {
  readonly endedAt: number;
}

export const networkOk: Network = { state: 'ok', ended: null };

/** The reason for people: how many hosts are silent, which are all that are watched. */
export function silenceInWords(hosts: number): string {
  return `none of the ${hosts} monitored hosts can be reached`;
}

/** The network is there again at `at`. One that was only suspected leaves nothing behind. */
export function endOf(before: Network, at: number): Network {
  if (before.state === 'ok') return before;
  if (before.state === 'suspect') return networkOk;
  const { sinceAt, reason } = before;
  return { state: 'ok', ended: { sinceAt, reason, endedAt: at } };
}

/**
 * `now` as the rest of an episode that ended less than `windowMs` before it began, which is lost at once then: nothing
 * was said of its end yet. Anything else is an episode of its own.
 */
export function continued(now: NetworkEpisode, before: Network, windowMs: number): NetworkEpisode {
  const ended = before.state === 'ok' ? before.ended : null;
  if (ended === null || now.sinceAt > ended.endedAt + windowMs) return now;
  return { ...now, state: 'lost', sinceAt: ended.sinceAt };
}

/** Whether `now` goes on with an episode that seemed to be over. */
export function isContinuation(now: Network, before: Network): boolean {
  return now.state === 'lost' && before.state === 'ok' && before.ended?.sinceAt === now.sinceAt;
}

const anEpisode = document({
  state: oneOf(['suspect', 'lost']),
  sinceAt: aNumber,
  reason: aText,
});
const anEnd = document({ ended: document({ sinceAt: aNumber, endedAt: aNumber, reason: aText }) });

/** A stored document as a Network; anything else is `ok`. */
export function readNetwork(stored: unknown): Network {
  const ended = readAs(stored, anEnd);
  if (fieldsOf(stored)['state'] === 'ok')
    return ended === null ? networkOk : { state: 'ok', ended: ended.ended };
  const episode = readAs(stored, anEpisode);
  if (episode === null) return networkOk;
  const { state, sinceAt, reason, by } = episode;
  return { state, sinceAt, reason, by: by === 'peers' ? 'peers' : 'hosts' };
}
