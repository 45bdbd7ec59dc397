/** Prints the digest of the last seven days. */
import type { Config } from '../../engine/config/config.ts';
import { rfc3339 } from '../../engine/core/instant.ts';
import { routed } from '../../engine/alerting/filter.ts';
import { cleanLine } from '../../engine/core/text.ts';
import { digestOf } from '../../engine/views/digest.ts';
import { gatherDigest, loadCalendars } from '../../notify/digest/digest.ts';
import type { DigestMessage } from '../../engine/alerting/events/digest.ts';
import { body } from '../../notify/wording/text.ts';
import { wordingOf } from '../../notify/wording/words.ts';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodes } from '../exit.ts';
import { withStore } from '../open-store.ts';
import type { RunOptions } from '../run-options.ts';
import { toJson } from '../terminal/json.ts';

export function performDigest(run: RunOptions, context: Context): Promise<ExitCode> {
  const { stdout, stderr } = context;
  return withStore({ configFile: run.configFile, access: 'read' }, context, async (openedStore) => {
    const { config, store, nowAt, redact } = openedStore;
    const facts = await gatherDigest(config, {
      sql: store.sql,
      toAt: nowAt,
      nowAt,
      yieldTurn: () => Promise.resolve(),
    });
    const { fromAt, toAt } = facts;
    const { summary, lines } = digestOf(facts);
    const text = textOf({ fromAt, toAt, summary, lines }).map((line) => cleanLine(redact(line)));
    if (run.isJson) {
      const [title, ...body] = text;
      const sent = await sendingOf(config, nowAt);
      stdout.write(`${toJson({ from: rfc3339(fromAt), to: rfc3339(toAt), title, lines: body, ...sent })}\n`);
      return exitCodes.ok;
    }
    stdout.write(`${text.join('\n')}\n`);
    if (config.digest === null && !run.isQuiet) {
      stderr.write('statusd: it is never sent: the configuration has no [digest]\n');
    }
    return exitCodes.ok;
  });
}

/** What a channel gets, title first. */
function textOf(week: Pick<DigestMessage, 'fromAt' | 'toAt' | 'summary' | 'lines'>): string[] {
  const wording = wordingOf({
    event: 'digest',
    deliveryId: 'digest',
    at: week.toAt,
    severity: 'info',
    isTest: false,
    link: null,
    ...week,
  });
  return [wording.title, ...body(wording)];
}

/** When it is sent next, and through which channels; null: it is not. */
async function sendingOf(config: Config, nowAt: number) {
  const { digest } = config;
  if (digest === null) return { next_at: null, channels: [] };
  const calendarOf = await loadCalendars();
  const nextAt = calendarOf(digest).next(nowAt);
  const said = { event: 'digest', severity: 'info', monitor: null, at: nextAt ?? nowAt } as const;
  return {
    next_at: nextAt === null ? null : rfc3339(nextAt),
    channels: routed(digest.notify, config, said).channels,
  };
}
