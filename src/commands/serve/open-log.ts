/** Opens the log of the daemon on its standard output. */
import type { Redact } from '../../engine/config/redact.ts';
import type { Log, LogEntry, LogLevel } from '../../engine/core/log.ts';
import type { Context } from '../context.ts';
import { isColourWanted, paintWith } from '../terminal/colour.ts';
import { glyphsFor } from '../terminal/glyphs.ts';
import type { LogFormat } from './log-format.ts';
import { lineSink } from './line-sink.ts';
import { jsonLine, textLine, type LogStyle } from './log-line.ts';

export interface LogOptions {
  /** `auto`: text on a terminal, JSON everywhere else. */
  readonly format: LogFormat;
  /** Only what is wrong. */
  readonly isQuiet: boolean;
  readonly isColourRefused: boolean;
}

/** `redact` masks the secrets of the configuration as it is when a line is written. */
export function openLog(
  { format, isQuiet, isColourRefused }: LogOptions,
  { stdout, env, clock }: Pick<Context, 'stdout' | 'env' | 'clock'>,
  redact: Redact,
): Log {
  const isTty = 'isTTY' in stdout && stdout.isTTY === true;
  const isText = format === 'text' || (format === 'auto' && isTty);
  const logPen: LogStyle = {
    paint: paintWith(isColourWanted({ isRefused: isColourRefused, isTty, env })),
    glyphs: glyphsFor(env),
    isDated: !isTty,
  };
  const write = (entry: LogEntry) => {
    return isText ? textLine(entry, clock.now(), logPen) : jsonLine(entry, clock.now());
  };
  const sink = lineSink(stdout, (count) => write(linesLost(count)));
  const levels: readonly LogLevel[] = isQuiet ? ['warning', 'error'] : ['info', 'warning', 'error'];
  return (entry) => {
    if (levels.includes(entry.level)) sink(write(redacted(entry, redact)));
  };
}

function redacted({ fields = {}, message, ...entry }: LogEntry, redact: Redact): LogEntry {
  const shown = Object.entries(fields).map(([name, value]) => {
    return [name, typeof value === 'string' ? redact(value) : value] as const;
  });
  return { ...entry, message: redact(message), fields: Object.fromEntries(shown) };
}

function linesLost(count: number): LogEntry {
  const message = `${count === 1 ? '1 line is' : `${count} lines are`} missing here: nobody took them`;
  return { level: 'warning', event: 'log.lost', message, fields: { lines: count } };
}
