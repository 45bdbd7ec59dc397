/** Looks whether systemd can be told how the daemon is, where it wants to know. */
import { execFile } from 'node:child_process';
import { type Examined, fail, type DoctorFinding, type DoctorCheck, ok } from '../finding.ts';

export const systemdLook: DoctorCheck = { name: 'systemd', patienceMs: 10_000, run: lookAtSystemd };

function lookAtSystemd({ env, ctx }: Examined): Promise<readonly DoctorFinding[]> {
  const { NOTIFY_SOCKET: socket = '', PATH: path = '' } = env;
  if (socket === '') return Promise.resolve([]);
  return new Promise((resolve) => {
    execFile('systemd-notify', ['--version'], { env: { PATH: path }, signal: ctx.signal }, (error) => {
      const { code = null } = (error ?? {}) as NodeJS.ErrnoException;
      if (error === null) resolve([ok('systemd waits for word, and systemd-notify is there to pass it on')]);
      else
        resolve([
          fail(
            `systemd waits for word, but systemd-notify ${code === 'ENOENT' ? 'is not installed' : 'cannot be run'}`,
            'Install it, or start the daemon with Type=simple and without WatchdogSec.',
          ),
        ]);
    });
  });
}
