/** Runs the building of a snapshot in a thread or a process of its own, so that the loop never waits for it. */
import { fork } from 'node:child_process';
import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { parentPort, Worker } from 'node:worker_threads';
import { reasonOf, systemCode } from '../../store/files/faults.ts';
import { nodeFiles } from '../../store/files/node.ts';
import type { StoreSchema } from '../../store/operation.ts';
import type { SharedBuildJob } from '../../shared/build.ts';
import { buildSnapshot, type BuildJob, type BuildResult } from './build.ts';

/** An error loses its system code on its way between threads. */
type BuildAnswer =
  | { readonly result: BuildResult }
  | { readonly message: string; readonly code: string | null };

/** What the module of such a thread or process does: a process the one job it was started for, a thread one after the other. */
export async function answerJobs(schema: StoreSchema): Promise<void> {
  giveWay();
  if (parentPort === null) {
    process.send?.(await answerTo(await jobOfParent(), schema));
    return;
  }
  const parent = parentPort;
  parent.on('message', (job: AnyJob) => {
    void answerTo(job, schema).then((answer) => {
      parent.postMessage(answer);
    });
  });
}

/** The process that waits for the answer ends this one; until then what ends both at a terminal does not. */
function jobOfParent(): Promise<AnyJob> {
  process.on('disconnect', () => process.exit());
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
  return new Promise((resolve) => {
    process.once('message', (job) => {
      resolve(job as AnyJob);
    });
  });
}

function answerTo(job: AnyJob, schema: StoreSchema): Promise<BuildAnswer> {
  return build(job, schema).then(
    (result): BuildAnswer => ({ result }),
    (error: unknown): BuildAnswer => ({ message: asError(error).message, code: systemCode(error) }),
  );
}

/** A nice value: a tenth of the time of a thread that has something to do. */
const niceness = 10;

/**
 * Lowers the priority of this thread or process, so that checks and requests go first where there is more to do than there are
 * processors. Only Linux has priorities of single threads, and names them as the threads do.
 */
function giveWay(): void {
  try {
    if (parentPort === null) {
      setPriority(niceness);
      return;
    }
    const [ofProcess, , thread] = readlinkSync('/proc/thread-self').split('/');
    // A /proc of another container numbers them differently.
    if (Number(ofProcess) === process.pid && thread !== ofProcess) setPriority(Number(thread), niceness);
  } catch {
    // It continues unchanged.
  }
}

type AnyJob = BuildJob | SharedBuildJob;

async function build(job: AnyJob, schema: StoreSchema): Promise<BuildResult> {
  if ('file' in job) return buildSnapshot(job, nodeFiles, schema);
  const { buildShared } = await import('../../shared/build.ts');
  return buildShared(job, schema);
}

/** The module of the thread, or process, for the schema of this program, from the sources as from the bundle. */
export const checkpointEntry = new URL(
  import.meta.url.endsWith('.ts') ? './worker.ts' : './checkpoint-worker.js',
  import.meta.url,
);

/** Where snapshots follow each other sooner than this, the thread waits as long for the next job. */
const waitsMs = 10_000;

/**
 * `entry` is the module that calls `answerJobs`: JavaScript, or TypeScript in a checkout that is not built. One job at a time.
 *
 * A thread ends with its job, and its memory with it. Only under a load that fills a log every few seconds it stays: V8 would
 * compile the same in each new one, while requests need the processors.
 */
export function inThread(entry: URL): (job: AnyJob) => Promise<BuildResult> {
  let thread: BuildThread | null = null;
  let ending: NodeJS.Timeout | undefined;
  let answeredMs = -Infinity;
  return async (job) => {
    clearTimeout(ending);
    const used = thread === null || thread.isOver ? new BuildThread(entry) : thread;
    thread = used;
    try {
      return await used.build(job);
    } finally {
      const nowMs = performance.now();
      const end = () => {
        used.end();
      };
      if (nowMs - answeredMs >= waitsMs) end();
      else ending = setTimeout(end, waitsMs).unref();
      answeredMs = nowMs;
    }
  };
}

interface Waiting {
  readonly resolve: (result: BuildResult) => void;
  readonly reject: (error: Error) => void;
}

class BuildThread {
  isOver = false;
  private waiting: Waiting | null = null;
  private readonly worker: Worker;

  constructor(entry: URL) {
    this.worker = start(entry);
    this.worker.on('message', (answer: BuildAnswer) => {
      this.settle((waiting) => {
        settle(answer, waiting);
      });
    });
    this.worker.on('error', (error) => {
      this.fail(asError(error));
    });
    this.worker.on('exit', (code) => {
      this.fail(new Error(`the checkpoint's thread ended with code ${code}`));
    });
  }

  build(job: AnyJob): Promise<BuildResult> {
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
      this.worker.ref();
      this.worker.postMessage(job);
    });
  }

  end(): void {
    this.isOver = true;
    void this.worker.terminate();
  }

  private fail(error: Error): void {
    this.isOver = true;
    this.settle(({ reject }) => {
      reject(error);
    });
  }

  /** A thread that has nothing to do does not keep the process. */
  private settle(by: (waiting: Waiting) => void): void {
    const { waiting } = this;
    if (waiting === null) return;
    this.waiting = null;
    this.worker.unref();
    by(waiting);
  }
}

/**
 * Likewise, in a process. A snapshot of a shared database takes it twice, and what the allocator of a thread took for it
 * would stay with this process.
 */
export function inProcess(entry: URL): (job: SharedBuildJob) => Promise<BuildResult> {
  return (job) =>
    new Promise((resolve, reject) => {
      const execArgv = entry.pathname.endsWith('.ts') ? ['--import', import.meta.resolve('tsx')] : [];
      const child = fork(entry, { execArgv, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
      child.once('message', (answer: BuildAnswer) => {
        settle(answer, { resolve, reject });
        child.disconnect();
      });
      child.once('error', reject);
      child.once('exit', (code, signal) => {
        reject(new Error(`the process that builds snapshots ended with ${signal ?? `code ${code ?? ''}`}`));
      });
      // The job holds a secret, which would be seen among the arguments.
      child.send(job, (error) => {
        if (error !== null) reject(error);
      });
    });
}

function settle(answer: BuildAnswer, { resolve, reject }: Waiting): void {
  if ('result' in answer) resolve(answer.result);
  else reject(Object.assign(new Error(answer.message), { code: answer.code }));
}

function start(entry: URL): Worker {
  // Node hands a thread neither the loader that reads TypeScript nor a way to name one for its first module.
  const isSource = entry.pathname.endsWith('.ts');
  if (!isSource) return new Worker(entry, { execArgv: [] });
  const loader = JSON.stringify(import.meta.resolve('tsx/esm/api'));
  const code = `import(${loader}).then(({ register }) => { register(); return import(${JSON.stringify(entry.href)}); });`;
  return new Worker(code, { execArgv: [], eval: true });
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(reasonOf(thrown));
}
