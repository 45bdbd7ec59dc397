/** Plans maintenance, and ends it: checked the same way for commands and HTTP. */
import { maintenances } from '../../db/tables/maintenances.ts';
import type { NumberedWrite } from '../../db/tables/numbered.ts';
import { StatusdError } from '../core/errors.ts';
import { rfc3339 } from '../core/instant.ts';
import { boundedText, cleanLine } from '../core/text.ts';
import { durationArgument, futureArgument } from './arguments.ts';
import { limits } from './limits.ts';
import type { PlannedMaintenance } from './planned-maintenance.ts';
import { type Publishing, refusePrivateNames } from './public-text.ts';
import { namedMonitorsOrAll, namesIn, refuseNobody, type Selectable } from './select-monitors.ts';

export interface MaintenanceRequest {
  /** Empty: `Maintenance`. */
  readonly title: string;
  /** Words as typed: ids, names or groups, several between commas, or the word `all`. */
  readonly monitors: readonly string[];
  readonly groups: readonly string[];
  /** A time or how long from now; null: now. */
  readonly start: string | null;
  /** One of the two. */
  readonly duration: string | null;
  readonly end: string | null;
  /** The zone of times that name none. */
  readonly timezone: string;
}

/** A request that is right in itself. */
export interface CheckedMaintenance extends Pick<MaintenanceRequest, 'title' | 'monitors' | 'groups'> {
  readonly startAt: number;
  readonly endAt: number;
  readonly createdAt: number;
}

const tooLong = 'A window that is longer belongs into [[maintenance]] of the configuration.';

/** Throws `usage`, also when nothing is named: to cover everything has to be asked for. */
export function checkMaintenance(
  { title, monitors, groups, start, duration, end, timezone }: MaintenanceRequest,
  nowAt: number,
): CheckedMaintenance {
  const startAt = start === null ? nowAt : futureArgument(start, nowAt, timezone);
  if ((duration === null) === (end === null)) {
    throw new StatusdError('usage', 'maintenance needs either a duration or an end', {
      hint: 'For example a duration of 2h.',
    });
  }
  if (startAt > nowAt + limits.aheadMs)
    throw new StatusdError('usage', 'the start is more than a year ahead', { hint: 'Plan it later.' });
  const endAt =
    end === null
      ? startAt + durationArgument(duration ?? '', { maxMs: limits.maintenanceMs, instead: tooLong })
      : futureArgument(end, nowAt, timezone);
  if (endAt <= startAt) {
    throw new StatusdError('usage', 'the end is not after the start', {
      hint: 'Swap the two, or correct the day.',
    });
  }
  if (endAt - startAt > limits.maintenanceMs)
    throw new StatusdError('usage', `it lasts longer than ${limits.maintenance}`, { hint: tooLong });
  refuseNobody({ ids: monitors, groups });
  const covered = { monitors: namesIn('monitor', monitors), groups: namesIn('group', groups) };
  return { title, ...covered, startAt, endAt, createdAt: nowAt };
}

export interface MaintenanceInputs extends NumberedWrite {
  /** The monitors, then the peers by the ids under which they are watched, in the order of the configuration. */
  readonly known: readonly Selectable[];
  readonly redact: (text: string) => string;
  readonly publishing: Publishing;
}

/**
 * Resolves with what was kept of it once it is durable. Throws `not_found` for a monitor or group that is not known, and
 * `usage` for a name of several, and for a title that strangers read and that names what they are not shown.
 */
export async function createMaintenance(
  { title: given, monitors: wanted, groups, startAt, endAt, createdAt }: CheckedMaintenance,
  { known, redact, publishing, ...numbered }: MaintenanceInputs,
): Promise<PlannedMaintenance> {
  const monitors = namedMonitorsOrAll(known, { ids: wanted, groups }, redact) ?? [];
  const text = boundedText(redact(given), limits.title, ' ').trim();
  const title = cleanLine(text).trim() === '' ? 'Maintenance' : text;
  refusePrivateNames({ title }, monitors, publishing);
  const window = { title, monitors, startAt, endAt, createdAt };
  const id = await maintenances.create(window, numbered);
  return { ...window, id, uid: numbered.identity.uid, isRecurring: false };
}

/** As programs get it. */
export function maintenanceJson(window: PlannedMaintenance, nowAt: number) {
  const { id, uid, title, monitors, startAt, endAt, isRecurring, createdAt } = window;
  return {
    id,
    uid,
    title,
    monitors: monitors.length === 0 ? ['*'] : monitors,
    start: rfc3339(startAt),
    end: rfc3339(endAt),
    state: startAt <= nowAt ? ('active' as const) : ('planned' as const),
    source: id !== null ? ('operator' as const) : isRecurring ? ('schedule' as const) : ('config' as const),
    created_at: createdAt === null ? null : rfc3339(createdAt),
  };
}

/** Those that are not over, the one that starts first before the others. */
export function listMaintenance(planned: readonly PlannedMaintenance[], nowAt: number) {
  return planned.filter(({ endAt }) => endAt > nowAt);
}
