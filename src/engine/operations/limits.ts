/** How much an operator may write, and for how long. Texts beyond it are cut, durations refused. */

export const limits = {
  /** Milliseconds. What takes longer is maintenance. */
  silenceMs: 7 * 86_400_000,
  /** The same in words, for help texts. */
  silence: '7 days',
  /** Milliseconds that a planned window of maintenance lasts at most, and how far ahead it may begin. */
  maintenanceMs: 31 * 86_400_000,
  maintenance: '31 days',
  aheadMs: 366 * 86_400_000,
  /** Characters of the reason of a silence. */
  reason: 500,
  /** Characters of the headline of a banner, and of the text below it. */
  title: 200,
  body: 2000,
  /** Characters of the note on an incident. */
  note: 2000,
  /** Characters of an update of an incident. */
  message: 2000,
  /** Characters of a post-mortem, which is refused beyond it. */
  postmortem: 100_000,
} as const;

/** `2,000 characters`. */
export function characters(count: number): string {
  return `${String(count).replace(/(?=(?:\d{3})+$)(?!^)/g, ',')} characters`;
}
