/** Keeps damaged files for inspection: nothing that was not understood is deleted. */
import type { Clock } from '../../engine/core/clock.ts';
import { systemCode } from './files/faults.ts';
import type { Files } from './files/files.ts';
import type { Names } from './files/names.ts';
import type { FileFinding } from './snapshot/base.ts';

export interface QuarantinePlace {
  readonly files: Files;
  readonly names: Names;
  readonly clock: Clock;
}

/** Keeps every file of which a finding asks for it, once. Only for the holder of the lock. */
export async function quarantine(place: QuarantinePlace, findings: readonly FileFinding[]): Promise<void> {
  const keeps = new Map<string, 'aside' | 'copy'>();
  for (const { file, keep } of findings)
    if (keep !== 'none' && keeps.get(file) !== 'aside') keeps.set(file, keep);
  for (const [file, keep] of keeps) {
    if (keep === 'copy') await quarantineCopy(place, file);
    else await quarantineOriginal(place, file);
  }
}

/** Gives a file a second name under which it stays; says nothing when it is gone. */
export async function quarantineCopy({ files, names, clock }: QuarantinePlace, path: string): Promise<void> {
  try {
    await files.link(path, await freeName({ files, names, clock }, path));
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
}

export async function quarantineOriginal(place: QuarantinePlace, path: string): Promise<void> {
  await place.files.rename(path, await freeName(place, path));
}

/** A rename replaces what has the name already, which would be the damage of a moment ago. */
async function freeName({ files, names, clock }: QuarantinePlace, path: string): Promise<string> {
  const name = names.quarantined(path, clock.now());
  for (let count = 1; ; count += 1) {
    const candidate = count === 1 ? name : `${name}-${count}`;
    if ((await files.facts(candidate)) === null) return candidate;
  }
}
