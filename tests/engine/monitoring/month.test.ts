import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, it } from 'node:test';

const program = fileURLToPath(new URL('month.ts', import.meta.url));

describe('a month of two hundred monitors', () => {
  it('keeps its promises in every minute of it', () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', program], {
      encoding: 'utf8',
    });
    console.log(stdout.trimEnd());
    assert.equal(status, 0, stderr);
  });
});
