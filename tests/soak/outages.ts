/** Random histories of outages and faults, judged by an oracle: ten thousand of them. */
import { spawnSync } from 'node:child_process';
import { openSoakReport } from '../support/soak-report.ts';

const histories = 10_000;
const { tell, exitCode } = openSoakReport();
const program = 'tests/outages/run.ts';
const run = spawnSync(process.execPath, ['--import', 'tsx', program, String(histories)], {
  encoding: 'utf8',
  maxBuffer: 1e9,
});
const wrong = run.status === 0 ? [] : run.stderr.trimEnd().split('\n').slice(0, 50);
tell('outages of random histories', `${histories} histories`, wrong);
process.exit(exitCode());
