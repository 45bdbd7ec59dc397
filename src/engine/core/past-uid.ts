/** Names incidents that another program recorded, so that they differ from those that were watched here. */

const fromKuma = 'kuma-';

/** The same whenever the same outage is read again. What is watched here has a UUID. */
export function kumaUid(monitor: string, confirmedAt: number): string {
  return `${fromKuma}${monitor}-${confirmedAt}`;
}

export function isFromKuma(uid: string): boolean {
  return uid.startsWith(fromKuma);
}
