/** What is said above the table whatever it shows: banners, maintenance, broken channels. */
import { durationText } from '../engine/core/duration.ts';
import type { PageSummary } from '../engine/views/page.ts';
import { shortTimeText } from '../engine/views/page-wording.ts';
import type { Tone } from './line.ts';

export interface Notice {
  readonly text: string;
  readonly tone: Tone;
}

const severityTones: Readonly<Record<string, Tone>> = {
  info: 'accent',
  warning: 'warn',
  critical: 'bad',
  resolved: 'good',
};

/** Banners that stand, then maintenance that is on. */
export function bannersOf(
  summary: Pick<PageSummary, 'announcements' | 'maintenances' | 'generated_at'>,
): Notice[] {
  const now = summary.generated_at;
  return [
    ...summary.announcements.map(({ severity, title, body }) => ({
      text: `${severity}: ${title}${body === null ? '' : ` (${body})`}`,
      tone: severityTones[severity] ?? 'accent',
    })),
    ...summary.maintenances
      .filter(({ start }) => Date.parse(start) <= Date.parse(now))
      .map(({ title, end, monitors }): Notice => {
        const of = monitors.length === 0 ? 'all monitors' : monitors.join(', ');
        return { text: `maintenance: ${title}, until ${shortTimeText(end, now)} (${of})`, tone: 'accent' };
      }),
  ];
}

/** A sentence a channel that takes no messages. */
export function brokenChannels({ channels = [] }: Pick<PageSummary, 'channels'>): Notice[] {
  return channels
    .filter(({ failing }) => failing)
    .map(({ name, consecutive_failures, failing_for_secs }) => {
      const since = failing_for_secs === null ? '' : ` for ${durationText(failing_for_secs * 1000)}`;
      return {
        text: `channel ${name} is broken: ${consecutive_failures} deliveries failed in a row${since}`,
        tone: 'warn',
      };
    });
}
