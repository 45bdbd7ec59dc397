import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { startCli } from '../../support/cli.ts';

describe('the log of a daemon', () => {
  it('is JSON to the last line, with 60 push monitors and a warning of Node', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'statusd-warnings-'));
    try {
      const monitors = Array.from(
        { length: 60 },
        (_, at) =>
          `[[monitors]]\nid = "p${at}"\nkind = "push"\npush_token = "token-${at}-long-enough"\ninterval_secs = ${60 + at}`,
      );
      writeFileSync(join(folder, 'statusd.toml'), `[server]\nbind = "127.0.0.1:0"\n${monitors.join('\n')}`);
      const warn = "process.on('SIGUSR2', () => process.emitWarning('the lamp is red', 'LampWarning'))";
      const { child, exited } = startCli(['serve', '--log-format', 'json'], {
        cwd: folder,
        env: { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(warn)}` },
      });
      let said = '';
      child.stdout?.on('data', (text: string) => (said += text));
      const until = async (words: string) => {
        for (let tries = 0; tries < 300 && !said.includes(words); tries += 1) await delay(100);
      };
      await until('.ready');
      child.kill('SIGUSR2');
      await until('the lamp is red');
      child.kill('SIGTERM');
      const { stdout, stderr } = await exited;
      assert.equal(stderr, '');
      const lines = stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { readonly level: string; readonly message: string });
      const warned = lines.filter(({ message }) => message.includes('LampWarning'));
      assert.deepEqual(
        warned.map(({ level, message }) => ({ level, message })),
        [{ level: 'warning', message: 'LampWarning: the lamp is red' }],
      );
      assert.ok(lines.every(({ message }) => !message.includes('MaxListeners')));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
