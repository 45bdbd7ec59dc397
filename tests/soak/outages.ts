/** Random histories of outages and faults, judged by an oracle: ten thousand in virtual time, fifty with the daemon itself. */
import { spawnSync } from 'node:child_process';
import { liveWithDaemon } from '../outages/daemon-world.ts';
import { historyOf, realPace } from '../outages/history.ts';
import { judge } from '../outages/oracle.ts';
import { printedSeed, randomOf } from '../support/random.ts';
import { openSoakReport } from '../support/soak-report.ts';

const histories = Number(process.env['STATUSD_HISTORIES'] ?? 10_000);
const withDaemons = Number(process.env['STATUSD_DAEMONS'] ?? 50);

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

const wrong: string[] = [];
for (let index = 0; index < withDaemons; index += 1) {
  const history = historyOf(randomOf(seed + index), { pace: realPace });
  const lived = await liveWithDaemon(history);
  wrong.push(...judge(history, lived).map((sentence) => `seed ${seed + index}: ${sentence}`));
}
printResult('outages of random histories with the daemon', `${withDaemons} histories`, wrong);

process.exit(exitCode());
