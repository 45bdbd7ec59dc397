/** Stands for a job that reports to the daemon by itself. */
import { request } from 'node:http';
import type { Clock } from '../../engine/core/clock.ts';
import type { Switches } from './switches.ts';

export interface Job {
  readonly clock: Clock;
  readonly switches: Switches;
  /** The address of the daemon. */
  readonly url: string;
  readonly token: string;
  readonly signal: AbortSignal;
}

const everyMs = 3000;

/** Sends heartbeats of the monitor `backup` while it runs. Resolves when `signal` is aborted. */
export async function runJob({ clock, switches, url, token, signal }: Job): Promise<void> {
  while (!signal.aborted) {
    if (switches.isJobRunning) await sendHeartbeat(new URL('api/push/backup?msg=done', url), token);
    await clock.sleep(everyMs, signal).catch(() => undefined);
  }
}

/** A heartbeat that gets lost is what the monitor is for. */
function sendHeartbeat(url: URL, token: string): Promise<void> {
  return new Promise((resolve) => {
    const options = { method: 'POST', agent: false, timeout: 2000, headers: { 'x-push-token': token } };
    const call = request(url, options, (response) => {
      response.resume().once('close', resolve);
    });
    call.once('timeout', () => call.destroy());
    call.once('error', () => {
      resolve();
    });
    call.end();
  });
}
