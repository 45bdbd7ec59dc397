import assert from 'node:assert/strict';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { withDeadline } from '../../../src/engine/net/deadline.ts';
import { probeExec } from '../../../src/engine/probes/exec.ts';
import { run } from '../../../src/engine/probes/exec-run.ts';
import type { ProbeContext } from '../../../src/engine/probes/probe-context.ts';
import { isGone, pidIn, type PluginFolder, pluginFolder } from '../../support/plugins.ts';
import { aMonitor, probeContext } from '../../support/probing.ts';

describe('an exec probe', () => {
  let folder: PluginFolder;
  before(() => {
    folder = pluginFolder();
  });
  after(() => {
    folder.remove();
  });

  const probe = (command: readonly string[], parts: Partial<ProbeContext> = {}, timeout_secs = 5) =>
    probeExec(aMonitor('exec', { command, timeout_secs }), probeContext({ execDir: folder.path, ...parts }));

  /** A deadline that passed ends a plugin long before this; one that is not kept does not. */
  const mostMs = 10_000;
  const timed = async <T>(work: Promise<T>): Promise<readonly [T, number]> => {
    const startedAt = performance.now();
    return [await work, performance.now() - startedAt];
  };

  for (const [status, outcome] of [
    [0, 'healthy'],
    [1, 'degraded'],
    [2, 'failed'],
    [3, 'unknown'],
    [4, 'failed'],
    [126, 'failed'],
    [255, 'failed'],
  ] as const) {
    it(`takes exit ${String(status)} as ${outcome}`, async () => {
      folder.script('status', 'echo "DISK says $1 | free=5%"; echo more; exit "$1"');
      const result = await probe(['status', String(status)]);
      assert.equal(result.outcome, outcome);
      const message = `DISK says ${String(status)}`;
      const cause =
        outcome === 'unknown'
          ? { category: 'own_fault', ownFault: 'plugin_unknown status' }
          : { category: 'plugin' };
      assert.deepEqual(result.reason, outcome === 'healthy' ? null : { message, ...cause });
      assert.deepEqual(result.answer, {
        statusLine: `exit ${String(status)}`,
        headers: [['perfdata', 'free=5%']],
        body: `${message} | free=5%\nmore`,
      });
      if (outcome === 'unknown') assert.equal(result.latencyMs, null);
      else assert.ok(result.latencyMs !== null && result.latencyMs > 0);
    });
  }

  it('takes the message from stderr when stdout is empty', async () => {
    folder.script('grumble', 'echo "no such disk" >&2; exit 2');
    assert.equal((await probe(['grumble'])).reason?.message, 'no such disk');
  });

  it('names the exit status when there is no word at all', async () => {
    folder.script('mute', 'exit 2');
    assert.equal((await probe(['mute'])).reason?.message, 'exit status 2, without output');
  });

  it('gives a plugin a bare environment, no input, and the folder to work in', async () => {
    folder.script('look', 'tr "\\0" "\\n" < /proc/$$/environ; cat; pwd');
    const result = await probe(['look']);
    assert.deepEqual(result.answer?.body.split('\n').sort(), [
      folder.path,
      'LANG=C',
      'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      'STATUSD_MONITOR_ID=tested',
    ]);
  });

  it('passes arguments as they are: no shell reads them', async () => {
    folder.script('say', 'printf "%s\\n" "$@"');
    const args = ['$(id)', '; touch owned', '-x', '', '`id`', '* ?'];
    const result = await probe(['say', ...args]);
    assert.equal(result.answer?.body, args.join('\n'));
  });

  it('runs a link to a plugin of the same folder under the name of the link', async () => {
    folder.script('real', 'echo "${0##*/}"');
    symlinkSync('real', join(folder.path, 'alias'));
    assert.equal((await probe(['alias'])).answer?.body, 'alias');
  });

  it('runs a plugin in a folder within the folder, and one named by its absolute path', async () => {
    mkdirSync(join(folder.path, 'sub'));
    folder.script('sub/inner', 'echo inside');
    assert.equal((await probe(['sub/inner'])).answer?.body, 'inside');
    assert.equal((await probe([join(folder.path, 'sub/../sub/inner')])).answer?.body, 'inside');
  });

  describe('runs nothing outside of the folder', () => {
    before(() => {
      mkdirSync(join(folder.parent, 'plugins-evil'));
      const evil = `#!/bin/sh\ntouch '${join(folder.parent, 'owned')}'\n`;
      writeFileSync(join(folder.parent, 'plugins-evil', 'evil'), evil, { mode: 0o755 });
      symlinkSync(join(folder.parent, 'plugins-evil', 'evil'), join(folder.path, 'link'));
      symlinkSync(join(folder.parent, 'plugins-evil'), join(folder.path, 'linked'));
    });
    for (const word of ['../plugins-evil/evil', 'link', 'linked/evil', '/bin/true', '.', '..', '']) {
      it(`not ${JSON.stringify(word)}`, async () => {
        const result = await probe([word]);
        assert.equal(result.outcome, 'unknown');
        assert.equal(result.reason?.category, 'own_fault');
        assert.match(result.reason.message, /lies outside of .*exec_dir\) and is not run$/);
        assert.ok(!existsSync(join(folder.parent, 'owned')));
      });
    }
  });

  describe('knows nothing, and says what to do, when', () => {
    it('no folder is set', async () => {
      const result = await probe(['status'], { execDir: null });
      assert.equal(result.outcome, 'unknown');
      assert.match(
        result.reason?.message ?? '',
        /^there is no folder of plugins: name it in exec_dir of \[probes\], or in STATUSD_EXEC_DIR$/,
      );
    });
    it('the folder is not there', async () => {
      const result = await probe(['status'], { execDir: join(folder.parent, 'gone') });
      assert.equal(result.outcome, 'unknown');
      assert.match(result.reason?.message ?? '', /gone \(exec_dir\) cannot be used: no such file$/);
    });
    it('the plugin is not there', async () => {
      const result = await probe(['nowhere']);
      assert.equal(result.outcome, 'unknown');
      assert.match(result.reason?.message ?? '', /^the plugin nowhere is not in .*: no such file$/);
    });
    it('the plugin is not executable', async () => {
      folder.script('plain', 'exit 0', 0o644);
      const result = await probe(['plain']);
      assert.equal(result.outcome, 'unknown');
      assert.match(result.reason?.message ?? '', /^the plugin plain cannot be started: .*chmod \+x/);
    });
    it('the plugin is a folder', async () => {
      mkdirSync(join(folder.path, 'directory'));
      assert.equal((await probe(['directory'])).outcome, 'unknown');
    });
    it('its interpreter is missing', async () => {
      writeFileSync(join(folder.path, 'odd'), '#!/nowhere/python\n', { mode: 0o755 });
      const result = await probe(['odd']);
      assert.equal(result.outcome, 'unknown');
      assert.match(result.reason?.message ?? '', /the interpreter that its first line names is missing$/);
    });
    it('an argument holds a NUL', async () => {
      assert.equal((await probe(['say', 'a\0b'])).outcome, 'unknown');
    });
    it('it is killed by someone else', async () => {
      folder.script('crash', 'echo half; kill -SEGV $$');
      const result = await probe(['crash']);
      assert.equal(result.outcome, 'unknown');
      assert.equal(result.reason?.message, 'the plugin crash was killed by SIGSEGV');
    });
  });

  it('ends a plugin and its children at the deadline', async () => {
    const pids = join(folder.parent, 'slow.pid');
    folder.script('slow', `trap "" TERM INT HUP\nsleep 60 &\necho $! > ${pids}\nsleep 60`);
    const [result, tookMs] = await timed(probe(['slow'], {}, 0.4));
    assert.equal(result.outcome, 'failed');
    assert.deepEqual(result.reason, {
      category: 'timeout',
      message: 'the plugin slow did not finish within 0.4 s',
    });
    assert.ok(tookMs < mostMs, `took ${String(tookMs)} ms`);
    assert.ok(await isGone(await pidIn(pids)));
  });

  it('ends the children that a plugin leaves behind, though they hold its output open', async () => {
    const pids = join(folder.parent, 'orphan.pid');
    folder.script('orphan', `sleep 60 &\necho $! > ${pids}\necho fine`);
    const [result, tookMs] = await timed(probe(['orphan'], {}, 30));
    assert.equal(result.outcome, 'healthy');
    assert.equal(result.answer?.body, 'fine');
    assert.ok(tookMs < mostMs, `took ${String(tookMs)} ms`);
    assert.ok(await isGone(await pidIn(pids)));
  });

  it('does not wait for a child that left the group and holds the output open', async () => {
    const pids = join(folder.parent, 'escaped.pid');
    folder.script('escape', `setsid sh -c 'echo $$ > ${pids}; exec sleep 60' &\nsleep 0.1; echo fine`);
    const [result, tookMs] = await timed(probe(['escape'], {}, 30));
    assert.equal(result.answer?.body, 'fine');
    assert.ok(tookMs < mostMs, `took ${String(tookMs)} ms`);
    process.kill(await pidIn(pids), 'SIGKILL');
  });

  it('ends a plugin that drips at the deadline', async () => {
    folder.script('drip', 'while :; do printf x; sleep 0.01; done');
    const [result, tookMs] = await timed(probe(['drip'], {}, 0.3));
    assert.equal(result.reason?.category, 'timeout');
    assert.ok(tookMs < mostMs, `took ${String(tookMs)} ms`);
  });

  it('ends a plugin when it is called off', async () => {
    const pids = join(folder.parent, 'called-off.pid');
    folder.script('wait', `echo $$ > ${pids}\nsleep 60`);
    const controller = new AbortController();
    const reason = new Error('called off');
    const probing = probe(['wait'], { signal: controller.signal }, 30);
    const pid = await pidIn(pids);
    controller.abort(reason);
    await assert.rejects(probing, reason);
    assert.ok(await isGone(pid));
  });

  it('keeps 2 KiB of a long output, and 500 characters of a long line', async () => {
    folder.script('long', 'head -c 100000 /dev/zero | tr "\\0" x; echo; seq 1 2000; exit 2');
    const result = await probe(['long']);
    assert.equal(result.reason?.message.length, 500);
    assert.ok(Buffer.byteLength(result.answer?.body ?? '') <= 2048);
  });

  for (const [status, outcome] of [
    [0, 'healthy'],
    [1, 'degraded'],
    [2, 'failed'],
  ] as const) {
    it(`judges a plugin that writes 5 MiB by its exit status ${String(status)}, and says that its output was cut`, async () => {
      folder.script('much', 'echo "DISK says $1"; head -c 5242880 /dev/zero | tr "\\0" x; exit "$1"');
      const result = await probe(['much', String(status)], {}, 30);
      assert.equal(result.outcome, outcome);
      assert.equal(result.reason?.message ?? 'DISK says 0', `DISK says ${String(status)}`);
      assert.deepEqual(result.answer?.headers, [['output', 'cut after 64 KiB']]);
    });
  }

  it('judges one that writes 5 MiB to stderr by its exit status', async () => {
    folder.script('grumbles', 'head -c 5242880 /dev/zero | tr "\\0" x >&2; echo "DISK is bad"; exit 2');
    const result = await probe(['grumbles'], {}, 30);
    assert.equal(result.outcome, 'failed');
    assert.equal(result.reason?.message, 'DISK is bad');
  });

  it('ends one that writes without end at the deadline, as any that does not finish', async () => {
    folder.script('flood', 'exec yes flood');
    const [result, tookMs] = await timed(probe(['flood'], {}, 2));
    assert.equal(result.outcome, 'failed');
    assert.deepEqual(result.reason, {
      category: 'timeout',
      message: 'the plugin flood did not finish within 2 s',
    });
    assert.ok(tookMs < mostMs, `took ${String(tookMs)} ms`);
  });

  it('keeps whole characters of a long output', async () => {
    folder.script('wide', 'printf x; yes "€" | head -n 40000 | tr -d "\\n"; exit 2');
    const program = {
      file: join(folder.path, 'wide'),
      args: [],
      env: { PATH: '/usr/bin:/bin' },
      cwd: folder.path,
    };
    const { clock, signal } = probeContext();
    const { stdout, isCut } = await withDeadline({ clock, signal, timeoutMs: 30_000 }, (deadline) =>
      run(program, deadline),
    );
    assert.equal(isCut, true);
    assert.match(stdout, /^x€+$/);
    assert.ok(Buffer.byteLength(stdout) <= 64 * 1024 && Buffer.byteLength(stdout) > 64 * 1024 - 3);
  });

  it('keeps the whole output of a plugin that writes much at once and exits', async () => {
    folder.script('burst', 'seq 1 10000 >&2; seq 1 300; echo last');
    const result = await probe(['burst']);
    assert.match(result.answer?.body ?? '', /^1\n2\n3\n/);
  });

  it('passes on no control code and no secret, not even half of one', async () => {
    const pad = (length: number) => 'x'.repeat(length);
    const script = `printf '${pad(495)}hunter2 | ${pad(496)}hunter2\\n${pad(157)}hunter2\\n\\033]0;owned\\007\\377'; exit 2`;
    folder.script('evil', script);
    const redact = (text: string) => text.replaceAll('hunter2', '***');
    const notified = JSON.stringify(await probe(['evil'], { redact }));
    assert.match(notified, /\*\*\*/);
    assert.doesNotMatch(notified, /hu|\\u001b|\\u0007/);
  });
});
