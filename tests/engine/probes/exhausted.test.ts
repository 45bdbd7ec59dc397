import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { programArguments } from '../../support/program.ts';

describe('a host without file descriptors', () => {
  it('knows nothing of targets that are up, and calls none of them down', () => {
    const child = spawnSync(
      '/bin/sh',
      [
        '-c',
        'ulimit -n 100; exec "$0" "$@"',
        process.execPath,
        ...programArguments('tests/programs/exhausted-probes.ts'),
      ],
      { encoding: 'utf8' },
    );
    assert.deepEqual(
      JSON.parse(child.stdout),
      {
        without: ['unknown', 'unknown', 'unknown', 'unknown', 'unknown', 'unknown'],
        withAll: ['healthy', 'healthy', 'healthy', 'healthy', 'healthy', 'healthy'],
      },
      child.stderr,
    );
  });
});
