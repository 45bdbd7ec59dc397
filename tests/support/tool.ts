/** Says whether a test that needs a program of the system can run: with CI=true it has to. */
import { spawnSync } from 'node:child_process';

/** For the option `skip` of a test: false, or why it is left out. */
export function skipWithout(program: string): string | false {
  const isThere = spawnSync(program, ['--version']).error === undefined;
  return isThere || process.env['CI'] === 'true' ? false : `no ${program}`;
}
