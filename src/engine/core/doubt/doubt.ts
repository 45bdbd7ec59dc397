/**
 * Decides whether a failure is to be believed, or this node has lost its own network.
 *
 * The witnesses are the other hosts that are watched. A host that was down before is no witness: it would fail with
 * or without a network. Nor is this machine itself, unless nothing else is watched: see bearsWitness.
 */
import type { Evidence } from './evidence.ts';

/** The last thing a monitor saw of its host. */
export interface Testimony {
  readonly host: string;
  /** It was confirmed down before the failure in question began. */
  readonly wasDown: boolean;
  /** Null: not heard since that failure began. */
  readonly heard: Evidence | null;
}

export type Doubt =
  | { readonly kind: 'believe'; readonly why: 'too_few_hosts' | 'others_answer' }
  /** Most hosts fail: `failing` of `hosts`, the one in question among them. */
  | { readonly kind: 'suspect'; readonly failing: number; readonly hosts: number }
  /** These were not heard since: they are to be asked first. */
  | { readonly kind: 'ask'; readonly hosts: readonly string[] };

/** With fewer hosts than this, one that is down cannot be told from a network that is gone. */
const fewestHosts = 3;

/** What was heard of each host that has a say about `own`, itself included. */
export function witnesses(
  own: string | null,
  testimonies: Iterable<Testimony>,
): ReadonlyMap<string, Evidence | null> {
  const heard = new Map<string, Evidence | null>();
  for (const { host, wasDown, heard: said } of testimonies) {
    if (wasDown && host !== own) continue;
    const known = heard.get(host) ?? null;
    // One port that answers is enough to know that the host can be reached.
    heard.set(host, known === 'answered' || said === null ? known : said);
  }
  return heard;
}

/**
 * Whether a failure of `own` by transport is believed, given what was heard of the hosts since it began. `own` is
 * null for a heartbeat that did not come. `isFinal`: those not heard were asked as far as they can be.
 */
export function doubt(
  own: string | null,
  heard: ReadonlyMap<string, Evidence | null>,
  { isFinal }: { readonly isFinal: boolean },
): Doubt {
  if (heard.size < fewestHosts) return { kind: 'believe', why: 'too_few_hosts' };
  if (own !== null && heard.get(own) === 'answered') return { kind: 'believe', why: 'others_answer' };
  const others = [...heard].filter(([host]) => host !== own);
  const answered = others.filter(([, said]) => said === 'answered').length;
  const silent = others.filter(([, said]) => said === 'failed').length;
  const failing = silent + (own === null ? 0 : 1);
  const unheard = others.filter(([, said]) => said === null).map(([host]) => host);
  const witnessing = isFinal ? answered + silent : others.length;
  if (answered > 0 && answered * 2 >= witnessing) return { kind: 'believe', why: 'others_answer' };
  if (failing * 2 > heard.size || isFinal || unheard.length === 0)
    return { kind: 'suspect', failing, hosts: heard.size };
  return { kind: 'ask', hosts: unheard };
}

/** Whether the network is there again: at least half of the hosts answered, or too few are left to tell. */
export function isSighted(heard: ReadonlyMap<string, Evidence | null>): boolean {
  if (heard.size < fewestHosts) return true;
  const answered = [...heard.values()].filter((said) => said === 'answered').length;
  return answered * 2 >= heard.size;
}
