/**
 * Profiles the daemon under http monitors on a local server: its processor time and what it allocates, by function and
 * by part of the program, beside the cost of a bare request in the same run. The program is the shipped one, built
 * without the shortening of its text, so that each line tells which file it came from.
 *
 *   node --import tsx bench/profile.ts [--monitors 1000,5000] [--interval SECS] [--secs N] [--top N]
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build, type BuildOptions } from 'esbuild';
import { type LoadedDaemon, measureProbes, type ProbeCosts, withProbeLoad } from './probe-load.ts';

const { values } = parseArgs({
  options: {
    monitors: { type: 'string', default: '1000,5000' },
    interval: { type: 'string', default: '20' },
    secs: { type: 'string', default: '40' },
    top: { type: 'string', default: '25' },
  },
});

/** Runs in the daemon. */
const profilerSource = `
  import { Session } from 'node:inspector/promises';
  import { isMainThread } from 'node:worker_threads';
  import { getHeapSpaceStatistics } from 'node:v8';
  if (isMainThread && process.send) {
    const session = new Session();
    session.connect();
    const jobs = {
      cpu: async () => {
        await session.post('Profiler.enable');
        await session.post('Profiler.setSamplingInterval', { interval: 200 });
        await session.post('Profiler.start');
      },
      cpuEnd: async () => (await session.post('Profiler.stop')).profile,
      heap: () => session.post('HeapProfiler.startSampling', {
        samplingInterval: 8192,
        includeObjectsCollectedByMajorGC: true,
        includeObjectsCollectedByMinorGC: true,
      }),
      heapEnd: async () => (await session.post('HeapProfiler.stopSampling')).profile,
      memory: () => ({ ...process.memoryUsage(), spaces: getHeapSpaceStatistics() }),
    };
    process.on('message', async (job) => process.send((await jobs[job]()) ?? null));
    process.channel.unref();
  }
`;
const profilerArguments = ['--import', `data:text/javascript,${encodeURIComponent(profilerSource)}`];

async function ask<T>(child: ChildProcess, job: string): Promise<T> {
  child.send(job);
  const [answer] = (await once(child, 'message')) as [T];
  return answer;
}

const folder = resolve('node_modules', '.cache', 'statusd-bench', 'daemon');

/** The program as it is shipped, readable, and compiled as it starts; answers its entry. */
async function buildReadable(): Promise<string> {
  const define = {
    STATUSD_VERSION: '"0.0.0"',
    'process.env.NODE_ENV': '"production"',
    'process.env.DEV': '"false"',
  };
  const common: BuildOptions = {
    outdir: folder,
    bundle: true,
    platform: 'node',
    target: 'node20.18',
    external: ['sql.js', './cli.js'],
    logLevel: 'error',
  };
  await build({ ...common, entryPoints: { main: 'src/commands/main.ts' }, format: 'esm', define });
  await build({
    ...common,
    entryPoints: { 'chunks/daemon': 'src/commands/daemon.ts' },
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
    supported: { 'dynamic-import': false },
    define: { ...define, 'import.meta.url': '__url' },
    banner: { js: '(function (exports, require, module, __url) {' },
    footer: { js: '})' },
  });
  return join(folder, 'main.js');
}

interface Frame {
  readonly functionName: string;
  readonly url: string;
  readonly lineNumber: number;
}

const modulesOf = new Map<string, readonly (readonly [line: number, file: string])[]>();

/** The source file of a line of the built program, by the remark that esbuild puts in front of each. */
function sourceOf({ url, lineNumber, functionName }: Frame): string {
  const isScript = url === 'daemon.cjs';
  if (!isScript && !url.startsWith('file:')) return url === '' ? functionName : url;
  const file = isScript ? join(folder, 'chunks', url) : fileURLToPath(url);
  if (!file.includes('statusd-bench')) return relative('.', file);
  let marks = modulesOf.get(file);
  if (marks === undefined) {
    const lines = readFileSync(file, 'utf8').split('\n');
    marks = lines.flatMap((line, index) => {
      const found = /^\s*\/\/ ((?:src|node_modules)\/\S+)$/.exec(line)?.[1];
      return found === undefined ? [] : [[index, found] as const];
    });
    modulesOf.set(file, marks);
  }
  return marks.findLast(([line]) => line <= lineNumber)?.[1] ?? 'the entry';
}

