/** Renders a plan for a terminal. */
import { basename } from 'node:path';
import { instantText } from '../../engine/core/instant.ts';
import { counted } from '../../engine/core/words.ts';
import { cleanLine } from '../../engine/core/text.ts';
import { unicodeGlyphs } from '../terminal/glyphs.ts';
import { cutCells, padEnd, wrapCells } from '../../engine/views/text/cells.ts';
import type { TerminalOutput } from '../terminal/output.ts';
import { type SettingChange, changeText, isEmpty, type Altered } from './difference.ts';
import type { PlanOutcome, ComparedWith } from './impact.ts';

type Mark = 'start' | 'stop' | 'restart' | 'add' | 'remove' | 'change' | 'wait';

interface PlanEntry {
  readonly mark: Mark;
  readonly what: string;
  readonly name: string;
  /** What belongs to it, below it. */
  readonly notes: readonly string[];
  readonly changes: readonly SettingChange[];
}

/** Everything that is not ASCII alone is measured by. */
export function textsOf(outcome: PlanOutcome): string[] {
  return entriesOf(outcome).flatMap(({ name, changes }) => [
    name,
    ...changes.map((change) => changeText(change, '->')),
  ]);
}

/** `isQuiet` leaves out the sentences around what would happen. */
export function planText(outcome: PlanOutcome, isQuiet: boolean, output: TerminalOutput): string {
  const { difference, file, ground } = outcome;
  const entries = entriesOf(outcome);
  const body = entries.flatMap((entry) => entryLines(entry, widthsOf(entries, output), output));
  if (isQuiet) return body.map((line) => `${line}\n`).join('');
  const title = `${cleanLine(basename(file))}, compared with ${groundText(ground)}:`;
  const heading = output.columns === null ? title : wrapCells(title, output.columns, output.cells).join('\n');
  if (isEmpty(difference)) {
    const same = `Nothing would change: ${counted(difference.unchanged, 'monitor')} as before.`;
    return `${heading}\n\n${output.paint.green(same)}\n`;
  }
  return `${[heading, '', ...body, '', ...summaryLines(outcome, output)].join('\n')}\n`;
}

function groundText(ground: ComparedWith): string {
  switch (ground.kind) {
    case 'file':
      return cleanLine(basename(ground.file));
    case 'daemon':
      return ground.pid === null
        ? `the configuration of the last daemon (from ${instantText(ground.sinceAt)}; none runs now)`
        : `what the daemon has run since ${instantText(ground.sinceAt)} (process ${ground.pid})`;
    case 'monitors':
      return 'the monitors of the last daemon (it did not record its settings)';
  }
}

/** In the order in which one wants to know: what ends, what begins, what changes, what has to wait. */
function entriesOf({ difference, impact, keptDays }: PlanOutcome): PlanEntry[] {
  const { started, stopped, restarted, channels, peers, outputs, settings, waiting } = difference;
  const bare = { notes: [], changes: [] };
  const undelivered = (count: number | undefined) =>
    count === undefined ? [] : [`${counted(count, 'message')} in the outbox will not be delivered`];
  return [
    ...stopped.map((name): PlanEntry => {
      const to = impact.renamedMonitors.get(name);
      if (to !== undefined) {
        const notes = [`recognised as ${to}: history, incident and messages are kept`];
        return { ...bare, mark: 'stop', what: 'stop', name, notes };
      }
      const incident = impact.open.get(name);
      const notes = [
        ...(incident === undefined
          ? []
          : [`its open incident ${incident} ends; channels that were alerted get one message`]),
        ...undelivered(impact.waitingOf.get(name)),
        ...(impact.known.has(name) ? [`its history is kept for ${keptDays} days`] : []),
      ];
      return { ...bare, mark: 'stop', what: 'stop', name, notes };
    }),
    ...started.map((name): PlanEntry => {
      const notes = impact.known.has(name) ? ['its existing history is kept'] : [];
      return { ...bare, mark: 'start', what: 'start', name, notes };
    }),
    ...restarted.map(
      ({ id: name, changes }): PlanEntry => ({ ...bare, mark: 'restart', what: 'restart', name, changes }),
    ),
    ...listed('channel', channels, (name) => channelNotes(name, impact)),
    ...listed('peer', peers, () => []),
    ...listed('output', outputs, () => []),
    ...settings.map(
      (change): PlanEntry => ({ ...bare, mark: 'change', what: 'set', name: change.key, changes: [change] }),
    ),
    ...waiting.map(
      (change): PlanEntry => ({ ...bare, mark: 'wait', what: 'wait', name: change.key, changes: [change] }),
    ),
  ];
}

