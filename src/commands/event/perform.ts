/** Stores a marker of a change. */
import { randomBytes } from 'node:crypto';
import { events } from '../../db/tables/events.ts';
import { instantText, rfc3339 } from '../../engine/core/instant.ts';
import { cleanLine } from '../../engine/core/text.ts';
import { inWords } from '../../engine/core/words.ts';
import { checkEvent, createEvent, type EventRequest } from '../../engine/operations/event.ts';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodes } from '../exit.ts';
import { withStore } from '../open-store.ts';
import { refuseOtherUse } from '../subcommand-slip.ts';
import type { RunOptions } from '../run-options.ts';
import { toJson } from '../terminal/json.ts';

export interface EventRun extends RunOptions, EventRequest {
  /** Also where it names what strangers are not shown. */
  readonly isForced: boolean;
  /** Also without a database or a daemon. */
  readonly isOffline: boolean;
}

export function performEvent(run: EventRun, context: Context): Promise<ExitCode> {
  const { stdout, clock } = context;
  refuseOtherUse(
    'event',
    run.title,
    'It takes a title and stores it. Events stand in `statusd incidents show` and on the charts of a monitor.',
  );
  const checked = checkEvent(run, clock.now());
  const way = { configFile: run.configFile, access: 'make', reach: run } as const;
  return withStore(way, context, async ({ store, config, redact }) => {
    const event = await createEvent(checked, {
      known: config.monitors,
      redact,
      publishing: { config, isForced: run.isForced },
      write: store.write,
      identity: events.identity(store.sql, randomBytes(8).toString('hex')),
    });
    const { id, uid, title, monitors, at } = event;
    if (run.isJson) stdout.write(`${toJson({ id, uid, title, monitors, at: rfc3339(at) })}\n`);
    else if (!run.isQuiet) {
      const about = monitors.length === 0 ? 'everything' : inWords(monitors);
      stdout.write(`Event ${id}: ${cleanLine(title)}, at ${instantText(at)}, about ${about}\n`);
    }
    return exitCodes.ok;
  });
}
