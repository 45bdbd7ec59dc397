/** Starts the daemon as it is shipped, and knows where it listens. */
import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const bin = fileURLToPath(new URL('../bin/statusd.js', import.meta.url));

export interface RunningDaemon {
  readonly child: ChildProcess;
  readonly url: string;
}

/**
 * On the configuration in `folder`, with `nodeArguments` for node and a channel to talk to what they bring along; `program`
 * stands for the built one.
 * Resolves when it is ready; whoever starts it ends it.
 */
export async function startDaemon(
  folder: string,
  nodeArguments: readonly string[] = [],
  program = bin,
): Promise<RunningDaemon> {
  const child = spawn(process.execPath, [...nodeArguments, program, 'serve', '--log-format', 'json'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit', nodeArguments.length === 0 ? 'ignore' : 'ipc'],
  });
  if (child.stdout === null) throw new Error('the daemon has no output');
  for await (const line of createInterface(child.stdout)) {
    const { event, url } = JSON.parse(line) as { event: string; url?: string };
    if (event === 'daemon.ready' && url !== undefined) {
      child.stdout.resume();
      return { child, url };
    }
  }
  throw new Error('the daemon did not start');
}

/** Resident memory in MB: what it takes now, and the most that it took. */
export function residentOf({ child }: RunningDaemon): { readonly now: number; readonly peak: number } {
  const status = readFileSync(`/proc/${child.pid ?? ''}/status`, 'utf8');
  const of = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
  return { now: of('VmRSS'), peak: of('VmHWM') };
}