/** What becomes of the messages for a channel that is removed or switched off. */
function channelNotes(name: string, { renamedChannels, waitingFor }: PlanOutcome['impact']): string[] {
  const to = renamedChannels.get(name);
  if (to !== undefined) return [`recognised as ${to}: its messages are kept`];
  const count = waitingFor.get(name);
  if (count === undefined) return [];
  return [
    `${counted(count, 'message')} ${count === 1 ? 'waits' : 'wait'} until it is back or the outage is over`,
  ];
}

function listed(
  what: string,
  entries: {
    readonly added: readonly string[];
    readonly removed: readonly string[];
    readonly changed: readonly Altered[];
  },
  losses: (name: string) => readonly string[],
): PlanEntry[] {
  return [
    ...entries.removed.map(
      (name): PlanEntry => ({ mark: 'remove', what, name, notes: losses(name), changes: [] }),
    ),
    ...entries.added.map((name): PlanEntry => ({ mark: 'add', what, name, notes: [], changes: [] })),
    ...entries.changed.map(
      ({ id: name, changes }): PlanEntry => ({
        mark: 'change',
        what,
        name,
        notes: changes.some(({ key, after }) => key === 'switched_off_by' && after !== null)
          ? losses(name)
          : [],
        changes,
      }),
    ),
  ];
}

interface Widths {
  readonly what: number;
  readonly key: number;
}

function widthsOf(entries: readonly PlanEntry[], { cells }: TerminalOutput): Widths {
  const widest = (texts: readonly string[]) => Math.max(0, ...texts.map((text) => cells.measure(text)));
  return {
    what: widest(entries.map(({ what }) => what)),
    key: widest(entries.flatMap((entry) => (isOwn(entry) ? [] : entry.changes.map(({ key }) => key)))),
  };
}

/** A setting on its own: its change is shown beside its name. */
const isOwn = ({ name, changes }: PlanEntry) => changes.length === 1 && changes[0]?.key === name;

const glyphOf: Readonly<Record<Mark, string>> = {
  start: '+',
  add: '+',
  stop: '-',
  remove: '-',
  restart: '~',
  change: '~',
  wait: '!',
};

function entryLines(entry: PlanEntry, widths: Widths, output: TerminalOutput): string[] {
  const { paint, cells, columns } = output;
  const meaning = paintOf(entry.mark, output);
  const what = padEnd(entry.what, widths.what, cells);
  const head = `${glyphOf[entry.mark]} ${what}  `;
  const indent = ' '.repeat(head.length);
  const arrow = output.glyphs.bar === unicodeGlyphs.bar ? '→' : '->';
  const fitted = (text: string, taken: number) =>
    cutCells(text, columns === null ? Infinity : Math.max(16, columns - taken), cells);
  const name = cleanLine(entry.name);
  if (isOwn(entry)) {
    const texts = entry.changes.map((change) => changeText(change, arrow)).join('');
    const taken = head.length + cells.measure(name) + 2;
    return [`${meaning(head)}${paint.bold(name)}  ${fitted(texts, taken)}`];
  }
  return [
    `${meaning(head)}${paint.bold(fitted(name, head.length))}`,
    ...entry.notes.map((note) => `${indent}${paint.yellow(note)}`),
    ...entry.changes.map((change) => {
      const key = padEnd(change.key, widths.key, cells);
      return `${indent}${paint.dim(key)}  ${fitted(changeText(change, arrow), indent.length + widths.key + 2)}`;
    }),
  ];
}

function paintOf(mark: Mark, { paint }: TerminalOutput): (text: string) => string {
  switch (mark) {
    case 'start':
    case 'add':
      return paint.green;
    case 'stop':
    case 'remove':
      return paint.red;
    case 'restart':
    case 'change':
      return paint.yellow;
    case 'wait':
      return paint.cyan;
  }
}

function summaryLines({ difference, ground }: PlanOutcome, { paint }: TerminalOutput): string[] {
  const { started, stopped, restarted, unchanged, waiting } = difference;
  const counts = [
    paint.red(`${stopped.length} to stop`),
    paint.green(`${started.length} to start`),
    paint.yellow(`${restarted.length} to restart`),
    `${unchanged} unchanged`,
  ].join(', ');
  const verb = waiting.length === 1 ? 'needs' : 'need';
  return [
    `Monitors: ${counts}.`,
    ...(waiting.length === 0
      ? []
      : [paint.cyan(`${counted(waiting.length, 'setting')} (!) ${verb} a restart of the daemon.`)]),
    ...(ground.kind === 'monitors' ? ['What changes within a monitor is not known.'] : []),
  ];
}
