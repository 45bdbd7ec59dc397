/** Checks the programs of this host that the daemon runs: plugins, ping and systemd-notify. */
import { access, constants, realpath, stat } from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import { type DoctorCheck, type DoctorFinding, type Examined, fail, ok } from '../finding.ts';
import { check } from '../../../engine/probes/check.ts';
import { loadProbes } from '../../../engine/probes/probe.ts';
import { execFile } from 'node:child_process';
import { counted } from '../../../engine/core/words.ts';

export const pluginsCheck: DoctorCheck = { name: 'plugins', patienceMs: 10_000, run: lookAtPlugins };

async function lookAtPlugins({ config }: Examined): Promise<readonly DoctorFinding[]> {
  const commands = [
    ...config.monitors.flatMap((monitor) => (monitor.kind === 'exec' ? [monitor.command] : [])),
    ...config.channels.flatMap((channel) => (channel.type === 'exec' ? [channel.command] : [])),
  ];
  if (commands.length === 0) return [];
  const { exec_dir: execDir } = config.probes;
  if (execDir === null)
    return [
      fail(
        'there is no folder of plugins, so no exec monitor or channel can run',
        'Name it in exec_dir of [probes], or in STATUSD_EXEC_DIR, for the daemon too.',
      ),
    ];
  const folder = await realpath(execDir).catch(() => null);
  if (folder === null)
    return [
      fail(`there is no folder ${execDir} (exec_dir)`, 'Create it, or correct exec_dir or STATUSD_EXEC_DIR.'),
    ];
  const words = [...new Set(commands.map(([word = '']) => word))];
  const faults = (await Promise.all(words.map((word) => faultOf(word, folder)))).flat();
  const count = words.length - faults.length;
  return [
    ...(count === 0 ? [] : [ok(`${count} of ${counted(words.length, 'plugin')} in ${folder} can be run`)]),
    ...faults,
  ];
}

/** The same as the probe asks for: below the folder once every link is followed, and executable. */
async function faultOf(word: string, folder: string): Promise<readonly DoctorFinding[]> {
  const file = resolve(folder, word);
  const real = await realpath(file).catch(() => null);
  if (real === null) return [fail(`there is no plugin ${word} in ${folder}`, 'Put it there.')];
  if (!real.startsWith(folder.endsWith(sep) ? folder : folder + sep))
    return [fail(`the plugin ${word} lies outside of ${folder}`, 'Copy it into the folder.')];
  if (!(await stat(real)).isFile()) return [fail(`the plugin ${word} is no file`, 'Name a program.')];
  const mayRun = await access(real, constants.X_OK).then(
    () => true,
    () => false,
  );
  return mayRun ? [] : [fail(`the plugin ${word} is not executable for this user`, `chmod +x ${real}`)];
}

/** Looks whether this host can ping, by pinging itself. */
export const pingCheck: DoctorCheck = { name: 'ping', patienceMs: 10_000, run: lookAtPing };

async function lookAtPing({ config, ctx }: Examined): Promise<readonly DoctorFinding[]> {
  const icmp = config.monitors.find((monitor) => monitor.kind === 'icmp');
  if (icmp === undefined) return [];
  await loadProbes(['icmp']);
  const itself = { ...icmp, target: '127.0.0.1', dual_stack: false, timeout_secs: 5, probe_retries: 0 };
  const { result } = await check(itself, ctx);
  if (result.outcome === 'healthy' || result.reason === null) return [ok('ping works on this host')];
  const [what = '', cure = 'See what `ping -c 1 127.0.0.1` says.'] = result.reason.message.split(': ', 2);
  return [fail(what, cure)];
}

/** Checks that systemd can be notified of the daemon's state, where it asks for it. */
export const systemdCheck: DoctorCheck = { name: 'systemd', patienceMs: 10_000, run: lookAtSystemd };

function lookAtSystemd({ env, ctx }: Examined): Promise<readonly DoctorFinding[]> {
  const { NOTIFY_SOCKET: socket = '', PATH: path = '' } = env;
  if (socket === '') return Promise.resolve([]);
  return new Promise((resolve) => {
    execFile('systemd-notify', ['--version'], { env: { PATH: path }, signal: ctx.signal }, (error) => {
      const { code = null } = (error ?? {}) as NodeJS.ErrnoException;
      if (error === null)
        resolve([ok('systemd expects notifications (Type=notify), and systemd-notify is installed')]);
      else
        resolve([
          fail(
            `systemd expects notifications (Type=notify), but systemd-notify ${code === 'ENOENT' ? 'is not installed' : 'cannot be run'}`,
            'Install it, or start the daemon with Type=simple and without WatchdogSec.',
          ),
        ]);
    });
  });
}
