import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { describe, it } from 'node:test';
import { jsonSchema } from '../../../src/engine/config/schema.ts';
import { runCli } from '../../support/cli.ts';

describe('schema', () => {
  it('prints the schema of the configuration as JSON', async () => {
    const { code, stdout, stderr } = await runCli(['schema'], { cwd: tmpdir() });
    assert.deepEqual([code, stderr], [0, '']);
    assert.deepEqual(JSON.parse(stdout), JSON.parse(JSON.stringify(jsonSchema())));
  });
});
