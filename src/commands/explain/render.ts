/** Renders an explanation for a terminal. */
import { verdictWords } from '../../engine/alerting/reasons.ts';
import { durationText } from '../../engine/core/duration.ts';
import { clockText, dayText, minuteText } from '../../engine/core/instant.ts';
import { cleanLine } from '../../engine/core/text.ts';
import { inWords } from '../../engine/core/words.ts';
import type { Explanation } from '../../engine/views/explain.ts';
import type { DeliveryFacts } from '../../engine/core/record.ts';
import type { TimelineMoment } from '../../engine/views/explain-timeline.ts';
import { stateText } from '../outbox/render.ts';
import type { Paint } from '../terminal/colour.ts';
import type { TerminalOutput } from '../terminal/output.ts';
import { proseLines } from '../../engine/views/text/cells.ts';
import { tableLines } from '../../engine/views/text/table.ts';
import type { ListingOptions } from '../run-options.ts';

const indent = '  ';

export function explanationText(
  explanation: Explanation,
  { nowAt, isQuiet }: ListingOptions,
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
  return sharedLines(timeline).flatMap((moment) => {
    const today = dayText(moment.at);
    const dayLine = today === day ? [] : [indent + paint.dim(today)];
    day = today;
    const word = words[moment.kind];
    const lead = `${indent}${clockText(moment.at)}  ${word.padEnd(11)}  `;
    const [first = '', ...rest] = proseLines(textOf(moment), ' '.repeat(cells.measure(lead)), output);
    const painted = `${indent}${paint.dim(clockText(moment.at))}  ${paintOf(moment, paint)(word.padEnd(11))}  `;
    return [...dayLine, painted + first.trimStart(), ...rest];
  });
}

/** A moment with all the channels that it is about; none: it is about no channel. */
interface SharedMoment extends Omit<TimelineMoment, 'channel'> {
  readonly channels: readonly string[];
}

/** Channels of which the same was decided within a second share a line. */
function sharedLines(timeline: readonly TimelineMoment[]): readonly SharedMoment[] {
  const lines: SharedMoment[] = [];
  for (const { channel, ...moment } of timeline) {
    const text = channel === null ? moment.text : moment.text.replace(`sent to ${channel}`, 'sent');
    const index = lines.findLastIndex(
      (line) =>
        clockText(line.at) === clockText(moment.at) &&
        line.kind === moment.kind &&
        line.event === moment.event &&
        line.text === text &&
        line.times === moment.times,
    );
    const same = lines[index];
    if (channel === null || same === undefined || same.channels.includes(channel))
      lines.push({ ...moment, text, channels: channel === null ? [] : [channel] });
    else lines[index] = { ...same, channels: [...same.channels, channel] };
  }
  return lines;
}

const words: Readonly<Record<TimelineMoment['kind'], string>> = { happened: '', ...verdictWords };

function textOf({ text, channels, event, times }: SharedMoment): string {
  const of = event === null ? '' : ` (${cleanLine(event)})`;
  const about = channels.length === 0 ? '' : `${inWords(channels.map(cleanLine))}${of}: `;
  return `${about}${cleanLine(text)}${times > 1 ? ` (${times} times)` : ''}`;
}

function paintOf({ kind }: SharedMoment, paint: Paint): (text: string) => string {
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
    { heading: 'WHEN (UTC)', spare: 1 },
    { heading: 'ERROR', least: 8, spare: 2 },
  ];
  const rows = messages.map((message) => [
    { text: String(message.id) },
    { text: cleanLine(message.channel), paint: output.paint.bold },
    { text: cleanLine(message.event) },
    { text: (message.foldedInto ?? null) === null ? stateText(message) : 'folded' },
    { text: whenText(message, nowAt), paint: output.paint.dim },
    { text: cleanLine(message.lastError ?? '') },
  ]);
  const room = output.columns === null ? null : Math.max(1, output.columns - indent.length);
  return tableLines({ columns, rows }, { ...output, columns: room }).map((line) => indent + line);
}

function whenText({ state, nextAt, finishedAt, foldedInto = null }: DeliveryFacts, nowAt: number): string {
  if (foldedInto !== null) return `with ${cleanLine(foldedInto.join(', '))}`;
  if (state !== 'waiting') return finishedAt === null ? '' : minuteText(finishedAt);
  return nextAt > nowAt ? `in ${durationText(nextAt - nowAt)}` : 'due now';
}

function bulletLines(text: string, output: TerminalOutput): readonly string[] {
  const [first = '', ...rest] = proseLines(cleanLine(text), `${indent}${indent}`, output);
  return [`${indent}${output.glyphs.dot} ${first.trimStart()}`, ...rest];
}
