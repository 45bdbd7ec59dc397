/** Reads what a digest is made of. */
import { tallyWithin } from '../../db/read/within.ts';
import type { SqlReader } from '../../db/store/sql.ts';
import { decisions } from '../../db/tables/decisions.ts';
import { incidents } from '../../db/tables/incidents.ts';
import type { Config, Monitor } from '../../engine/config/config.ts';
import type { DigestContents, DigestMonitor } from '../../engine/views/digest.ts';

const dayMs = 86_400_000;

/** What a digest looks back on. */
const digestWindowMs = 7 * dayMs;

/** As many monitors are read without a pause: a few milliseconds. */
const stepSize = 5;

export interface DigestGatherOptions {
  readonly sql: SqlReader;
  /** The end of the week. */
  readonly toAt: number;
  readonly nowAt: number;
  /** Lets others run. */
  readonly yieldTurn: () => Promise<void>;
}

/** The seven days up to `toAt`, of every configured monitor. The window of an SLO ends there too. */
export async function gatherDigest(
  config: Pick<Config, 'monitors'>,
  options: DigestGatherOptions,
): Promise<DigestContents> {
  const { sql, toAt, yieldTurn } = options;
  const fromAt = toAt - digestWindowMs;
  const within = incidents.listWithin(sql, { fromAt, toAt });
  const monitors: DigestMonitor[] = [];
  for (const [index, monitor] of config.monitors.entries()) {
    if (index > 0 && index % stepSize === 0) await yieldTurn();
    const all = within.filter((incident) => incident.monitor === monitor.id);
    const own = all.filter(({ ownFault }) => ownFault === null);
    monitors.push({
      name: monitor.name,
      secs: secsOf(monitor, digestWindowMs, options),
      incidents: own.length,
      isDown: own.some(({ endedAt }) => endedAt === null),
      isUnchecked: all.some(({ ownFault, endedAt }) => ownFault !== null && endedAt === null),
      slo: sloOf(monitor, options),
    });
  }
  return { fromAt, toAt, monitors, decisions: decisions.countWithin(sql, { fromAt, toAt }) };
}

function sloOf(monitor: Monitor, options: DigestGatherOptions): DigestMonitor['slo'] {
  const { slo_uptime: uptimePercent, slo_window_days: windowDays } = monitor;
  if (uptimePercent === null) return null;
  return { uptimePercent, windowDays, secs: secsOf(monitor, windowDays * dayMs, options) };
}

function secsOf({ id }: Monitor, spanMs: number, { sql, toAt, nowAt }: DigestGatherOptions) {
  return tallyWithin(sql, id, { fromAt: toAt - spanMs, toAt, now: nowAt }).secs;
}
