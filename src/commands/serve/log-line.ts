/** Formats one entry of the log as a line: text or JSON. */
import type { LogEntry, LogLevel } from '../../engine/core/log.ts';
import { cleanLine } from '../../engine/core/text.ts';
import type { Paint } from '../terminal/colour.ts';
import type { Glyphs } from '../terminal/glyphs.ts';
import { toJson } from '../terminal/json.ts';

/** What a line is written with. */
export interface LogStyle {
  readonly paint: Paint;
  readonly glyphs: Glyphs;
  /** A terminal that is watched needs no date. */
  readonly isDated: boolean;
}

/** `2026-11-21 12:30:05 ! the sentence`: the local time, a mark for its level, then what happened. */
export function textLine({ level, event, message }: LogEntry, at: number, logPen: LogStyle): string {
  const { paint, isDated } = logPen;
  const time = localTime(new Date(at));
  const mark = markOf(level, event, logPen);
  return `${paint.dim(isDated ? time : time.slice(-8))} ${mark} ${cleanLine(message)}`;
}

/** One object: `time` (RFC 3339, UTC), `level`, `event`, `message`, then the facts of the entry. */
export function jsonLine({ level, event, message, fields = {} }: LogEntry, at: number): string {
  return toJson({ time: new Date(at).toISOString(), level, event, message, ...fields });
}

function markOf(level: LogLevel, event: string, { paint, glyphs }: LogStyle): string {
  if (event === 'monitor.down') return paint.red(glyphs.down);
  if (event.startsWith('demo.')) return paint.cyan(glyphs.bar);
  switch (level) {
    case 'error':
      return paint.red(glyphs.down);
    case 'warning':
      return paint.yellow(glyphs.degraded);
    case 'info':
      return isGoodNews(event) ? paint.green(glyphs.up) : paint.dim(glyphs.dot);
  }
}

/** Something that was awaited has come true: the last word of the event says so. */
function isGoodNews(event: string): boolean {
  return /\.(?:ready|recovered|reloaded|restored|sent|told|up)$/.test(event);
}

function localTime(date: Date): string {
  const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()].map(twoDigits).join('-');
  return `${day} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join(':')}`;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}
