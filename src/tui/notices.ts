/** The notices above the table: banners, maintenance, broken channels, silent nodes. */
import { durationText } from '../engine/core/duration.ts';
import type { PageSummary } from '../engine/views/page.ts';
import { shortTimeText } from '../engine/views/page-wording.ts';
import { skewWords } from '../engine/views/peers.ts';
import type { Tone } from './theme.ts';
import { numberText } from '../engine/core/words.ts';

export interface HeaderNotice {
  readonly text: string;
  readonly tone: Tone;
}

export const severityTones: Readonly<Record<string, Tone>> = {
  info: 'accent',
  warning: 'warn',
  critical: 'bad',
  resolved: 'good',
};

/** Banners that stand, then maintenance that is on. */
export function bannersOf(
  summary: Pick<PageSummary, 'announcements' | 'maintenances' | 'generated_at'>,
): HeaderNotice[] {
  const now = summary.generated_at;
  return [
    ...summary.announcements.map(({ severity, title, body }) => ({
      text: `${severity}: ${title}${body === null ? '' : ` (${body})`}`,
      tone: severityTones[severity] ?? 'accent',
    })),
    ...summary.maintenances
      .filter(({ start }) => Date.parse(start) <= Date.parse(now))
      .map(({ title, end, monitors }): HeaderNotice => {
        const of = monitors.length === 0 ? 'all monitors' : monitors.join(', ');
        return { text: `maintenance: ${title}, until ${shortTimeText(end, now)} (${of})`, tone: 'accent' };
      }),
  ];
}

/** Troubles of statusd itself: changes that are lost, then channels that take no messages, then nodes that are silent. */
export function ownTroubles(
  summary: Pick<PageSummary, 'channels' | 'generated_at' | 'losses' | 'peers'>,
): HeaderNotice[] {
  return [...lostChanges(summary), ...brokenChannels(summary), ...silentPeers(summary)];
}

/** One line for all of them: `statusd doctor` has each. */
function lostChanges({
  losses = [],
  generated_at: now,
}: Pick<PageSummary, 'losses' | 'generated_at'>): HeaderNotice[] {
  const last = losses.at(-1);
  if (last === undefined) return [];
  const more = losses.length === 1 ? '' : ` (and ${numberText(losses.length - 1)} more)`;
  return [
    {
      text: `database, ${shortTimeText(last.at, now)}: ${last.message}${more}; statusd doctor --seen`,
      tone: 'bad',
    },
  ];
}

/** A sentence a node that is not heard, or whose clock is wrong. */
export function silentPeers({ peers }: Pick<PageSummary, 'peers'>): HeaderNotice[] {
  return peers.flatMap(({ name, state, age, reason, clock_skew_ms }): HeaderNotice[] => {
    const heard = age === null ? 'no heartbeat yet' : `heard ${durationText(age * 1000)} ago`;
    const facts = [heard, reason].filter((fact) => fact !== null).join(', ');
    const skew = skewWords(clock_skew_ms);
    switch (state) {
      case 'down':
        return [{ text: `node ${name} is down: ${facts}`, tone: 'warn' }];
      case 'link_degraded':
        return [{ text: `the link to node ${name} is broken: ${facts}`, tone: 'warn' }];
      case 'up':
      case 'unknown':
        return skew === null ? [] : [{ text: `node ${name}: ${skew}`, tone: 'warn' }];
    }
  });
}

/** A sentence a channel that takes no messages. */
export function brokenChannels({ channels = [] }: Pick<PageSummary, 'channels'>): HeaderNotice[] {
  return channels
    .filter(({ failing }) => failing)
    .map(({ name, consecutive_failures, failing_for_secs }) => {
      const span = failing_for_secs === null ? null : durationText(failing_for_secs * 1000);
      const failed =
        consecutive_failures === 1
          ? `its last delivery failed${span === null ? '' : ` ${span} ago`}`
          : `${numberText(consecutive_failures)} deliveries failed in a row${span === null ? '' : ` for ${span}`}`;
      return {
        text: `channel ${name} is broken: ${failed}`,
        tone: 'warn',
      };
    });
}
