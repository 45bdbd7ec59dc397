/** Stores a banner and says what it says, and until when. */
import { randomBytes } from 'node:crypto';
import { announcements } from '../../db/tables/announcements.ts';
import { durationText } from '../../engine/core/duration.ts';
import { instantText, rfc3339 } from '../../engine/core/instant.ts';
import { StatusdError } from '../../engine/core/errors.ts';
import { nearest } from '../../engine/core/nearest.ts';
import { cleanLine, cutText } from '../../engine/core/text.ts';
import type { Context } from '../context.ts';
import { quoted, untilArgument } from '../duration-argument.ts';
import { exitCodes, type ExitCode } from '../exit.ts';
import { withStore } from '../open-store.ts';
import type { RunOptions } from '../run-options.ts';
import { toJson } from '../terminal/json.ts';

export interface AnnounceRun extends RunOptions {
  readonly title: string;
  readonly body: string;
  readonly severity: string;
  readonly until: string | null;
  /** Also without a database or a daemon. */
  readonly isOffline: boolean;
}

const maxTitle = 200;
const maxBody = 2000;

export async function performAnnounce(run: AnnounceRun, context: Context): Promise<ExitCode> {
  const { clock, stdout } = context;
  // What is wrong with the command line is told before anything is opened.
  refuseEmpty(run.title);
  const severity = severityOf(run.severity);
  const askedAt = clock.now();
  const untilAt = run.until === null ? null : untilArgument(run.until, askedAt);
  return withStore(
    { configFile: run.configFile, access: 'make', reach: run },
    context,
    async ({ store, redact }) => {
      const title = cutText(redact(run.title.trim()), maxTitle, '');
      const body = run.body.trim() === '' ? null : cutText(redact(run.body.trim()), maxBody, '');
      const identity = announcements.identity(store.sql, randomBytes(8).toString('hex'));
      const banner = { title, body, severity, untilAt, createdAt: askedAt };
      const id = await announcements.create(banner, { write: store.write, identity });
      if (run.isJson) {
        const until = untilAt === null ? null : rfc3339(untilAt);
        stdout.write(`${toJson({ id, title, severity, until })}\n`);
      } else if (!run.isQuiet) {
        const end =
          untilAt === null
            ? `until cleared (\`statusd announce clear ${id}\`)`
            : `until ${instantText(untilAt)} (${durationText(untilAt - askedAt)})`;
        stdout.write(`Banner ${id} (${severity}) is shown on the status page ${end}: ${cleanLine(title)}\n`);
      }
      return exitCodes.ok;
    },
  );
}

/** A title of spaces and characters that show nothing is none. */
function refuseEmpty(title: string): void {
  if (cleanLine(title).trim() !== '') return;
  throw new StatusdError('usage', 'the title is empty', {
    hint: 'Say in a few words what people should know.',
  });
}

function severityOf(typed: string): (typeof announcements.severities)[number] {
  const found = announcements.severities.find((severity) => severity === typed);
  if (found !== undefined) return found;
  const guess = nearest(typed, announcements.severities);
  throw new StatusdError('usage', `there is no severity ${quoted(typed)}`, {
    hint: guess === null ? `It is one of: ${announcements.severities.join(', ')}.` : `Did you mean ${guess}?`,
  });
}
