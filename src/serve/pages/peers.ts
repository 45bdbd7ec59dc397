/** Renders the other nodes on the status page: each of them, or for strangers how many are heard. */
import type { PageSummary } from '../../engine/views/page.ts';
import { lengthText } from '../../engine/views/page-wording.ts';
import { peersHeard, peerTones, type PeerView, peerWords, skewWords } from '../../engine/views/peers.ts';
import { html, type Html } from './html.ts';
import { smallIcon } from './layout.ts';

export function renderPeers({ peers, peer_counts }: Pick<PageSummary, 'peers' | 'peer_counts'>): Html | null {
  const heard = peersHeard(peer_counts);
  if (heard === null) return null;
  if (peers.length === 0) return html`<p class="block soft">Other nodes: ${heard}.</p>`;
  return html`<section aria-labelledby="peers"><h2 id="peers">Other nodes <small>${heard}</small></h2><ul class="card rows">${peers.map(renderPeer)}</ul></section>`;
}

function renderPeer(peer: PeerView): Html {
  const { name, state, age, clock_skew_ms, reason } = peer;
  const facts = [
    age === null ? null : `heard ${lengthText(age)} ago`,
    skewWords(clock_skew_ms),
    reason,
  ].filter((fact) => fact !== null);
  const more = facts.length === 0 ? null : html`: ${facts.join(', ')}`;
  const tone = peerTones[state];
  return html`<li><span><span class="c-${tone}">${smallIcon(tone)}</span> <bdi>${name}</bdi></span><span><span class="word c-${tone}">${peerWords[state]}</span>${more}</span></li>`;
}
