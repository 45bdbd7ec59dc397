/** The promises of the store (S1 to S6) over many more cases than the tests have time for: one line each. */
import { type AnyFault, liveWithFaults } from '../faults/any-faults.ts';
import { killOver } from '../faults/kill.ts';
import { makeWorlds, tryDamage } from '../faults/damage.ts';
import { startTogether } from '../faults/daemons.ts';
import { countOperations, live } from '../faults/disk-errors.ts';
import { recordLife, recordSeal, tryCrash } from '../faults/power-loss.ts';
import { writeTogether } from '../faults/writers.ts';
import { printedSeed, randomOf } from '../support/random.ts';
import { openSoakReport } from '../support/soak-report.ts';
import { openWorkshop, type Workshop } from '../support/store-processes.ts';

const seed = printedSeed();
const random = randomOf(seed);
const { printResult, exitCode } = openSoakReport();

async function inWorkshop<T>(work: (workshop: Workshop) => Promise<T>): Promise<T> {
  const workshop = await openWorkshop();
  try {
    return await work(workshop);
  } finally {
    workshop.remove();
  }
}

await inWorkshop(async (workshop) => {
  const { cycles, promised, checkpoints, wrong } = await killOver(workshop, { cycles: 500, random });
  printResult('S1 kill -9', `${cycles} kills, ${promised} acknowledged, ${checkpoints} checkpoints`, wrong);
});

{
  const states = 100_000;
  const wrong: string[] = [];
  for (let index = 0; index < states; index += 500) {
    const life = index % 10_000 === 0 ? await recordSeal(seed + index) : await recordLife(seed + index);
    for (let crash = 0; crash < 500; crash += 1)
      wrong.push(...[await tryCrash(life, { random })].filter((one) => one !== null));
  }
  printResult('S2 loss of power', `${states} states of the disk`, wrong);
}

{
  const wrong: string[] = [];
  let lives = 0;
  for (const code of ['EIO', 'EIO while reading', 'ENOSPC', 'EROFS', 'EMFILE', 'short'] as const) {
    const operations = Math.min(600, await countOperations(code));
    for (let at = 1; at <= operations; at += 1) {
      for (const count of [1, 3, 1000]) {
        const life = await live({ code, at, count });
        lives += 1;
        if (life.wrong !== null) wrong.push(`${code} at ${at}, ${count} times: ${life.wrong}`);
      }
    }
  }
  printResult('S3 failing operations', `${lives} lives`, wrong);
}

{
  const lives = 4000;
  const mixes: readonly (readonly AnyFault[])[] = [['hang'], ['short', 'full'], ['hang', 'short', 'full']];
  const wrong: string[] = [];
  for (let life = 0; life < lives; life += 1) {
    const faults = mixes[life % mixes.length] ?? [];
    const wrongs = await liveWithFaults({ seed: seed + life, faults });
    wrong.push(...wrongs.map((what) => `seed ${seed + life}, ${faults.join(', ')}: ${what}`));
  }
  printResult('S3 a disk that fails at random', `${lives} lives`, wrong);
}

{
  const worlds = await makeWorlds();
  const damages = 10_000;
  const wrong: string[] = [];
  let cut = 0;
  for (let index = 0; index < damages; index += 1) {
    const outcome = await tryDamage(random.pick(worlds), { random });
    if (outcome.is === 'wrong') wrong.push(outcome.why);
    if (outcome.is === 'cut between records') cut += 1;
  }
  printResult('S4 damaged files', `${damages} damages, ${cut} of them cuts between records`, wrong);
}

await inWorkshop(async (workshop) => {
  const plan = { writers: 8, writes: 1000, random };
  const { byCommands, byDaemon, checkpoints, kills, wrong } = await writeTogether(workshop, plan);
  printResult(
    'S5 many writers',
    `${byCommands} + ${byDaemon} acknowledged, ${checkpoints} checkpoints, ${kills} kills`,
    wrong,
  );
});

await inWorkshop(async (workshop) => {
  const report = await startTogether(workshop, { count: 10, rounds: 10 });
  const { serving, takeoverMs, floorMs, wrong } = report;
  const slowest = Math.max(...takeoverMs);
  const isQuick = takeoverMs.every((ms, round) => ms - (floorMs[round] ?? 0) < 1500);
  const others = serving.every((count) => count === 1) && isQuick ? [] : [`serving ${serving.join(' ')}`];
  const numbers = `slowest takeover ${slowest} ms, slowest start of another ${Math.max(...floorMs)} ms`;
  printResult('S6 daemons at once', `${serving.length} rounds of 10, ${numbers}`, [...wrong, ...others]);
});

process.exit(exitCode());