/** The parts of the program, by where a function is from; the first that fits. */
const areas: readonly (readonly [name: string, place: RegExp])[] = [
  ['waiting', /^\((?:idle|program|root)\)$/],
  ['garbage collection', /^\(garbage collector\)$/],
  ['undici', /undici/],
  ['SQLite', /^wasm|sql\.js/],
  ['store', /^src\/db\//],
  ['asking (net, probes)', /^src\/engine\/(?:net|probes)\//],
  ['confirming and scheduling', /^src\/engine\//],
  ['clock and timers', /^src\/commands\/context|timers/],
  ['pages', /^src\/serve\//],
  ['notify', /^src\/notify\//],
  ['promises and ticks of Node', /internal\/process|async_hooks|promise/],
  ['signals and events of Node', /abort_controller|event_target|events/],
  ['sockets and streams of Node', /net$|stream|http|dns|tls|url|js_stream|dtrace/],
  ['loading of modules', /modules|loader/],
  ['system calls', /^(?:connect|close|write\w*|read\w*|shutdown|open\w*|fstat|stat|getsockname|fdatasync)$/],
  ['errors and their stacks', /errors|DOMException|^get stack$/],
];

const areaOf = (source: string) => areas.find(([, place]) => place.test(source))?.[0] ?? 'other';

/** Sums by name, the greatest first. */
class Sums {
  readonly byName = new Map<string, number>();
  total = 0;

  add(name: string, amount: number): void {
    this.byName.set(name, (this.byName.get(name) ?? 0) + amount);
    this.total += amount;
  }

  print(title: string, unit: string, { per, most }: { readonly per: number; readonly most: number }): void {
    console.log(`\n| ${title} | ${unit} | share |\n|---|---|---|`);
    const sorted = [...this.byName].sort(([, a], [, b]) => b - a).slice(0, most);
    for (const [name, amount] of sorted) {
      const share = (100 * amount) / this.total;
      console.log(`| ${name} | ${(amount / per).toFixed(1)} | ${share.toFixed(1)} % |`);
    }
  }
}

interface CpuProfile {
  readonly nodes: readonly { readonly id: number; readonly callFrame: Frame }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

interface HeapNode {
  readonly callFrame: Frame;
  readonly selfSize: number;
  readonly children: readonly HeapNode[];
}

function named(frame: Frame): { readonly source: string; readonly label: string } {
  const source = sourceOf(frame);
  const name = frame.functionName === '' ? '(anonymous)' : frame.functionName;
  return { source, label: source === name ? name : `${name} ${source}` };
}

function printCpu({ nodes, samples, timeDeltas }: CpuProfile, probes: number): void {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, named(callFrame)]));
  const [byFunction, byArea] = [new Sums(), new Sums()];
  samples.forEach((id, index) => {
    const { source, label } = frames.get(id) ?? { source: 'other', label: 'other' };
    const area = areaOf(source);
    // The profiler itself: its own beginning and end.
    if (label === '(idle)' || label === 'dispatch') return;
    byFunction.add(label, timeDeltas[index] ?? 0);
    byArea.add(
      label === '(program)' ? 'Node and the system, outside of JavaScript' : area,
      timeDeltas[index] ?? 0,
    );
  });
  byArea.print('processor time of the main thread by part', 'µs a probe', { per: probes, most: 20 });
  byFunction.print('by function', 'µs a probe', { per: probes, most: Number(values.top) });
}

function printHeap(head: HeapNode, probes: number): void {
  const [byFunction, byArea] = [new Sums(), new Sums()];
  const visit = ({ callFrame, selfSize, children }: HeapNode) => {
    const { source, label } = named(callFrame);
    if (selfSize > 0) {
      byFunction.add(label, selfSize);
      byArea.add(areaOf(source), selfSize);
    }
    children.forEach(visit);
  };
  visit(head);
  byArea.print('allocated by part', 'B a probe', { per: probes, most: 20 });
  byFunction.print('allocated by function', 'B a probe', { per: probes, most: Number(values.top) });
}

interface Memory extends NodeJS.MemoryUsage {
  readonly spaces: readonly {
    readonly space_name: string;
    readonly space_size: number;
    readonly space_used_size: number;
  }[];
}

function printMemory({ rss, external, arrayBuffers, spaces }: Memory): void {
  console.log('\n| memory | MB | of it used |\n|---|---|---|');
  const mb = (bytes: number) => (bytes / 1e6).toFixed(1);
  console.log(`| resident | ${mb(rss)} | |\n| external (WebAssembly, buffers) | ${mb(external)} | |`);
  console.log(`| array buffers | ${mb(arrayBuffers)} | |`);
  for (const { space_name: name, space_size: size, space_used_size: used } of spaces) {
    if (size > 500_000) console.log(`| ${name} | ${mb(size)} | ${mb(used)} |`);
  }
}

async function profile(daemon: LoadedDaemon, secs: number, perSecond: number): Promise<ProbeCosts> {
  await pause(Number(values.interval) * 1000);
  const costs = await measureProbes(daemon, secs);
  const probes = secs * perSecond;
  await ask(daemon.child, 'cpu');
  await pause(secs * 1000);
  printCpu(await ask<CpuProfile>(daemon.child, 'cpuEnd'), probes);
  printMemory(await ask<Memory>(daemon.child, 'memory'));
  await ask(daemon.child, 'heap');
  await pause(secs * 1000);
  printHeap((await ask<{ readonly head: HeapNode }>(daemon.child, 'heapEnd')).head, probes);
  return costs;
}

const program = await buildReadable();
for (const text of values.monitors.split(',')) {
  const monitors = Number(text);
  const intervalSecs = Number(values.interval);
  console.log(`\n## ${monitors} monitors every ${intervalSecs} s`);
  await withProbeLoad(
    { monitors, intervalSecs, program, nodeArguments: profilerArguments },
    async (daemon) => {
      const costs = await profile(daemon, Number(values.secs), monitors / intervalSecs);
      console.log(
        `\nWithout a profiler: ${costs.cpuMs.toFixed(2)} ms a probe, a bare request ${costs.floorMs.toFixed(2)} ms ` +
          `(${(costs.cpuMs / costs.floorMs).toFixed(2)}x); ${costs.residentMb.toFixed(0)} MB resident; lateness p99 ` +
          `${costs.late.p99Ms.toFixed(1)} ms, longest ${costs.late.maxMs.toFixed(1)} ms`,
      );
    },
  );
}
