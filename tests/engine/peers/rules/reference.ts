/** A second opinion on watched peers: one second after the other, in as few words as possible. */

export type Event =
  | { readonly kind: 'beat'; readonly says: 'up' | 'degraded' | 'down' }
  /** This process ends and begins again. */
  | { readonly kind: 'restart' }
  /** It stood still, or its clock was set. */
  | { readonly kind: 'gap' }
  | { readonly kind: 'reload'; readonly expectSecs: number; readonly windowSecs: number }
  /** From now on another node says that it hears the peer, or that it does not. */
  | { readonly kind: 'witness'; readonly seesIt: boolean };

export interface Settings {
  readonly expectSecs: number;
  readonly windowSecs: number;
  readonly graceSecs: number;
  readonly isQuorum: boolean;
}

export type Notified = readonly [atSecs: number, what: 'peer_down' | 'peer_link_degraded' | 'over'];

/** What has to be told, given what happens at each second. */
export function expected(script: readonly (readonly Event[])[], settings: Settings): Notified[] {
  let { expectSecs, windowSecs } = settings;
  const { graceSecs, isQuorum } = settings;
  let trouble: 'none' | 'down' | 'link' = 'none';
  let isHeardEver = false;
  let anewAt = 0;
  let beatAt = -1;
  let downSince: number | null = null;
  let decidedAt = 0;
  let seesIt = false;
  const notified: Notified[] = [];
  script.forEach((events, now) => {
    for (const event of events) {
      if (event.kind === 'restart' || event.kind === 'gap') anewAt = now;
      if (event.kind === 'restart') decidedAt = now;
      if (event.kind === 'reload') ({ expectSecs, windowSecs } = event);
      if (event.kind === 'witness') ({ seesIt } = event);
      if (event.kind !== 'beat') continue;
      isHeardEver = true;
      beatAt = now;
      downSince = event.says === 'down' ? (downSince ?? now) : null;
      if (event.says === 'down' || trouble === 'none') continue;
      notified.push([now, 'over']);
      trouble = 'none';
    }
    if (trouble === 'down') return;
    const isAdmitted = downSince !== null && beatAt >= anewAt;
    const patience = isHeardEver ? expectSecs : Math.max(graceSecs, expectSecs);
    const isDue = isAdmitted
      ? now - Math.max(downSince ?? 0, anewAt) >= windowSecs
      : trouble === 'link'
        ? now - Math.max(decidedAt, anewAt) >= expectSecs
        : now - Math.max(beatAt, anewAt) >= patience + windowSecs;
    if (!isDue) return;
    decidedAt = now;
    const next = isQuorum && seesIt && !isAdmitted ? 'link' : 'down';
    if (next === trouble) return;
    trouble = next;
    notified.push([now, next === 'down' ? 'peer_down' : 'peer_link_degraded']);
  });
  return notified;
}
