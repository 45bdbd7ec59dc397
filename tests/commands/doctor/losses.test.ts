import assert from 'node:assert/strict';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { after, afterEach, beforeEach, describe, it } from 'node:test';
import { closedPort } from '../../support/closed-port.ts';
import { runCli } from '../../support/cli.ts';
import { type Daemon, startDaemon } from '../../support/daemon.ts';
import { makeFolder } from '../../support/tiny-store.ts';

const token = 'a-token-of-the-operator';
let folder: ReturnType<typeof makeFolder>;
const running = new Set<Daemon>();
const end = async () => {
  for (const daemon of running) await daemon.end('SIGKILL');
  running.clear();
};
beforeEach(async () => {
  folder = makeFolder();
  const { address } = await closedPort();
  writeFileSync(
    folder.at('statusd.toml'),
    `[server]\nbind = "127.0.0.1:0"\nauth_token = "${token}"\n[[monitors]]\nid = "web"\ntarget = "http://${address}/"\n`,
  );
});
afterEach(async () => {
  await end();
  folder.remove();
});
after(end);

const start = async () => {
  const daemon = await startDaemon(folder.path);
  running.add(daemon);
  return daemon;
};
const cli = (...args: string[]) => runCli(args, { cwd: folder.path });

interface Reported {
  readonly status: number;
  readonly body: { readonly status: string; readonly losses?: readonly { readonly message: string }[] };
}

const get = async ({ url }: Daemon, path: string, isOperator: boolean): Promise<Reported> => {
  const headers = isOperator ? { authorization: `Bearer ${token}` } : {};
  const response = await fetch(new URL(path, url), { headers });
  return { status: response.status, body: (await response.json()) as Reported['body'] };
};

const doctorLosses = async (...args: string[]) => {
  const { code, stdout } = await cli('doctor', '--json', ...args);
  const { checks } = JSON.parse(stdout) as { checks: { verdict: string; message: string }[] };
  return {
    code,
    verdicts: checks.filter(({ message }) => message.includes('lost')).map(({ verdict }) => verdict),
  };
};

/** A database whose last log is gone: its changes are lost at the next start. */
async function loseLog(): Promise<void> {
  const daemon = await start();
  await daemon.end('SIGKILL');
  running.delete(daemon);
  const logs = readdirSync(folder.path).filter((name) => /-log\.\d+$/.test(name));
  assert.ok(logs.length > 0);
  for (const name of logs) rmSync(folder.at(name));
}

describe('changes that a start could not restore', () => {
  it('are reported by doctor, /healthz and top until doctor --seen, through restarts and a backup', async () => {
    await loseLog();
    for (const round of ['first', 'second']) {
      const daemon = await start();
      const { status, body } = await get(daemon, 'healthz', true);
      assert.equal(status, 200, round);
      assert.equal(body.losses?.length, 1, round);
      assert.match(String(body.losses[0]?.message), /is missing; the changes in it are lost/);
      assert.match((await cli('top', '--once', '--plain')).stdout, /the changes in it are lost/);
      assert.deepEqual(await doctorLosses(), { code: 1, verdicts: ['fail'] });
      assert.equal((await daemon.end('SIGTERM')).code, 0);
      running.delete(daemon);
    }
    assert.equal((await cli('backup', folder.at('copy.db'))).code, 0);
    assert.deepEqual(await doctorLosses('--seen'), { code: 0, verdicts: ['ok', 'ok'] });
    assert.deepEqual(await doctorLosses(), { code: 0, verdicts: [] });
    const daemon = await start();
    assert.deepEqual((await get(daemon, 'healthz', true)).body.losses, []);
    await daemon.end('SIGTERM');
    running.delete(daemon);
    for (const name of readdirSync(folder.path).filter((each) => each.startsWith('statusd.db'))) {
      rmSync(folder.at(name));
    }
    const toml = `[server]\nbind = "127.0.0.1:0"\ndatabase_path = "copy.db"\n`;
    writeFileSync(folder.at('statusd.toml'), toml);
    assert.deepEqual(await doctorLosses(), { code: 1, verdicts: ['fail'] });
  });

  it('are shown to operators alone', async () => {
    await loseLog();
    const daemon = await start();
    const forStranger = async (path: string) => Object.keys((await get(daemon, path, false)).body);
    for (const path of ['healthz', 'api/summary']) {
      assert.ok(!(await forStranger(path)).includes('losses'), path);
      assert.equal((await get(daemon, path, true)).body.losses?.length, 1, path);
    }
    assert.equal((await get(daemon, 'healthz', false)).body.status, 'ok');
  });

  it('are kept by a command that makes the log anew, before a daemon starts', async () => {
    await loseLog();
    assert.equal((await cli('silence', 'web', '1h', '--offline')).code, 0);
    assert.deepEqual((await doctorLosses()).code, 1);
  });
});
