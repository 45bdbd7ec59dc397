import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { describe, it } from 'node:test';
import { systemProcesses } from '../../../../src/db/store/lock/processes.ts';

describe('systemProcesses', {
  skip: existsSync('/proc/self/stat') ? false : 'there is no /proc here',
}, () => {
  it('knows this process', async () => {
    const self = await systemProcesses.self();
    assert.equal(self.pid, process.pid);
    assert.equal(await systemProcesses.liveness(self), 'alive');
  });

  it('takes a process that began at another time under the same pid for another one', async () => {
    const self = await systemProcesses.self();
    assert.equal(await systemProcesses.liveness({ ...self, started: '1' }), 'dead');
  });

  it('says nothing about processes of other boots and other namespaces', async () => {
    const self = await systemProcesses.self();
    assert.equal(await systemProcesses.liveness({ ...self, boot: 'another' }), 'unknown');
    assert.equal(await systemProcesses.liveness({ ...self, namespace: 'pid:[1]' }), 'unknown');
  });

  it('knows that a killed process is dead, also before its parent has asked about it', async () => {
    // The shell neither waits for its child nor ends: the child stays behind as a zombie.
    const shell = spawn('/bin/sh', ['-c', 'sleep 100 & echo $!; exec sleep 100'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [text] = (await once(shell.stdout, 'data')) as [Buffer];
    const pid = Number(text.toString());
    const self = await systemProcesses.self();
    const alive = { ...self, pid, started: await startOf(pid) };
    assert.equal(await systemProcesses.liveness(alive), 'alive');
    process.kill(pid, 'SIGKILL');
    for (let tries = 0; tries < 100 && (await systemProcesses.liveness(alive)) === 'alive'; tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    assert.equal(await systemProcesses.liveness(alive), 'dead');
    shell.kill('SIGKILL');
    await once(shell, 'close');
    assert.equal(await systemProcesses.liveness(alive), 'dead');
  });
});

async function startOf(pid: number): Promise<string> {
  const { readFile } = await import('node:fs/promises');
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}
