/** A TCP port that takes no connection and refuses none: what a firewall that drops packets looks like. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';

export interface SilentPort {
  readonly port: number;
  readonly close: () => void;
}

/** Listens and then sleeps for good: the kernel takes two connections for it, and then no more. */
const sleeper = `
  require('node:net').createServer().listen({ host: process.argv[1], port: Number(process.argv[2]), backlog: 1 }, function () {
    require('node:fs').writeSync(1, String(this.address().port));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });
`;

export async function startSilentPort({ host = '127.0.0.1', port = 0 } = {}): Promise<SilentPort> {
  const child = spawn(process.execPath, ['-e', sleeper, host, String(port)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const end = () => child.kill('SIGKILL');
  // A test that fails before it closes this would leave whoever waits for all output of the tests waiting.
  process.once('exit', end);
  const [announced] = (await once(child.stdout, 'data')) as [Buffer];
  const taken = Number(announced.toString());
  const fillers = [connect(taken, host), connect(taken, host)];
  await Promise.all(fillers.map((socket) => once(socket, 'connect')));
  for (const socket of fillers) socket.on('error', () => undefined);
  return {
    port: taken,
    close: () => {
      for (const socket of fillers) socket.destroy();
      process.off('exit', end);
      end();
    },
  };
}
