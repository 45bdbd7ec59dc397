import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { programArguments } from '../support/program.ts';

const program = programArguments('tests/long/month.ts');

describe('a month of two hundred monitors', () => {
  it('keeps its promises in every minute of it', () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, program, { encoding: 'utf8' });
    console.log(stdout.trimEnd());
    assert.equal(status, 0, stderr);
  });
});
