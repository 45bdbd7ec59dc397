/** Renders banners, for people and for programs. */
import type { AnnouncementRow } from '../../db/tables/announcements.ts';
import { durationText } from '../../engine/core/duration.ts';
import { minuteText, rfc3339 } from '../../engine/core/instant.ts';
import { cleanLine } from '../../engine/core/text.ts';
import type { Paint } from '../terminal/colour.ts';
import type { TerminalOutput } from '../terminal/output.ts';
import { tableLines } from '../../engine/views/text/table.ts';

export function announcementsJson(rows: readonly AnnouncementRow[]) {
  return {
    announcements: rows.map(({ id, title, body, severity, untilAt, createdAt }) => ({
      id,
      title,
      body,
      severity,
      until: untilAt === null ? null : rfc3339(untilAt),
      created_at: rfc3339(createdAt),
    })),
  };
}

interface Listing {
  readonly nowAt: number;
  readonly isQuiet: boolean;
}

export function announcementsText(
  rows: readonly AnnouncementRow[],
  { nowAt, isQuiet }: Listing,
  output: TerminalOutput,
): string {
  if (rows.length === 0) return isQuiet ? '' : 'No banners. `statusd announce <title>` pins one.\n';
  const { bold, dim } = output.paint;
  const columns = [
    { heading: 'ID', isNumber: true },
    { heading: 'SEVERITY' },
    { heading: 'UNTIL (UTC)' },
    { heading: 'LEFT' },
    { heading: 'TITLE', least: 12 },
    { heading: 'BODY', least: 8 },
  ];
  const cells = rows.map(({ id, title, body, severity, untilAt }) => [
    { text: String(id) },
    { text: severity, paint: paintSeverity(severity, output.paint) },
    { text: untilAt === null ? 'until cleared' : minuteText(untilAt) },
    { text: untilAt === null ? '' : durationText(untilAt - nowAt), paint: dim },
    { text: cleanLine(title), paint: bold },
    { text: cleanLine(body ?? '') },
  ]);
  return `${tableLines({ columns, rows: cells }, output, { hasHeading: !isQuiet }).join('\n')}\n`;
}

/** Everything the table is measured by. */
export function textsOf(rows: readonly AnnouncementRow[]): string[] {
  return rows.flatMap(({ title, body }) => [cleanLine(title), cleanLine(body ?? '')]);
}

function paintSeverity(severity: AnnouncementRow['severity'], paint: Paint): (text: string) => string {
  switch (severity) {
    case 'info':
      return paint.cyan;
    case 'warning':
      return paint.yellow;
    case 'critical':
      return paint.red;
    case 'resolved':
      return paint.green;
  }
}
