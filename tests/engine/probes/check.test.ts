import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { check } from '../../../src/engine/probes/check.ts';
import type { ProbedMonitor } from '../../../src/engine/probes/probe.ts';
import type { ProbeContext } from '../../../src/engine/probes/probe-context.ts';
import { type PluginFolder, pluginFolder } from '../../support/plugins.ts';
import { aMonitor, probeContext } from '../../support/probing.ts';
import { realClock } from '../../support/real-clock.ts';

describe('a check', () => {
  let folder: PluginFolder;
  before(() => {
    folder = pluginFolder();
  });
  after(() => {
    folder.remove();
  });

  /** A plugin that does the next of `steps` each time it is run, and a check of it that does not really wait. */
  const checkSteps = async (
    steps: readonly string[],
    { probe_retries = 2, timeout_secs = 5 }: { probe_retries?: number; timeout_secs?: number } = {},
  ) => {
    const count = join(folder.parent, 'count');
    const cases = steps.map((step, index) => `${String(index + 1)}) ${step};;`).join('\n');
    folder.script('steps', `echo x >> ${count}\nn=$(wc -l < ${count})\ncase $((n)) in\n${cases}\nesac`);
    const waits: number[] = [];
    const clock = {
      ...realClock,
      now: () => 1_000_000,
      sleep: (ms: number, signal?: AbortSignal) => {
        if (ms !== 1000) return realClock.sleep(ms, signal);
        waits.push(readFileSync(count, 'utf8').length / 2);
        return Promise.resolve();
      },
    };
    const monitor = aMonitor('exec', { command: ['steps'], probe_retries, timeout_secs });
    const { attempts, startedAt, result } = await check(
      monitor,
      probeContext({ execDir: folder.path, clock }),
    );
    const runs = readFileSync(count, 'utf8').length / 2;
    rmSync(count);
    return {
      attempts,
      startedAt,
      runs,
      waits,
      outcome: result.outcome,
      message: result.reason?.message ?? null,
    };
  };

  it('is one probe when that is healthy', async () => {
    assert.deepEqual(await checkSteps(['exit 0']), {
      attempts: 1,
      startedAt: 1_000_000,
      runs: 1,
      waits: [],
      outcome: 'healthy',
      message: null,
    });
  });

  it('tries again a second after each failure, until it is healthy', async () => {
    const seen = await checkSteps(['echo one; exit 2', 'echo two; exit 2', 'exit 0', 'exit 2']);
    assert.deepEqual([seen.attempts, seen.runs, seen.waits, seen.outcome], [3, 3, [1, 2], 'healthy']);
  });

  it('stops at a degraded answer: that is one', async () => {
    const seen = await checkSteps(['exit 2', 'echo warm; exit 1', 'exit 0']);
    assert.deepEqual([seen.attempts, seen.runs, seen.outcome, seen.message], [2, 2, 'degraded', 'warm']);
  });

  it('reports the last attempt when all fail', async () => {
    const seen = await checkSteps(['echo one; exit 2', 'echo two; exit 2', 'echo three; exit 2', 'exit 0']);
    assert.deepEqual([seen.attempts, seen.runs, seen.outcome, seen.message], [3, 3, 'failed', 'three']);
  });

  it('tries again after a probe that knows nothing', async () => {
    const seen = await checkSteps(['kill -KILL $$', 'exit 0']);
    assert.deepEqual([seen.attempts, seen.outcome], [2, 'healthy']);
  });

  it('does not try again without retries', async () => {
    const seen = await checkSteps(['exit 2', 'exit 0'], { probe_retries: 0 });
    assert.deepEqual([seen.attempts, seen.runs, seen.waits, seen.outcome], [1, 1, [], 'failed']);
  });

  it('gives each attempt a deadline of its own', async () => {
    const seen = await checkSteps(['sleep 60', 'sleep 60', 'sleep 0.1'], { timeout_secs: 1.5 });
    assert.deepEqual([seen.attempts, seen.outcome], [3, 'healthy']);
  });

  const exec = (script: string, parts: Partial<ProbeContext>) => {
    folder.script('plugin', script);
    const monitor = aMonitor('exec', { command: ['plugin'], probe_retries: 5 });
    return check(monitor, probeContext({ execDir: folder.path, ...parts }));
  };

  it('is called off between two attempts', async () => {
    const controller = new AbortController();
    const reason = new Error('called off');
    const clock = {
      ...realClock,
      sleep: (ms: number, signal?: AbortSignal) => {
        if (ms === 1000) controller.abort(reason);
        // Who went on waiting would do so for long, then try again.
        return realClock.sleep(ms * 60, signal);
      },
    };
    await assert.rejects(exec('exit 2', { clock, signal: controller.signal }), reason);
  });

  it('is called off within an attempt', async () => {
    const controller = new AbortController();
    const reason = new Error('called off');
    setTimeout(() => {
      controller.abort(reason);
    }, 50);
    await assert.rejects(exec('sleep 60', { signal: controller.signal }), reason);
  });

  it('is not begun once it is called off', async () => {
    const reason = new Error('called off');
    await assert.rejects(exec('exit 0', { signal: AbortSignal.abort(reason) }), reason);
  });

  it('is unknown, not down, when the probe itself breaks', async () => {
    const monitor = aMonitor('tcp', { target: 'no port', probe_retries: 0 });
    const { result } = await check(monitor, probeContext());
    assert.equal(result.outcome, 'unknown');
    assert.deepEqual(result.reason, {
      category: 'own_fault',
      message: 'the probe could not be carried out: no port is not host:port',
      ownFault: 'program',
    });
  });

  it('lets no secret out: not in the reason, the answer or what broke', async () => {
    const redact = (text: string) => text.replaceAll('hunter2', '***');
    const monitors: readonly ProbedMonitor[] = [
      aMonitor('exec', { command: ['leak', 'hunter2'], probe_retries: 0 }),
      aMonitor('exec', { command: ['hunter2'], probe_retries: 0 }),
      aMonitor('tcp', { target: 'hunter2', probe_retries: 0 }),
      aMonitor('tcp', { target: 'hunter2.invalid:1', probe_retries: 0, timeout_secs: 1 }),
      aMonitor('dns', {
        target: 'hunter2.invalid',
        dns_resolver: '127.0.0.1:9',
        dns_expected: ['hunter2'],
        probe_retries: 0,
      }),
    ];
    folder.script('leak', 'echo "said $1 | $1=1"; echo "$1"; exit 2');
    for (const monitor of monitors) {
      const { result } = await check(monitor, probeContext({ execDir: folder.path, redact }));
      assert.notEqual(result.outcome, 'healthy');
      assert.doesNotMatch(JSON.stringify(result), /hunter2/);
    }
  });

  it('of a tcp monitor loads no HTTP client', () => {
    const program = `
      import { createRequire } from 'node:module';
      import { createServer } from 'node:net';
      import { once } from 'node:events';
      import { check } from './src/engine/probes/check.ts';
      import { aMonitor, probeContext } from './tests/support/probing.ts';
      const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const target = '127.0.0.1:' + server.address().port;
      const { result } = await check(aMonitor('tcp', { target }), probeContext());
      const loaded = Object.keys(createRequire(import.meta.url).cache);
      console.log(JSON.stringify({ outcome: result.outcome, undici: loaded.filter((file) => /undici/.test(file)) }));
      process.exit(0);
    `;
    const child = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
      encoding: 'utf8',
    });
    assert.deepEqual(JSON.parse(child.stdout), { outcome: 'healthy', undici: [] }, child.stderr);
  });
});
