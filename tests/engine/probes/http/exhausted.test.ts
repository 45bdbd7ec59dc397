import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { programArguments } from '../../../support/program.ts';

function run(warmth: 'warm' | 'cold') {
  const node = [process.execPath, ...programArguments('tests/programs/exhausted-http.ts'), warmth];
  const child = spawnSync('/bin/sh', ['-c', 'ulimit -n 100; exec "$0" "$@"', ...node], { encoding: 'utf8' });
  assert.equal(child.status, 0, child.stderr);
  return JSON.parse(child.stdout) as { first: string[]; without: string[]; withAll: string[] };
}

describe('an HTTP probe on a host without file descriptors', () => {
  const unknown = new Array<string>(6).fill('unknown');
  const healthy = new Array<string>(6).fill('healthy');

  it('knows nothing of targets that are up', () => {
    assert.deepEqual(run('warm'), { first: healthy, without: unknown, withAll: healthy });
  });

  it('knows nothing from its first probe on, and recovers', () => {
    assert.deepEqual(run('cold'), { first: [], without: unknown, withAll: healthy });
  });
});
