/** The random tests, with as many cases as `casesOf` names for here. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSoakReport } from '../support/soak-report.ts';

const { printResult, exitCode } = openSoakReport();
const files = readdirSync('tests', { recursive: true })
  .map((file) => join('tests', String(file)))
  .filter((file) => file.endsWith('.ts') && !/^tests\/(?:soak|support)\//.test(file))
  .filter((file) => readFileSync(file, 'utf8').includes('casesOf('))
  .map((file) => file.replace(/(?:\.test)?\.ts$/, '.test.ts'))
  .sort();
for (const file of files) {
  const { status, stdout } = spawnSync(process.execPath, ['tests/run.js', file], {
    encoding: 'utf8',
    env: { ...process.env, STATUSD_SOAK: '1' },
  });
  const [, failing] = stdout.split('✖ failing tests:');
  printResult('random cases', file, status === 0 ? [] : [failing ?? stdout.slice(-5000)]);
}

process.exit(exitCode());
