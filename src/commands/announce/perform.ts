/** Pins, lists and clears banners. */
import { randomBytes } from 'node:crypto';
import { type AnnouncementRow, announcements } from '../../db/tables/announcements.ts';
import { durationText } from '../../engine/core/duration.ts';
import { cleanLine } from '../../engine/core/text.ts';
import { type BannerRequest, checkBanner, createBanner } from '../../engine/operations/announce.ts';
import { clearNumbered, type ClearRun } from '../clear-numbered.ts';
import type { Context } from '../context.ts';
import { exitCodes, type ExitCode } from '../exit.ts';
import { withStore } from '../open-store.ts';
import type { ListingOptions, RunOptions } from '../run-options.ts';
import type { Paint } from '../terminal/colour.ts';
import { toJson } from '../terminal/json.ts';
import { openTerminalOutput, type TerminalOutput } from '../terminal/output.ts';
import { rfc3339, instantText, minuteText } from '../../engine/core/instant.ts';
import { tableLines } from '../../engine/views/text/table.ts';

export interface AnnounceRun extends RunOptions, BannerRequest {
  /** Also where it names what strangers are not shown. */
  readonly isForced: boolean;
  /** Also without a database or a daemon. */
  readonly isOffline: boolean;
}

export async function performAnnounce(run: AnnounceRun, context: Context): Promise<ExitCode> {
  const { clock, stdout } = context;
  // What is wrong with the command line is reported before anything is opened.
  const checked = checkBanner(run, clock.now());
  const way = { configFile: run.configFile, access: 'make', reach: run } as const;
  return withStore(way, context, async ({ store, config, redact }) => {
    const publishing = { config, isForced: run.isForced };
    const identity = announcements.identity(store.sql, randomBytes(8).toString('hex'));
    const stored = await createBanner(checked, { redact, publishing, write: store.write, identity });
    const { id, title, severity, untilAt, createdAt } = stored;
    if (run.isJson) {
      const until = untilAt === null ? null : rfc3339(untilAt);
      stdout.write(`${toJson({ id, title, severity, until })}\n`);
    } else if (!run.isQuiet) {
      const end =
        untilAt === null
          ? `until cleared (\`statusd announce clear ${id}\`)`
          : `until ${instantText(untilAt)} (${durationText(untilAt - createdAt)})`;
      stdout.write(`Banner ${id} (${severity}) is shown on the status page ${end}: ${cleanLine(title)}\n`);
    }
    return exitCodes.ok;
  });
}

export function performAnnounceClear(run: ClearRun, context: Context): Promise<ExitCode> {
  return clearNumbered(run, context, {
    noun: ['banner', 'banners'],
    none: 'No banners to take down.',
    done: 'Took down',
    verb: 'Take down',
    isAllWithoutAsking: true,
    list: 'statusd announce list',
    clear: 'statusd announce clear',
    active: (sql, at) => announcements.active(sql, at).map(({ id }) => id),
    operations: (id, at, sql) => [announcements.sweep({ at }), announcements.clear({ id, sql })],
    answer: announcements.clear.answer,
  });
}

export function performAnnounceList(run: RunOptions, context: Context): Promise<ExitCode> {
  return withStore({ configFile: run.configFile, access: 'read' }, context, async ({ store, nowAt }) => {
    const rows = announcements.active(store.sql, nowAt);
    if (run.isJson) {
      context.stdout.write(`${toJson(announcementsJson(rows))}\n`);
    } else {
      const output = await openTerminalOutput(context, run.isColourRefused, textsOf(rows));
      context.stdout.write(announcementsText(rows, { nowAt, isQuiet: run.isQuiet }, output));
    }
    return exitCodes.ok;
  });
}

function announcementsJson(rows: readonly AnnouncementRow[]) {
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

function announcementsText(
  rows: readonly AnnouncementRow[],
  { nowAt, isQuiet }: ListingOptions,
  output: TerminalOutput,
): string {
  if (rows.length === 0) return isQuiet ? '' : 'No banners. `statusd announce <title>` pins one.\n';
  const { bold, dim } = output.paint;
  const columns = [
    { heading: 'ID', isNumber: true },
    { heading: 'SEVERITY', spare: 1 },
    { heading: 'UNTIL (UTC)' },
    { heading: 'LEFT', spare: 2 },
    { heading: 'TITLE', least: 12 },
    { heading: 'BODY', least: 8, spare: 3 },
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
function textsOf(rows: readonly AnnouncementRow[]): string[] {
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
