/** The parts of a summary around its monitors: overall status, groups, channels, banners, maintenance. */
import { rfc3339 } from '../core/instant.ts';
import type { ConfiguredNotice } from '../config/config.ts';
import type { Reader } from './monitor.ts';
import { wholeSecs } from '../core/duration.ts';
import type { MaintenanceWindow } from '../core/mute.ts';
import type { OverallState, ReaderState, Status } from '../core/status.ts';
import { shortTimeText } from './page-wording.ts';

/** A pinned banner. Instants are epoch ms; `untilAt` null: until it is cleared. */
export interface AnnouncementFacts {
  readonly id: number;
  readonly title: string;
  readonly body: string | null;
  readonly severity: 'info' | 'warning' | 'critical' | 'resolved';
  readonly untilAt: number | null;
  readonly createdAt: number;
}

/** The public gets no `id`: numbers would show how many there were. A notice has none (null). */
export function announcementViews(
  pinned: readonly AnnouncementFacts[],
  notices: readonly ConfiguredNotice[],
  { isTrusted, nowAt }: Reader,
) {
  const named = (id: number | null) => (isTrusted ? { id } : {});
  return [
    ...pinned.map(({ id, title, body, severity, createdAt, untilAt }) => ({
      ...named(id),
      title,
      body,
      severity,
      at: rfc3339(createdAt),
      until: untilAt === null ? null : rfc3339(untilAt),
    })),
    ...notices
      .filter(({ at }) => at === null || at <= nowAt)
      .map(({ title, body, severity, at }) => ({
        ...named(null),
        title,
        body: body === '' ? null : body,
        severity,
        at: at === null ? null : rfc3339(at),
        until: null,
      })),
  ];
}

/** Which monitors stand in which display group. */

/** In the order in which the groups appear first. A monitor without a group is in none. */
export function groupViews(monitors: readonly { readonly id: string; readonly group: string | null }[]) {
  const groups = new Map<string, string[]>();
  for (const { id, group } of monitors) {
    if (group === null) continue;
    const ids = groups.get(group);
    if (ids === undefined) groups.set(group, [id]);
    else ids.push(id);
  }
  return [...groups].map(([name, ids]) => ({ name, ids }));
}

/** How the notification channels are, for a reader who may know that there are any. */
interface ChannelFacts {
  readonly channel: string;
  readonly consecutiveFailures: number;
  /** When the streak of failures began, epoch ms. */
  readonly failingSinceAt: number | null;
}

/** Every configured channel, in the order of the configuration. */
export function channelViews(
  configured: readonly { readonly name: string }[],
  facts: readonly ChannelFacts[],
  { threshold, nowAt }: { readonly threshold: number; readonly nowAt: number },
) {
  const known = new Map(facts.map((fact) => [fact.channel, fact]));
  return configured.map(({ name }) => {
    const { consecutiveFailures = 0, failingSinceAt = null } = known.get(name) ?? {};
    return {
      name,
      failing: consecutiveFailures >= threshold,
      consecutive_failures: consecutiveFailures,
      failing_for_secs: failingSinceAt === null ? 0 : wholeSecs(nowAt - failingSinceAt),
    };
  });
}

const soonMs = 7 * 86_400_000;

/** The windows that are not over, the next one first; of those of a schedule, what begins within 7 days. */
export function maintenanceViews(
  windows: readonly (MaintenanceWindow & { readonly isRecurring: boolean })[],
  { isVisible, nowAt }: Pick<Reader, 'isVisible' | 'nowAt'>,
) {
  const shown = windows.filter(
    ({ startAt, endAt, isRecurring }) => endAt > nowAt && (!isRecurring || startAt <= nowAt + soonMs),
  );
  return visibleWindows(shown, isVisible).map(({ title, startAt, endAt, monitors }) => ({
    title,
    start: rfc3339(startAt),
    end: rfc3339(endAt),
    monitors,
  }));
}

/**
 * Of the windows of each schedule what is under way, and the next one: a list of them all would show nothing else. Those
 * with one title and the same monitors are of one schedule. `windows` are in the order of their start.
 */
