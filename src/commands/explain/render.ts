/** Renders an explanation for the person in front of the terminal. */
import { durationText } from '../../engine/core/duration.ts';
import { clockText, dayText, minuteText } from '../../engine/core/instant.ts';
import { cleanLine } from '../../engine/core/text.ts';
import type { Explanation } from '../../engine/views/explain.ts';
import type { DeliveryFacts } from '../../engine/core/record.ts';
import type { TimelineMoment } from '../../engine/views/explain-timeline.ts';
import { stateText } from '../outbox/render.ts';
import type { Paint } from '../terminal/colour.ts';
import type { TerminalOutput } from '../terminal/output.ts';
import { proseLines } from '../../engine/views/text/cells.ts';
import { tableLines } from '../../engine/views/text/table.ts';

interface Listing {
  readonly nowAt: number;
  /** Only the summary. */
  readonly isQuiet: boolean;
}

const indent = '  ';

export function explanationText(
  explanation: Explanation,
  { nowAt, isQuiet }: Listing,
  output: TerminalOutput,
): string {
  const headline = explanation.headline.flatMap((sentence, index) => {
    const lines = proseLines(cleanLine(sentence), '', output);
    return index === 0 ? lines.map(output.paint.bold) : lines;
  });
  if (isQuiet) return `${headline.join('\n')}\n`;
  const sections = [
    headline,
    section('What happened (UTC)', timelineLines(explanation.timeline, output), output),
    section('Messages', messageLines(explanation.messages, nowAt, output), output),
    section(
      'What happens next',
      explanation.next.flatMap((step) => bulletLines(step, output)),
      output,
    ),
  ].filter((lines) => lines.length > 0);
  return `${sections.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

/** Everything that is laid out in cells. */
export function textsOf({ headline, timeline, messages, next }: Explanation): string[] {
  return [
    ...headline,
    ...next,
    ...timeline.flatMap(({ text, channel }) => [text, channel ?? '']),
    ...messages.flatMap(({ channel, lastError }) => [channel, lastError ?? '']),
  ].map(cleanLine);
}

function section(heading: string, lines: readonly string[], { paint }: TerminalOutput): readonly string[] {
  return lines.length === 0 ? [] : [paint.bold(heading), ...lines];
}

/** A line a moment: time, what kind, then the sentence under itself; a date stands where the day changes. */
function timelineLines(timeline: readonly TimelineMoment[], output: TerminalOutput): readonly string[] {
  const { paint, cells } = output;
  let day = '';
  return timeline.flatMap((moment) => {
    const today = dayText(moment.at);
    const dayLine = today === day ? [] : [indent + paint.dim(today)];
    day = today;
    const word = wordOf(moment);
    const lead = `${indent}${clockText(moment.at)}  ${word.padEnd(11)}  `;
    const [first = '', ...rest] = proseLines(textOf(moment), ' '.repeat(cells.measure(lead)), output);
    const painted = `${indent}${paint.dim(clockText(moment.at))}  ${paintOf(moment, paint)(word.padEnd(11))}  `;
    return [...dayLine, painted + first.trimStart(), ...rest];
  });
}

function wordOf({ kind }: TimelineMoment): string {
  return kind === 'happened' ? '' : kind;
}

function textOf({ text, channel, event, times }: TimelineMoment): string {
  const about =
    channel === null ? '' : `${cleanLine(channel)}${event === null ? '' : ` (${cleanLine(event)})`}: `;
  return `${about}${cleanLine(text)}${times > 1 ? ` (${times} times)` : ''}`;
}

function paintOf({ kind }: TimelineMoment, paint: Paint): (text: string) => string {
  switch (kind) {
    case 'happened':
      return paint.bold;
    case 'queued':
      return paint.cyan;
    case 'held':
      return paint.yellow;
    case 'told':
      return paint.green;
    case 'spared':
      return paint.dim;
    case 'undelivered':
      return paint.red;
  }
}

function messageLines(
  messages: readonly DeliveryFacts[],
  nowAt: number,
  output: TerminalOutput,
): readonly string[] {
  if (messages.length === 0) return [];
  const columns = [
    { heading: 'ID', isNumber: true },
    { heading: 'CHANNEL', least: 8 },
    { heading: 'EVENT', least: 9 },
    { heading: 'STATE' },
    { heading: 'WHEN (UTC)' },
    { heading: 'ERROR', least: 8 },
  ];
  const rows = messages.map((message) => [
    { text: String(message.id) },
    { text: cleanLine(message.channel), paint: output.paint.bold },
    { text: cleanLine(message.event) },
    { text: stateText(message) },
    { text: whenText(message, nowAt), paint: output.paint.dim },
    { text: cleanLine(message.lastError ?? '') },
  ]);
  const room = output.columns === null ? null : Math.max(1, output.columns - indent.length);
  return tableLines({ columns, rows }, { ...output, columns: room }).map((line) => indent + line);
}

function whenText({ state, nextAt, finishedAt }: DeliveryFacts, nowAt: number): string {
  if (state !== 'waiting') return finishedAt === null ? '' : minuteText(finishedAt);
  return nextAt > nowAt ? `in ${durationText(nextAt - nowAt)}` : 'due now';
}

function bulletLines(text: string, output: TerminalOutput): readonly string[] {
  const [first = '', ...rest] = proseLines(cleanLine(text), `${indent}${indent}`, output);
  return [`${indent}${output.glyphs.dot} ${first.trimStart()}`, ...rest];
}
