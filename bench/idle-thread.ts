/** The floor of every event loop at the moment: what a thread without work is held up by the rest of the machine. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

const source = `
  const { monitorEventLoopDelay } = require('node:perf_hooks');
  const { parentPort } = require('node:worker_threads');
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  parentPort.once('message', () => {
    delay.disable();
    parentPort.postMessage(delay.percentile(99.9) / 1e6);
  });
  parentPort.postMessage('ready');
`;

/** Begins to watch; the answer ends it, with the 99.9th percentile of the delay in milliseconds. */
export async function watchIdleThread(): Promise<() => Promise<number>> {
  const worker = new Worker(source, { eval: true, execArgv: [] });
  await once(worker, 'message');
  return async () => {
    worker.postMessage('end');
    const [p999Ms] = (await once(worker, 'message')) as [number];
    await worker.terminate();
    return p999Ms;
  };
}
