/** Times whole processes against each other. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

// Node reads the authorities that it names before anything else: 50 ms and 2 MB of each process, for nothing here.
Reflect.deleteProperty(process.env, 'NODE_EXTRA_CA_CERTS');

export interface Command {
  readonly name: string;
  readonly args: readonly string[];
}

/**
 * The median wall time of each command in milliseconds, Node's own start included. The commands take
 * turns, so that whatever else the machine does slows all of them alike. Throws when one does not exit with 0.
 */
export function medianTimes(commands: readonly Command[], rounds: number): ReadonlyMap<string, number> {
  const times = new Map<string, number[]>(commands.map(({ name }) => [name, []]));
  for (let round = -1; round < rounds; round++) {
    for (const { name, args } of commands) {
      const startedAt = performance.now();
      const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
      const elapsedMs = performance.now() - startedAt;
      if (status !== 0) throw new Error(`${name} exited with ${String(status)}: ${stderr}`);
      // The first round only fills the caches of the file system.
      if (round >= 0) times.get(name)?.push(elapsedMs);
    }
  }
  return new Map([...times].map(([name, list]) => [name, median(list)]));
}

export interface Limit {
  readonly what: string;
  readonly command: string;
  readonly baseline: string;
  readonly atMost: number;
}

/** Prints one line a limit and answers whether all of them hold. */
export function judge(limits: readonly Limit[], times: ReadonlyMap<string, number>): boolean {
  const verdicts = limits.map(({ what, command, baseline, atMost }) => {
    const measuredMs = times.get(command) ?? Number.NaN;
    const baselineMs = times.get(baseline) ?? Number.NaN;
    const ratio = measuredMs / baselineMs;
    const isMet = ratio <= atMost;
    console.log(
      `${what}: ${ratio.toFixed(2)}x (${measuredMs.toFixed(0)} ms / ${baselineMs.toFixed(0)} ms), ` +
        `limit ${atMost}x: ${isMet ? 'ok' : 'FAIL'}`,
    );
    return isMet;
  });
  return verdicts.every(Boolean);
}

const serverSource = `
  const server = require('node:http').createServer((request, response) => response.end('ok'));
  server.listen(0, '127.0.0.1', () => console.log(server.address().port));
`;

/** Starts an HTTP server in a process of its own. */
export async function startServer(): Promise<{ readonly origin: string; readonly stop: () => void }> {
  const server = spawn(process.execPath, ['-e', serverSource], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = (await once(createInterface(server.stdout), 'line')) as [string];
  return { origin: `http://127.0.0.1:${port}`, stop: () => server.kill() };
}

/** Runs `use` with the origin of an HTTP server that lives in a process of its own. */
export async function withServer(use: (origin: string) => void): Promise<void> {
  const { origin, stop } = await startServer();
  try {
    use(origin);
  } finally {
    stop();
  }
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
