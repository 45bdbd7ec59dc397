/** Puts a message into words. */
import type { Message } from '../message.ts';
import { budgetBurn, certChanged, certExpiring, certUnreadable, domainExpiring } from './expiry.ts';
import {
  channelFailing,
  nodeBlind,
  peerDown,
  peerLinkDegraded,
  peerRecovered,
  storageFailing,
} from './node.ts';
import { digest, producerAlert, test } from './notice.ts';
import { degraded, down, recovered } from './outage.ts';
import { checkedAgain, unknown } from './unknown.ts';
import type { Wording } from './wording.ts';

/** A test says so, before and after: whoever reads half of it must not run to the servers. */
export function wordingOf(message: Message): Wording {
  const wording = withRepeat(wordsFor(message), message);
  if (!message.isTest) return wording;
  const notice = message.event === 'test' ? [] : ['This is a test, nothing of it is true'];
  return { ...wording, title: `TEST: ${wording.title}`, lines: [...notice, ...wording.lines] };
}

/** Behind the verdict: a receiver that took an earlier copy too late to say so has it already. */
function withRepeat(wording: Wording, { repeat = 0 }: Message): Wording {
  if (repeat === 0) return wording;
  const [verdict, ...rest] = wording.lines;
  const note = 'This may be a repeat: there was no answer to it in time';
  return { ...wording, lines: verdict === undefined ? [note] : [verdict, note, ...rest] };
}

function wordsFor(message: Message): Wording {
  switch (message.event) {
    case 'down':
      return down(message);
    case 'unknown':
      return unknown(message);
    case 'degraded':
      return degraded(message);
    case 'recovered':
      return message.from === 'unknown' ? checkedAgain(message) : recovered(message);
    case 'alert':
      return producerAlert(message);
    case 'channel_failing':
      return channelFailing(message);
    case 'cert_expiring':
      return certExpiring(message);
    case 'cert_changed':
      return certChanged(message);
    case 'cert_unreadable':
      return certUnreadable(message);
    case 'domain_expiring':
      return domainExpiring(message);
    case 'budget_burn':
      return budgetBurn(message);
    case 'peer_down':
      return peerDown(message);
    case 'peer_recovered':
      return peerRecovered(message);
    case 'peer_link_degraded':
      return peerLinkDegraded(message);
    case 'node_blind':
      return nodeBlind(message);
    case 'storage_failing':
      return storageFailing(message);
    case 'digest':
      return digest(message);
    case 'test':
      return test(message);
  }
}
