/** Checks the address to listen on: whether it is free, or which process has it. */
import { createServer } from 'node:http';
import { StatusdError } from '../../../engine/core/errors.ts';
import { listen } from '../../../serve/server/listen.ts';
import { askHealth, type HealthReport, healthUrlOfBind, readHealth } from '../../healthcheck/health.ts';
import { type DoctorCheck, type DoctorFinding, type Examined, fail, ok, warn } from '../finding.ts';
import { holderOf } from '../../daemon-of-database.ts';

export const listenCheck: DoctorCheck = { name: 'listen', patienceMs: 10_000, run: lookAtAddress };

const answerMs = 3000;

async function lookAtAddress({ config }: Examined): Promise<readonly DoctorFinding[]> {
  const { bind } = config.server;
  const fault = await tryListening(bind);
  if (fault === null) return [ok(`${bind} is free`)];
  const hint = fault.hint ?? 'Set server.bind to another address.';
  if ((fault.cause as NodeJS.ErrnoException | undefined)?.code !== 'EADDRINUSE')
    return [fail(fault.message, hint)];
  const healthReport = await healthAt(bind);
  if (healthReport === null) return [fail(`another program listens on ${bind}`, hint)];
  if (!(await isInUse(config)))
    return [fail(`another statusd, with another database, listens on ${bind}`, hint)];
  if (healthReport.isOk) return [ok(`the daemon listens on ${bind} and says: ${healthReport.message}`)];
  return [
    warn(`the daemon listens on ${bind} and says: ${healthReport.message}`, 'See its log for the details.'),
  ];
}

async function isInUse({ storage, server }: Examined['config']): Promise<boolean> {
  return storage === null ? (await holderOf(server.database_path)) !== null : true;
}

async function tryListening(bind: string): Promise<StatusdError | null> {
  const server = createServer();
  try {
    await listen(server, bind);
    return null;
  } catch (error) {
    if (error instanceof StatusdError) return error;
    throw error;
  } finally {
    server.close();
  }
}

/** Null: nobody answers there, or not like statusd. */
async function healthAt(bind: string): Promise<HealthReport | null> {
  try {
    const url = healthUrlOfBind(bind);
    return readHealth(await askHealth(url, answerMs), url);
  } catch {
    return null;
  }
}
