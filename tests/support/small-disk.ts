/** A real disk of a few megabytes that can be filled and freed: a tmpfs. Needs root. */
import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readdirSync, realpathSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface SmallDisk {
  readonly path: string;
  readonly at: (name: string) => string;
  /** Takes all the space that is left. */
  readonly fill: () => void;
  /** Gives back what `fill` took. */
  readonly free: () => void;
  readonly remount: (mode: 'ro' | 'rw') => void;
  readonly close: () => void;
}

const ballast = 'ballast';

/** Null: this machine does not allow it. Throws with CI=true, where the test is required. */
export function openSmallDisk(bytes = 2 * 1024 * 1024): SmallDisk | null {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'statusd-disk-')));
  const mounted = mount('-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', path);
  if (mounted !== null) {
    rmSync(path, { recursive: true, force: true });
    if (process.env['CI'] === 'true') throw new Error(`cannot mount a tmpfs: ${mounted}`);
    return null;
  }
  const at = (name: string) => join(path, name);
  return {
    path,
    at,
    fill: () => {
      fillUp(at(`${ballast}.${readdirSync(path).length}`));
    },
    free: () => {
      for (const name of readdirSync(path)) if (name.startsWith(ballast)) rmSync(at(name));
    },
    remount: (mode) => {
      const refused = mount('-o', `remount,${mode}`, path);
      if (refused !== null) throw new Error(refused);
    },
    close: () => {
      spawnSync('umount', ['--lazy', path]);
      rmSync(path, { recursive: true, force: true });
    },
  };
}

/** Null when it worked, otherwise why not. */
function mount(...args: string[]): string | null {
  const { status, stderr, error } = spawnSync('mount', args, { encoding: 'utf8' });
  return status === 0 ? null : (error?.message ?? stderr);
}

function fillUp(file: string): void {
  const descriptor = openSync(file, 'w');
  try {
    for (const size of [65_536, 4096, 1]) while (takes(descriptor, size));
  } finally {
    closeSync(descriptor);
  }
}

function takes(descriptor: number, size: number): boolean {
  try {
    return writeSync(descriptor, Buffer.alloc(size)) === size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return false;
    throw error;
  }
}
