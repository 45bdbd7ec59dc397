/** Renders the outbox for a terminal. */
import type { DeliveryRow } from '../../db/tables/outbox.ts';
import { minuteText, rfc3339 } from '../../engine/core/instant.ts';
import { durationText } from '../../engine/core/duration.ts';
import { foldedInto, holdOf } from '../../engine/alerting/events/stored.ts';
import { cleanLine } from '../../engine/core/text.ts';
import { cutCells } from '../../engine/views/text/cells.ts';
import { tableLines } from '../../engine/views/text/table.ts';
import type { Paint } from '../terminal/colour.ts';
import type { TerminalOutput } from '../terminal/output.ts';
import type { ListingOptions } from '../run-options.ts';

const columns = [
  { heading: 'ID', isNumber: true },
  { heading: 'STATE' },
  { heading: 'EVENT', least: 9, spare: 1 },
  { heading: 'MONITOR', least: 6 },
  { heading: 'CHANNEL', least: 6 },
  { heading: 'TRIES', isNumber: true, spare: 3 },
  { heading: 'WHEN (UTC)', spare: 2 },
] as const;
const errorColumn = { heading: 'ERROR', least: 16 } as const;

/** From this width on, what the channel said stands in the same line. */
const wideColumns = 120;
const indent = '      ';

export function outboxText(
  rows: readonly DeliveryRow[],
  { nowAt, isQuiet }: ListingOptions,
  output: TerminalOutput,
): string {
  if (rows.length === 0) return isQuiet ? '' : 'No messages are waiting, were late or were given up.\n';
  const isWide = output.columns === null || output.columns >= wideColumns;
  const cells = rows.map((row) => [
    { text: String(row.id) },
    { text: foldedInto(row) === null ? stateText(row) : 'folded', paint: paintState(row, output.paint) },
    { text: cleanLine(row.event) },
    { text: cleanLine(row.monitor ?? '') },
    { text: cleanLine(row.channel), paint: output.paint.bold },
    { text: String(row.attempts) },
    { text: whenText(row, nowAt), paint: output.paint.dim },
    ...(isWide ? [{ text: cleanLine(row.lastError ?? '') }] : []),
  ]);
  const table = { columns: isWide ? [...columns, errorColumn] : columns, rows: cells };
  const [heading = '', ...lines] = tableLines(table, output);
  const body = rows.flatMap((row, index) => {
    const line = lines[index] ?? '';
    return isWide || row.lastError === null ? [line] : [line, errorLine(row.lastError, output)];
  });
  return `${(isQuiet ? body : [heading, ...body]).join('\n')}\n`;
}

/** Everything the table is measured by. */
export function textsOf(rows: readonly DeliveryRow[]): string[] {
  return rows.flatMap(({ channel, lastError }) => [cleanLine(channel), cleanLine(lastError ?? '')]);
}

function errorLine(error: string, { columns: width, cells }: TerminalOutput): string {
  const text = cleanLine(error);
  return indent + (width === null ? text : cutCells(text, Math.max(1, width - indent.length), cells));
}

function whenText(row: DeliveryRow, nowAt: number): string {
  const { state, nextAt, finishedAt, createdAt } = row;
  const upstreams = foldedInto(row);
  if (upstreams !== null) return `with ${cleanLine(upstreams.join(', '))}`;
  if (state !== 'waiting') return minuteText(finishedAt ?? createdAt);
  return nextAt > nowAt ? `in ${durationText(nextAt - nowAt)}` : 'due now';
}

function paintState(row: DeliveryRow, paint: Paint): (text: string) => string {
  switch (row.state) {
    case 'waiting':
      return row.attempts === 0 ? paint.cyan : paint.yellow;
    case 'sent':
      return paint.green;
    case 'given_up':
      return paint.red;
    case 'dropped':
      return paint.dim;
  }
}

/** Shows a delivery of the outbox as JSON and in words. */
export function deliveryJson(row: DeliveryRow) {
  const folded = foldedInto(row);
  return {
    id: row.id,
    delivery_id: row.deliveryId,
    channel: row.channel,
    event: row.event,
    monitor: row.monitor,
    incident: row.incident,
    state: row.state,
    attempts: row.attempts,
    created_at: rfc3339(row.createdAt),
    next_at: row.state === 'waiting' ? rfc3339(row.nextAt) : null,
    finished_at: row.finishedAt === null ? null : rfc3339(row.finishedAt),
    last_error: row.lastError,
    hold: holdReasonOf(row),
    ...(folded === null ? {} : { folded_into: folded }),
  };
}

type Stated = Pick<DeliveryRow, 'state'> & Partial<Pick<DeliveryRow, 'payload'>>;

/** Why it waits longer; null: it does not, or was not looked at yet. */
function holdReasonOf({ state, payload = null }: Stated) {
  return state === 'waiting' ? (holdOf(payload)?.reason ?? null) : null;
}

/** What became of it: `sent late` is what took more than one try, `no channel` what waits for a channel to be back. */
export function stateText(row: Stated & Pick<DeliveryRow, 'attempts'>): string {
  const { state, attempts } = row;
  switch (state) {
    case 'waiting':
      if (holdReasonOf(row) === 'channel_unavailable') return 'no channel';
      return attempts === 0 ? 'waiting' : 'retrying';
    case 'sent':
      return attempts > 1 ? 'sent late' : 'sent';
    case 'given_up':
      return 'given up';
    case 'dropped':
      return 'dropped';
  }
}
