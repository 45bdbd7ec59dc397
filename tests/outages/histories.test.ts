import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('run.ts', import.meta.url));

describe('random histories of outages and faults', () => {
  it('have no false alert, no missed outage, no double, and a recovery for every down', () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', program, '200'], {
      encoding: 'utf8',
    });
    console.log(stdout.trimEnd());
    assert.equal(status, 0, stderr);
  });
});
