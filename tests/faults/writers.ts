/** S5: commands write while the daemon writes, checkpoints and is killed: nothing is lost, nothing is there twice. */
import { join } from 'node:path';
import type { Random } from '../support/random.ts';
import { realClock } from '../support/real-clock.ts';
import { acksOf, run, type Workshop } from '../support/store-processes.ts';
import { missing } from './kill.ts';

export interface WritersReport {
  /** Promises made to commands, and to the daemon. */
  readonly byCommands: number;
  readonly byDaemon: number;
  readonly checkpoints: number;
  readonly kills: number;
  readonly wrong: readonly string[];
}

export interface WritersPlan {
  readonly writers: number;
  readonly writes: number;
  readonly random: Random;
}

export async function writeTogether(
  workshop: Workshop,
  { writers, writes, random }: WritersPlan,
): Promise<WritersReport> {
  const file = join(workshop.folder, 'statusd.db');
  const wrong: string[] = [];
  const start = (life: number) => run(workshop, ['daemon', file, `daemon ${life}`, '0', 'here']);
  const daemons = [start(0)];
  await daemons[0]?.says('serving');
  const commands = Array.from({ length: writers }, (_, index) =>
    run(workshop, ['writer', file, `command ${index}`, String(writes)]),
  );
  await Promise.all(commands.map(({ says }) => says('open')));
  for (const { child } of commands) child.stdin?.end();
  let isOver = false;
  const done = Promise.all(commands.map(({ ended }) => ended)).then((codes) => {
    isOver = true;
    codes.forEach((code, index) => {
      if (code !== 0)
        wrong.push(
          `command ${index} ended with ${code ?? 'a signal'}: ${commands[index]?.errors.join('') ?? ''}`,
        );
    });
  });
  let kills = 0;
  const killing = async () => {
    while (!isOver) {
      await realClock.sleep(150 + random.below(400));
      const daemon = daemons.at(-1);
      daemon?.child.kill('SIGKILL');
      await daemon?.ended;
      kills += 1;
      const next = start(kills);
      daemons.push(next);
      await next.says('serving');
    }
  };
  await Promise.all([done, killing()]);
  const last = daemons.at(-1);
  last?.child.kill('SIGKILL');
  await last?.ended;
  for (const { errors } of daemons) if (errors.length > 0) wrong.push(errors.join(''));
  const byCommands = commands.flatMap(({ lines }) => acksOf(lines));
  const byDaemon = daemons.flatMap(({ lines }) => acksOf(lines));
  wrong.push(...(await missing(file, [...byCommands, ...byDaemon])));
  const checkpoints = daemons.flatMap(({ lines }) => lines).filter((line) => line === 'checkpoint').length;
  return { byCommands: byCommands.length, byDaemon: byDaemon.length, checkpoints, kills, wrong };
}
