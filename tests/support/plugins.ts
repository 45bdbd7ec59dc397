/** A folder of executable plugins, and a look at the processes they leave behind. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

export interface PluginFolder {
  /** What STATUSD_EXEC_DIR names; its parent is scratch space too. */
  readonly path: string;
  readonly parent: string;
  /** Writes a shell script; `mode` 0o755 makes it a plugin. */
  readonly script: (name: string, lines: string, mode?: number) => void;
  readonly remove: () => void;
}

export function pluginFolder(): PluginFolder {
  const parent = realpathSync(mkdtempSync(join(tmpdir(), 'statusd-plugins-')));
  const path = join(parent, 'plugins');
  mkdirSync(path);
  return {
    path,
    parent,
    script: (name, lines, mode = 0o755) => {
      writeFileSync(join(path, name), `#!/bin/sh\n${lines}\n`, { mode });
    },
    remove: () => {
      rmSync(parent, { recursive: true });
    },
  };
}

/** The process id that a plugin wrote to a file, once it has. */
export async function pidIn(file: string): Promise<number> {
  for (;;) {
    const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
    if (text.endsWith('\n')) return Number(text);
    await delay(5);
  }
}

/** Whether a process is gone within `ms`. One that nobody has waited for yet counts as gone. */
export async function isGone(pid: number, ms = 1000): Promise<boolean> {
  const endsAt = performance.now() + ms;
  while (isRunning(pid)) {
    if (performance.now() > endsAt) return false;
    await delay(5);
  }
  return true;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const stat = existsSync(`/proc/${String(pid)}/stat`)
    ? readFileSync(`/proc/${String(pid)}/stat`, 'utf8')
    : '';
  return !/\) Z /.test(stat);
}
