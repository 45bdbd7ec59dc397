/** S6: of many daemons started at once on one database one serves; when it is killed the next one takes over. */
import { join } from 'node:path';
import { run, type Workshop } from '../support/store-processes.ts';

export interface DaemonsReport {
  /** How many said they serve, in each round. */
  readonly serving: readonly number[];
  /** From the start of a new process to its service, after the last one was killed. */
  readonly takeoverMs: readonly number[];
  /** The same, at the same time, on a database of its own: what starting costs on this machine. */
  readonly floorMs: readonly number[];
  readonly wrong: readonly string[];
}

export async function startTogether(
  workshop: Workshop,
  { count, rounds }: { readonly count: number; readonly rounds: number },
): Promise<DaemonsReport> {
  const file = join(workshop.folder, 'statusd.db');
  const start = () => run(workshop, ['daemon', file, 'idle']);
  const report = {
    serving: [] as number[],
    takeoverMs: [] as number[],
    floorMs: [] as number[],
    wrong: [] as string[],
  };
  /** Starts one and ends it; answers how long it took to serve, and how often it said so. */
  const startOne = async (path: string) => {
    const startedAt = performance.now();
    const daemon = run(workshop, ['daemon', path, 'idle']);
    await daemon.says('serving');
    const tookMs = Math.round(performance.now() - startedAt);
    daemon.child.kill('SIGKILL');
    await daemon.ended;
    return { tookMs, isServing: daemon.lines.length > 0, errors: daemon.errors.join('') };
  };
  for (let round = 0; round < rounds; round += 1) {
    const daemons = Array.from({ length: count }, start);
    // Whoever does not serve leaves; the one that serves stays.
    await Promise.all(daemons.map(({ says }) => says('serving')));
    const serving = daemons.filter(({ lines }) => lines.length > 0);
    report.serving.push(serving.length);
    for (const daemon of daemons) {
      if (serving.includes(daemon)) continue;
      const code = await daemon.ended;
      const text = daemon.errors.join('');
      if (
        code !== 4 ||
        !text.includes(`in use by another statusd (pid ${serving[0]?.child.pid ?? 0}, since 20`)
      ) {
        report.wrong.push(`a daemon left with ${code ?? 'a signal'}: ${text}`);
      }
    }
    for (const { child, ended } of serving) {
      child.kill('SIGKILL');
      await ended;
    }
    const [next, floor] = await Promise.all([
      startOne(file),
      startOne(join(workshop.folder, `own-${round}.db`)),
    ]);
    report.takeoverMs.push(next.tookMs);
    report.floorMs.push(floor.tookMs);
    if (!next.isServing) report.wrong.push(`nobody took over: ${next.errors}`);
  }
  return report;
}
