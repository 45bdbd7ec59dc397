/** A Prometheus of the test's own that takes what is written to it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from './daemon.ts';

interface Found {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Prometheus {
  /** Where it listens, without a slash at its end. */
  readonly origin: string;
  /** What an expression is at the moment. */
  readonly query: (expression: string) => Promise<readonly Found[]>;
  readonly stop: () => Promise<void>;
}

interface QueryAnswer {
  readonly data: {
    readonly result: readonly {
      readonly metric: Readonly<Record<string, string>>;
      readonly value: readonly [number, string];
    }[];
  };
}

export async function startPrometheus(): Promise<Prometheus> {
  const folder = mkdtempSync(join(tmpdir(), 'statusd-prometheus-'));
  const file = join(folder, 'prometheus.yml');
  writeFileSync(file, 'global: {}\n');
  const address = `127.0.0.1:${await freePort()}`;
  const server = spawn(
    'prometheus',
    [
      `--config.file=${file}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=${address}`,
      '--web.enable-remote-write-receiver',
      '--log.level=error',
    ],
    { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let said = '';
  server.stderr.on('data', (text: Buffer) => (said += text.toString()));
  const ended = once(server, 'exit');
  const origin = `http://${address}`;
  await until(
    async () => {
      if (server.exitCode !== null) throw new Error(`Prometheus ended: ${said}`);
      return fetch(`${origin}/-/ready`).then(
        ({ ok }) => ok,
        () => false,
      );
    },
    () => `Prometheus is not ready: ${said}`,
  );
  return {
    origin,
    query: async (expression) => {
      const answer = await fetch(`${origin}/api/v1/query?query=${encodeURIComponent(expression)}`);
      const { data } = (await answer.json()) as QueryAnswer;
      return data.result.map(({ metric, value }) => ({ labels: metric, value: Number(value[1]) }));
    },
    stop: async () => {
      server.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
