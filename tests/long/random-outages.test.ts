import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { programArguments } from '../support/program.ts';

const program = programArguments('tests/outages/run.ts');

describe('random histories of outages and faults', () => {
  it('have no false alert, no missed outage, no double, and a recovery for every down', () => {
    // The same ones every time: `npm run soak` draws others.
    const env = { STATUSD_SEED: '51333170', ...process.env };
    const { status, stdout, stderr } = spawnSync(process.execPath, [...program, '200'], {
      encoding: 'utf8',
      env,
    });
    console.log(stdout.trimEnd());
    assert.equal(status, 0, stderr);
  });
});
