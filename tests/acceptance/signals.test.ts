import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runCli, startCli } from '../support/cli.ts';
import { startDaemon } from '../support/daemon.ts';
import { closedPort } from '../support/closed-port.ts';
import { makeFolder } from '../support/tiny-store.ts';

const preload = fileURLToPath(new URL('../programs/signal-at.cjs', import.meta.url));

/** Has the program send itself `signal` when its start reaches `phase`. */
const signalAt = (signal: NodeJS.Signals, phase: string) => ({
  NODE_OPTIONS: `--require ${preload}`,
  STATUSD_TEST_SIGNAL: signal,
  STATUSD_TEST_PHASE: phase,
});

const phases = ['script', 'configuration', 'lock', 'log'] as const;

const watch = (target: string) => {
  const monitor = `[[monitors]]\nid = "web"\ntarget = "${target}"\n`;
  writeFileSync(folder.at('statusd.toml'), `[server]\nbind = "127.0.0.1:0"\n${monitor}`);
};

let folder: ReturnType<typeof makeFolder>;
beforeEach(async () => {
  folder = makeFolder();
  const { address } = await closedPort();
  watch(`http://${address}/`);
});
afterEach(() => {
  folder.remove();
});

describe('a daemon that gets a signal while it starts', () => {
  for (const phase of phases) {
    it(`becomes ready after a SIGHUP (${phase})`, async () => {
      const daemon = await startDaemon(folder.path, { env: signalAt('SIGHUP', phase) });
      assert.equal((await daemon.end('SIGTERM')).code, 0);
    });

    for (const signal of ['SIGTERM', 'SIGINT'] as const)
      it(`ends with 0 after a ${signal}, without a held claim or an unfinished file (${phase})`, async () => {
        const { code, stderr } = await runCli(['serve'], {
          cwd: folder.path,
          env: signalAt(signal, phase),
        });
        assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
        const names = readdirSync(folder.path);
        assert.deepEqual(
          names.filter((name) => name.includes('-tmp.')),
          [],
        );
        for (const name of names.filter((each) => each.includes('-lock.'))) {
          const claim = JSON.parse(readFileSync(folder.at(name), 'utf8')) as { state: string };
          assert.equal(claim.state, 'released');
        }
      });
  }

  it('reads a configuration that changed meanwhile', async () => {
    const daemon = await startDaemon(folder.path, { env: signalAt('SIGHUP', 'lock') });
    await daemon.says('config.reloaded');
    assert.equal((await daemon.end('SIGTERM')).code, 0);
  });
});

describe('a command that gets a signal', () => {
  for (const signal of ['SIGHUP', 'SIGTERM', 'SIGINT'] as const) {
    it(`is interrupted by a ${signal} before its work begins`, async () => {
      const { code, stderr } = await runCli(['check'], { cwd: folder.path, env: signalAt(signal, 'script') });
      assert.deepEqual({ code, stderr }, { code: 130, stderr: 'statusd: interrupted\n' });
    });
  }

  it('is interrupted by the SIGHUP of a closed terminal while it waits for a target', async () => {
    const silent = createServer((socket) => socket.on('error', () => undefined)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    watch(`http://127.0.0.1:${port}/`);
    const { child, exited } = startCli(['check'], { cwd: folder.path });
    await Promise.race([once(silent, 'connection'), exited]);
    child.kill('SIGHUP');
    silent.close();
    assert.equal((await exited).code, 130);
  });
});

describe('a demo that gets a signal while it starts', () => {
  for (const signal of ['SIGHUP', 'SIGTERM', 'SIGINT'] as const)
    it(`ends with 0 after a ${signal}, and its folder is gone`, async () => {
      const temporary = makeFolder();
      try {
        const env = { ...signalAt(signal, 'folder'), TMPDIR: temporary.path };
        const { child, exited } = startCli(['demo', '--log-format', 'json'], { cwd: folder.path, env });
        const [code] = (await once(child, 'exit')) as [number | null];
        assert.deepEqual({ code, stderr: (await exited).stderr }, { code: 0, stderr: '' });
        assert.deepEqual(readdirSync(temporary.path), []);
      } finally {
        temporary.remove();
      }
    });
});
