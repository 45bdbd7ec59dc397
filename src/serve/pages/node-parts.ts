/**
 * Renders what the status page shows of this node and others: failing channels, peers. What only operators get has facts
 * in English, so it is English as a whole.
 */
import { durationText } from '../../engine/core/duration.ts';
import type { PageSummary } from '../../engine/views/page.ts';
import { peersHeard, peerTones, type PeerView, peerWords, skewWords } from '../../engine/views/peers.ts';
import { html, type Html } from './html.ts';
import type { Speech } from './words/speech.ts';

/** For those who may know that there are channels: which of them fail. */
export function renderChannels({ channels = [] }: Pick<PageSummary, 'channels'>): Html | null {
  const failing = channels.filter((channel) => channel.failing);
  if (failing.length === 0) return null;
  const rows = failing.map(({ name, consecutive_failures, failing_for_secs }) => {
    const span = failing_for_secs === null ? '' : `, for ${durationText(failing_for_secs * 1000)}`;
    return html`<li><bdi>${name}</bdi><span><span class="c-down">Failing</span>: ${consecutive_failures === 1 ? 'one failed delivery' : `${consecutive_failures} failed deliveries`}${span}</span></li>`;
  });
  return html`<section lang="en" aria-labelledby="channels"><h2 id="channels">Channels</h2><ul class="card lines">${rows}</ul></section>`;
}

/** Renders the other nodes on the status page: each of them, or for the public how many send heartbeats. */
export function renderPeers(
  { peers, peer_counts }: Pick<PageSummary, 'peers' | 'peer_counts'>,
  speech: Speech,
): Html | null {
  const heard = peersHeard(peer_counts);
  if (heard === null) return null;
  if (peers.length === 0) {
    const all = Object.values(peer_counts).reduce((sum, count) => sum + count, 0);
    return html`<p class="soft small">${speech.countOf('nodesHeard', peer_counts.up, all)}</p>`;
  }
  return html`<section lang="en" aria-labelledby="peers"><h2 id="peers">Other nodes <small>${heard}</small></h2><ul class="card lines">${peers.map(renderPeer)}</ul></section>`;
}

function renderPeer(peer: PeerView): Html {
  const { name, state, age, clock_skew_ms, reason } = peer;
  const facts = [
    age === null ? null : `heard ${durationText(age * 1000)} ago`,
    skewWords(clock_skew_ms),
    reason,
  ].filter((fact) => fact !== null);
  const more = facts.length === 0 ? null : html`: ${facts.join(', ')}`;
  const tone = peerTones[state];
  return html`<li><span><span class="dot s-${tone}"></span> <bdi>${name}</bdi></span><span><span class="c-${tone}">${peerWords[state]}</span>${more}</span></li>`;
}
