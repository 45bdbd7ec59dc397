/** S1: what a process said was durable is there after it was killed at any moment. */
import { join } from 'node:path';
import { nodeFiles } from '../../src/db/store/files/node.ts';
import { openStore } from '../../src/db/store/open-store.ts';
import type { Random } from '../support/random.ts';
import { realClock } from '../support/real-clock.ts';
import { acksOf, run, type Ack, type Workshop } from '../support/store-processes.ts';
import { counter, notes, tinySchema } from '../support/tiny-schema.ts';

export interface KillReport {
  readonly cycles: number;
  readonly promised: number;
  readonly checkpoints: number;
  /** What was promised and is not there, or is there twice. */
  readonly wrong: readonly string[];
}

/** Starts a daemon on one database and kills it, over and over. `isEarly`: it promises before it writes. */
export async function killOver(
  workshop: Workshop,
  {
    cycles,
    random,
    isEarly = false,
  }: { readonly cycles: number; readonly random: Random; readonly isEarly?: boolean },
): Promise<KillReport> {
  const file = join(workshop.folder, 'statusd.db');
  const promised: Ack[] = [];
  const wrong: string[] = [];
  let checkpoints = 0;
  for (let cycle = 0; cycle < cycles; cycle += 1) {
    const where = isEarly ? 'early' : cycle % 4 === 0 ? 'thread' : 'here';
    const daemon = run(workshop, ['daemon', file, `cycle ${cycle}`, '0', where]);
    // A part of the kills hits the start: repair, migration, the first checkpoint.
    if (random.below(5) > 0) await daemon.says('serving');
    // A promise that is not made cannot be broken, however slow the machine is.
    if (isEarly) await daemon.says('ack');
    await realClock.sleep(random.below(cycle % 4 === 0 ? 400 : 120));
    daemon.child.kill('SIGKILL');
    await daemon.ended;
    if (daemon.errors.length > 0) wrong.push(`cycle ${cycle}: ${daemon.errors.join('')}`);
    promised.push(...acksOf(daemon.lines));
    checkpoints += daemon.lines.filter((line) => line === 'checkpoint').length;
  }
  wrong.push(...(await missing(file, promised)));
  return { cycles, promised: promised.length, checkpoints, wrong };
}

/** Which promises a database does not keep; also tells of notes that are there twice. */
export async function missing(file: string, promised: readonly Ack[]): Promise<string[]> {
  const store = await openStore({
    file,
    schema: tinySchema(),
    files: nodeFiles,
    clock: realClock,
    role: 'reader',
  });
  const found = notes(store.sql);
  const byId = new Map(found.map(({ id, content }) => [id, content]));
  const contents = new Set(byId.values());
  const wrong = promised.flatMap(({ id, content }) =>
    byId.get(id) === content || (id === 0 && contents.has(content))
      ? []
      : [`note ${id} is "${byId.get(id) ?? 'lost'}", not "${content}"`],
  );
  if (contents.size !== found.length) wrong.push('a note is there twice');
  if (counter(store.sql, 'notes') !== found.length) wrong.push('a transaction was applied in part');
  await store.close();
  return wrong;
}
