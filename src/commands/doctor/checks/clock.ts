/** Checks the clock: a plausible year, and the difference from the clock of a target. */
import { skewText } from '../../../engine/views/peers.ts';
import { instantText } from '../../../engine/core/instant.ts';
import { type DoctorCheck, type DoctorFinding, type Examined, fail, ok, warn } from '../finding.ts';
import type { IncomingMessage, RequestOptions } from 'node:http';
import type { ProbeContext } from '../../../engine/probes/probe-context.ts';

export const clockCheck: DoctorCheck = { name: 'clock', patienceMs: 10_000, run: lookAtClock };

/** No copy of this program is older. */
const firstYear = 2026;
const answerMs = 5000;
/** How many targets are asked for the time. */
const most = 3;
/** Schedules and certificates do not suffer from less. */
const toleratedMs = 30_000;
const cure = 'Have it set by NTP (systemd-timesyncd, chrony), and see whether that runs.';

async function lookAtClock({ config, ctx }: Examined): Promise<readonly DoctorFinding[]> {
  const nowAt = ctx.clock.now();
  const year = new Date(nowAt).getUTCFullYear();
  if (year < firstYear) return [fail(`the clock is wrong: it says ${instantText(nowAt)}`, cure)];
  const origins = config.monitors.flatMap((monitor) =>
    monitor.kind === 'http' && monitor.proxy === null ? [new URL(monitor.target).origin] : [],
  );
  const asked = [...new Set(origins)].slice(0, most);
  const answers = await Promise.all(asked.map((origin) => dateAt(new URL(origin), ctx, answerMs)));
  const [answer] = answers.filter((each) => each !== null);
  if (answer === undefined)
    return [ok(`it says ${instantText(nowAt)}; no target answered with its own time to compare`)];
  const { host, offsetMs } = answer;
  if (Math.abs(offsetMs) <= toleratedMs)
    return [ok(`it says ${instantText(nowAt)}, ${spanOf(offsetMs)} the clock of ${host}`)];
  return [warn(`it is ${spanOf(offsetMs)} the clock of ${host}: one of the two is wrong`, cure)];
}

/** `offsetMs`: how far the other clock is ahead; the header has whole seconds. */
function spanOf(offsetMs: number): string {
  if (Math.abs(offsetMs) < 2000) return 'within 2 s of';
  return `${skewText(offsetMs)} ${offsetMs > 0 ? 'behind' : 'ahead of'}`;
}

interface ServerDate {
  readonly host: string;
  /** How far its clock is ahead of this one. */
  readonly offsetMs: number;
}

/**
 * Asks a web server what time it is. A HEAD request without any header of the monitor; null when no time comes back
 * within `patienceMs`.
 */
async function dateAt(
  origin: URL,
  { clock, signal }: Pick<ProbeContext, 'clock' | 'signal'>,
  patienceMs: number,
): Promise<ServerDate | null> {
  const isSecure = origin.protocol === 'https:';
  const { request } = isSecure ? await import('node:https') : await import('node:http');
  // Not AbortSignal.timeout: Node collects it as garbage where only AbortSignal.any has it, and it never fires.
  const over = new AbortController();
  const options: RequestOptions & { readonly rejectUnauthorized?: boolean } = {
    method: 'HEAD',
    agent: false,
    signal: AbortSignal.any([signal, over.signal]),
    // A wrong clock is a reason why a certificate is refused; nothing secret is sent here.
    ...(isSecure && { rejectUnauthorized: false }),
  };
  void clock.sleep(patienceMs, over.signal).then(
    () => {
      over.abort();
    },
    () => undefined,
  );
  try {
    const startedAt = clock.now();
    const { headers } = await new Promise<IncomingMessage>((resolve, reject) => {
      request(new URL('/', origin), options, (response) => {
        response.destroy();
        resolve(response);
      })
        .on('error', reject)
        .end();
    });
    const at = Date.parse(headers.date ?? '');
    if (Number.isNaN(at)) return null;
    // What a cache answers is as old as it says (RFC 9111, section 5.1); the date is cut to the second.
    const saidAt = at + 500 + (Number(headers.age ?? 0) || 0) * 1000;
    return { host: origin.host, offsetMs: saidAt - (startedAt + clock.now()) / 2 };
  } catch {
    return null;
  } finally {
    over.abort();
  }
}
