/** What of the demo's world works at the moment. */

export interface Switches {
  isDatabaseUp: boolean;
  isSearchSlow: boolean;
  isJobRunning: boolean;
}

export function allWell(): Switches {
  return { isDatabaseUp: true, isSearchSlow: false, isJobRunning: true };
}
