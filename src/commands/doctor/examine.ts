/** Takes every look at once, each with a deadline of its own. */
import { secondsText } from '../../engine/core/duration.ts';
import { StatusdError } from '../../engine/core/errors.ts';
import { channelsLook } from './checks/channels.ts';
import { clockLook } from './checks/clock.ts';
import { databaseLook } from './checks/database.ts';
import { listenLook } from './checks/listen.ts';
import { namesLook } from './checks/names.ts';
import { networkLook } from './checks/network.ts';
import { peersLook } from './checks/peers.ts';
import { pingLook, pluginsLook } from './checks/plugins.ts';
import { systemdLook } from './checks/systemd.ts';
import { type DoctorCheck, type DoctorFinding, type Examined, fail } from './finding.ts';

/** In the order in which they are told. */
const checks: readonly DoctorCheck[] = [
  databaseLook,
  listenLook,
  networkLook,
  pingLook,
  namesLook,
  pluginsLook,
  clockLook,
  systemdLook,
  peersLook,
  channelsLook,
];

export interface NamedFinding extends DoctorFinding {
  readonly check: string;
}

/** Resolves with all findings, in the order of the looks. Rejects only when `ctx.signal` is aborted. */
export async function examine(examined: Examined): Promise<readonly NamedFinding[]> {
  const found = await Promise.all(checks.map((check) => within(check, examined)));
  examined.ctx.signal.throwIfAborted();
  return found.flat();
}

async function within(check: DoctorCheck, examined: Examined): Promise<NamedFinding[]> {
  const { clock, signal } = examined.ctx;
  const over = new AbortController();
  const stop = () => {
    over.abort(signal.reason);
  };
  signal.addEventListener('abort', stop, { once: true });
  const ctx = { ...examined.ctx, signal: over.signal };
  const tooLate = async (): Promise<readonly DoctorFinding[]> => {
    await clock.sleep(check.patienceMs, over.signal).catch(() => undefined);
    return [
      fail(`no result within ${secondsText(check.patienceMs)}`, 'Try again when this host is less busy.'),
    ];
  };
  try {
    const found = await Promise.race([safely(check, { ...examined, ctx }), tooLate()]);
    return found.map((finding) => ({ check: check.name, ...finding }));
  } finally {
    over.abort();
    signal.removeEventListener('abort', stop);
  }
}

async function safely(check: DoctorCheck, examined: Examined): Promise<readonly DoctorFinding[]> {
  try {
    return await check.run(examined);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const hint = error instanceof StatusdError ? error.hint : null;
    return [fail(message, hint ?? 'This look could not be taken.')];
  }
}
