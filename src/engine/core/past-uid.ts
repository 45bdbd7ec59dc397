/** Names incidents imported from another program, so that they never collide with those recorded here. */

/** The programs whose record can be imported, by the start of the uids of what came from them. */
const programs = { kuma: 'Uptime Kuma', hora: 'Hora' } as const;

export type PastProgram = keyof typeof programs;

export function programName(program: PastProgram): string {
  return programs[program];
}

/** The same whenever the same outage is read again. What is watched here has a UUID. */
export function pastUid(program: PastProgram, monitor: string, confirmedAt: number): string {
  return `${program}-${monitor}-${confirmedAt}`;
}

/** The name of the program that recorded the incident; null: it was watched here. */
export function recordedBy(uid: string): string | null {
  const [, program] = /^([a-z]+)-.*-\d+$/.exec(uid) ?? [];
  return program !== undefined && Object.hasOwn(programs, program)
    ? programName(program as PastProgram)
    : null;
}
