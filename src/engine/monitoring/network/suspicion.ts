/**
 * Decides whether a failure is to be trusted, or this node has lost its own network.
 *
 * The other hosts that are watched are what it is judged by. One that answers, however badly, proves the network: what
 * fails is trusted then. Only when all are silent is it this node that is suspected. A host that was silent long before
 * says nothing by that, since it would be silent with or without a network, but it does when it answers. Nor does
 * this machine itself, unless nothing else is watched: see isReferenceHost.
 */
import type { Evidence } from './evidence.ts';

/** The last thing a monitor saw of its host. */
export interface HostObservation {
  readonly host: string;
  /** It was down and silent long before the failure in question began: its silence says nothing of this node. */
  readonly wasSilent: boolean;
  /** Null: not heard since that failure began. */
  readonly heard: Evidence | null;
}

/** What is known of the hosts since a failure began. */
export interface HostEvidence {
  /** What was heard of each host, the one in question included, up to the first that answered. */
  readonly heard: ReadonlyMap<string, Evidence | null>;
  /** How many of them were not silent before, the one in question included. */
  readonly wereUp: number;
}

export type NetworkSuspicion =
  | { readonly kind: 'believe'; readonly why: 'too_few_hosts' | 'others_answer' }
  /** Others answer, and a short cut may have caused this silence all the same: the target is to be asked once more. */
  | { readonly kind: 'again' }
  /** None of so many hosts answers. */
  | { readonly kind: 'suspect'; readonly hosts: number }
  /** These were not heard since: they are to be asked first. */
  | { readonly kind: 'ask'; readonly hosts: readonly string[] };

/** With fewer hosts than this, one that is down cannot be distinguished from a network that is gone. */
const fewestHosts = 3;

/** Whether so many watched hosts are enough to distinguish one that is down from a network that is gone. */
export function canTell(hosts: number): boolean {
  return hosts >= fewestHosts;
}

/** One host that falls silent while all others have been silent for long is no sign of anything else. */
const fewestUp = 2;

/** What was heard of each host, where a failure of `own` is in question. One that answers decides: no other is looked at then. */
export function hostEvidence(own: string | null, reports: Iterable<HostObservation>): HostEvidence {
  const heard = new Map<string, Evidence | null>();
  const wereUp = new Set(own === null ? [] : [own]);
  for (const { host, wasSilent, heard: said } of reports) {
    const known = heard.get(host) ?? null;
    // One port that answers is enough to know that the host can be reached.
    heard.set(host, known === 'answered' || said === null ? known : said);
    if (!wasSilent) wereUp.add(host);
    if (said === 'answered') break;
  }
  return { heard, wereUp: wereUp.size };
}

/**
 * Whether a failure of `own` by silence is trusted, given what was heard of the hosts since it began. `own` is
 * null for a heartbeat that did not come. `isFinal`: those not heard were asked as far as they can be.
 */
export function suspectNetwork(
  own: string | null,
  { heard, wereUp }: HostEvidence,
  { isFinal }: { readonly isFinal: boolean },
): NetworkSuspicion {
  if (isAnyHeard(heard)) return { kind: 'believe', why: 'others_answer' };
  if (!canTell(heard.size) || wereUp < fewestUp) return { kind: 'believe', why: 'too_few_hosts' };
  const unheard = [...heard].flatMap(([host, said]) => (said === null && host !== own ? [host] : []));
  if (!isFinal && unheard.length > 0) return { kind: 'ask', hosts: unheard };
  return { kind: 'suspect', hosts: heard.size };
}

/**
 * Why the network is no longer suspected: a host answered, or too few are left to judge, in which case it may be gone
 * still; null: it is.
 */
export function backBecause({ heard }: HostEvidence): 'answer' | 'too_few_hosts' | null {
  if (isAnyHeard(heard)) return 'answer';
  return canTell(heard.size) ? null : 'too_few_hosts';
}

function isAnyHeard(heard: HostEvidence['heard']): boolean {
  return [...heard.values()].includes('answered');
}