export function withoutRepeats<W extends MaintenanceWindow & { readonly isRecurring: boolean }>(
  windows: readonly W[],
  nowAt: number,
): readonly W[] {
  const scheduleOf = ({ title, monitors }: W) => JSON.stringify([title, monitors]);
  const schedules = new Set(windows.filter(({ isRecurring }) => isRecurring).map(scheduleOf));
  const coming = new Set<string>();
  return windows.filter((window) => {
    const schedule = scheduleOf(window);
    if (!schedules.has(schedule)) return true;
    if (window.endAt <= nowAt) return false;
    if (window.startAt <= nowAt || !window.isRecurring) return true;
    const isNext = !coming.has(schedule);
    coming.add(schedule);
    return isNext;
  });
}

/**
 * What exists of the windows for a reader. One that covers only monitors that do not exist for the reader does not
 * either; an empty list of monitors means all of them.
 */
export function visibleWindows<W extends MaintenanceWindow>(
  windows: readonly W[],
  isVisible: (monitor: string) => boolean,
): readonly W[] {
  return windows.flatMap((window) => {
    const monitors = window.monitors.filter(isVisible);
    return window.monitors.length > 0 && monitors.length === 0 ? [] : [{ ...window, monitors }];
  });
}

interface Overall {
  readonly overall: Status;
  readonly overall_label: string;
  readonly overall_state: OverallState;
}

/** Since when the network of this node is suspected, where it is, and the present. Epoch ms. */
interface NetworkLoss {
  readonly sinceAt: number | null;
  readonly nowAt: number;
}

interface Judged {
  readonly status: Status;
  /** As readers see it; absent: as its status. */
  readonly state?: ReaderState;
  readonly critical?: boolean;
}

export const troubleLabels = {
  major_outage: 'Major outage',
  partial_outage: 'Partial outage',
  degraded: 'Degraded performance',
} as const;

/**
 * Says how everything is, in one word and one phrase. The worst of what is known; `unknown` only when nothing is, or
 * when this node cannot see its targets: what was known before that is no news of today.
 */
export function overallOf(
  monitors: readonly Judged[],
  { sinceAt, nowAt }: NetworkLoss = { sinceAt: null, nowAt: 0 },
): Overall {
  const has = (status: Status) => monitors.some((monitor) => monitor.status === status);
  const isBlind = sinceAt !== null && has('unknown');
  const state = overallStateOf(monitors, isBlind);
  const overall = has('down')
    ? 'down'
    : isBlind
      ? 'unknown'
      : has('degraded')
        ? 'degraded'
        : has('up')
          ? 'up'
          : 'unknown';
  return { overall, overall_label: labelOf(), overall_state: state };

  function labelOf(): string {
    switch (state) {
      case 'major_outage':
      case 'partial_outage':
      case 'degraded':
        return troubleLabels[state];
      case 'maintenance':
        return 'Under maintenance';
      case 'up':
        return has('unknown') ? 'Operational, as far as is known' : 'All systems operational';
      case 'unknown':
        if (sinceAt !== null && has('unknown'))
          return `Unknown: this node cannot see its targets since ${shortTimeText(rfc3339(sinceAt), rfc3339(nowAt))}`;
        return monitors.length === 0 ? 'No monitors' : 'No data yet';
    }
  }
}

/** `major_outage` when half or more are down, or one that is critical. */
function overallStateOf(monitors: readonly Judged[], isBlind: boolean): OverallState {
  const states = monitors.map(({ status, state = status }) => state);
  const down = states.filter((state) => state === 'down').length;
  const isCritical = monitors.some(({ critical = false }, index) => critical && states[index] === 'down');
  if (down > 0) return isCritical || down * 2 >= states.length ? 'major_outage' : 'partial_outage';
  if (isBlind) return 'unknown';
  if (states.includes('degraded')) return 'degraded';
  if (states.includes('maintenance')) return 'maintenance';
  return states.includes('up') ? 'up' : 'unknown';
}
