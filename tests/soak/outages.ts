/**
 * Random histories of outages and faults, judged by an oracle: ten thousand in virtual time, fifty with the daemon itself,
 * twenty with two nodes on one database.
 */
import { spawnSync } from 'node:child_process';
import { liveWithDaemon } from '../outages/daemon-world.ts';
import { historyOf, realPace } from '../outages/history.ts';
import { judge } from '../outages/oracle.ts';
import { startPostgres } from '../support/postgres.ts';
import { printedSeed, randomOf } from '../support/random.ts';
import { openSoakReport } from '../support/soak-report.ts';

const histories = Number(process.env['STATUSD_HISTORIES'] ?? 10_000);
const withDaemons = Number(process.env['STATUSD_DAEMONS'] ?? 50);

const withNodes = Number(process.env['STATUSD_NODES'] ?? 20);

const { printResult, exitCode } = openSoakReport();
const seed = printedSeed();

if (histories > 0) {
  const run = spawnSync(process.execPath, ['--import', 'tsx', 'tests/outages/run.ts', String(histories)], {
    encoding: 'utf8',
    maxBuffer: 1e9,
  });
  const wrong = run.status === 0 ? [] : run.stderr.trimEnd().split('\n').slice(0, 50);
  printResult('outages of random histories', `${histories} histories`, wrong);
}

async function judgeWithDaemons(count: number, databaseOf: () => Promise<string | null>): Promise<string[]> {
  const wrong: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const history = historyOf(randomOf(seed + index), { pace: realPace });
    const lived = await liveWithDaemon(history, await databaseOf());
    wrong.push(...judge(history, lived).map((sentence) => `seed ${seed + index}: ${sentence}`));
  }
  return wrong;
}

printResult(
  'outages of random histories with the daemon',
  `${withDaemons} histories`,
  await judgeWithDaemons(withDaemons, () => Promise.resolve(null)),
);

if (withNodes > 0) {
  const postgres = await startPostgres();
  const wrong = await judgeWithDaemons(withNodes, () => postgres.database());
  await postgres.stop();
  printResult('outages of random histories with two nodes', `${withNodes} histories`, wrong);
}

process.exit(exitCode());
