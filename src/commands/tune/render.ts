/** Renders recommendations for a terminal: all monitors, or one with its figures. */
import { durationText } from '../../engine/core/duration.ts';
import { cleanLine } from '../../engine/core/text.ts';
import type { MonitorTuning } from '../../engine/views/tune/tuning.ts';
import { limitWhy, thresholdWhy } from '../../engine/views/tune/words.ts';
import { arrowOf, figureLines } from './figures.ts';
import type { TerminalOutput } from '../terminal/output.ts';
import { minuteText } from '../../engine/core/instant.ts';
import { counted } from '../../engine/core/words.ts';
import { proseLines, mostProseCells } from '../../engine/views/text/cells.ts';
import { tableLines, type Cell } from '../../engine/views/text/table.ts';

export interface Findings {
  readonly fromAt: number;
  readonly toAt: number;
  readonly days: number;
  readonly tunings: readonly MonitorTuning[];
}

/** A setting that should have another value. */
export interface TuneChange {
  readonly id: string;
  readonly key: 'fail_threshold' | 'degraded_over_ms';
  /** Null: none. */
  readonly now: number | null;
  readonly then: number;
  readonly why: string;
  readonly tuning: MonitorTuning;
}

/** From this width on, a change is one line. */
const wideColumns = 160;
const indent = '    ';

export function changesOf(tunings: readonly MonitorTuning[]): TuneChange[] {
  return tunings.flatMap((tuning): TuneChange[] => {
    const { id, threshold, limit } = tuning;
    return [
      ...(threshold.then === threshold.now
        ? []
        : [
            {
              id,
              key: 'fail_threshold' as const,
              now: threshold.now,
              then: threshold.then,
              why: thresholdWhy(tuning),
              tuning,
            },
          ]),
      ...(limit.thenMs === null || limit.thenMs === limit.nowMs
        ? []
        : [
            {
              id,
              key: 'degraded_over_ms' as const,
              now: limit.nowMs,
              then: limit.thenMs,
              why: limitWhy(tuning),
              tuning,
            },
          ]),
    ];
  });
}

export function summaryText(
  findings: Findings,
  { isQuiet }: { readonly isQuiet: boolean },
  output: TerminalOutput,
): string {
  const changes = changesOf(findings.tunings);
  const table = changes.length === 0 ? [] : changeLines(changes, output);
  if (isQuiet) return table.map((line) => `${line}\n`).join('');
  const blocks = [
    [
      ...sentenceLines(verdictText(findings, changes), output, '').map(output.paint.bold),
      ...sentenceLines(replayedText(findings), output, ''),
    ],
    table,
    restLines(findings, changes, output),
  ];
  return `${blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

/** The sum: how many settings, and the alerts of all monitors with them. */
function verdictText({ tunings }: Findings, changes: readonly TuneChange[]): string {
  if (tunings.length === 0) return 'The configuration has no monitors.';
  if (changes.length === 0)
    return tunings.some(({ isEnough }) => isEnough)
      ? 'Nothing should be set differently.'
      : 'There is too little history to recommend anything.';
  const sum = (count: (tuning: MonitorTuning) => number) =>
    tunings.reduce((total, tuning) => total + count(tuning), 0);
  const [alerts, then] = [sum(({ now }) => now.alerts), sum(({ then: after }) => after.alerts)];
  const [outages, kept] = [sum((tuning) => tuning.outages), sum(({ then: after }) => after.kept)];
  const instead =
    alerts === then
      ? `${counted(then, 'alert')} as before`
      : `${counted(then, 'alert')} instead of ${alerts}`;
  const real = outages === 0 ? '' : `, ${kept} of ${counted(outages, 'real outage')} notified`;
  return `${counted(changes.length, 'setting')} should change: ${instead}${real}.`;
}

/** One monitor, with the figures behind the recommendation. */
export function detailText(tuning: MonitorTuning, findings: Findings, output: TerminalOutput): string {
  const { paint } = output;
  const { limit } = tuning;
  const settings = [
    settingCells({ key: 'fail_threshold', ...tuning.threshold }, output),
    settingCells({ key: 'degraded_over_ms', now: limit.nowMs, then: limit.thenMs }, output),
  ];
  const table = {
    columns: [
      { heading: 'SETTING' },
      { heading: 'NOW', isNumber: true },
      { heading: 'THEN', isNumber: true },
    ],
    rows: settings,
  };
  const [heading = '', ...rows] = tableLines(table, output);
  const whys = [thresholdWhy(tuning), limitWhy(tuning)];
  const lines = [
    paint.bold(cleanLine(tuning.id)),
    ...sentenceLines(replayedText({ ...findings, tunings: [tuning] }), output, ''),
    '',
    heading,
    ...rows.flatMap((row, index) => [row, ...sentenceLines(whys[index] ?? '', output).map(paint.dim)]),
    ...figureLines(tuning, output),
    ...noteLines(tuning, output),
  ];
  return `${lines.join('\n')}\n`;
}

function replayedText({ fromAt, toAt, days, tunings }: Findings): string {
  const samples = tunings.reduce((sum, tuning) => sum + tuning.samples, 0);
  const what = tunings.length === 1 ? '' : ` of ${tunings.length} monitors`;
  const when = `from ${minuteText(fromAt)} to ${minuteText(toAt)} UTC`;
  const span = days === 1 ? 'One day' : `${days} days`;
  return `${span}${what}: ${counted(samples, 'sample')}, ${when}.`;
}

function changeLines(changes: readonly TuneChange[], output: TerminalOutput): string[] {
  const isWide = output.columns === null || output.columns >= wideColumns;
  const columns = [
    { heading: 'MONITOR', least: 8 },
    { heading: 'SETTING' },
    { heading: 'NOW', isNumber: true },
    { heading: 'THEN', isNumber: true },
    ...(isWide
      ? [
          { heading: 'IT WOULD MEAN', least: 20 },
          { heading: 'WHY', least: 20 },
        ]
      : []),
  ];
  const rows = changes.map((change) => [
    { text: cleanLine(change.id), paint: output.paint.bold },
    ...settingCells(change, output),
    ...(isWide ? [{ text: effectText(change, output) }, { text: change.why, paint: output.paint.dim }] : []),
  ]);
  const [heading = '', ...lines] = tableLines({ columns, rows }, output);
  if (isWide) return [heading, ...lines];
  return [
    heading,
    ...lines.flatMap((line, index) => {
      const change = changes[index];
      if (change === undefined) return [line];
      const effect = `It would mean ${effectText(change, output)}.`;
      return [
        line,
        ...sentenceLines(effect, output),
        ...sentenceLines(change.why, output).map(output.paint.dim),
      ];
    }),
  ];
}

function settingCells(
  { key, now, then }: { readonly key: string; readonly now: number | null; readonly then: number | null },
  { paint, glyphs }: TerminalOutput,
): Cell[] {
  const isChanged = then !== null && then !== now;
  return [
    { text: key },
    { text: now === null ? glyphs.none : String(now), paint: isChanged ? paint.dim : paint.green },
    { text: isChanged ? String(then) : '', paint: paint.yellow },
  ];
}

/** What the change would have meant in these days. */
function effectText({ key, tuning, then }: TuneChange, output: TerminalOutput): string {
  if (key === 'degraded_over_ms') {
    const trial = tuning.limit.trials.find(({ limitMs }) => limitMs === then);
    const spells = trial?.spells ?? 0;
    if (spells === 0) return 'no degraded spell';
    return `${counted(spells, 'degraded spell')}, ${durationText(trial?.spellMs ?? 0)} in all`;
  }
  const { now, then: after, outages } = tuning;
  const arrow = arrowOf(output.glyphs);
  const from = (before: string, later: string) => (before === later ? later : `${before} ${arrow} ${later}`);
  const alerts = `${from(String(now.alerts), String(after.alerts))} alert${after.alerts === 1 ? '' : 's'}`;
  if (outages === 0) return alerts;
  const kept = `${from(String(now.kept), String(after.kept))} of ${counted(outages, 'outage')}`;
  return `${alerts}, ${kept}, notified after ${from(lateText(now.medianMs), lateText(after.medianMs))}`;
}

/** What stays, and what else the command can do. */
function restLines({ tunings }: Findings, changes: readonly TuneChange[], output: TerminalOutput): string[] {
  const changed = new Set(changes.map(({ id }) => id));
  const rest = tunings.filter(({ id }) => !changed.has(id));
  const poor = rest.filter(({ isEnough }) => !isEnough).map(({ id }) => cleanLine(id));
  const well = rest.length - poor.length;
  const stays = well === 1 ? 'One stays as it is.' : `${well} stay as they are.`;
  const sentences = [
    ...(well > 0 && changes.length > 0 ? [stays] : []),
    ...(poor.length > 0 ? [`Too little history (six days at least): ${listed(poor)}.`] : []),
    ...(changes.length > 0
      ? ['The figures behind it: statusd tune ID', 'As a patch of the configuration: statusd tune --write']
      : []),
  ];
  return sentences.flatMap((sentence) => sentenceLines(sentence, output, ''));
}

function noteLines({ notes }: MonitorTuning, output: TerminalOutput): string[] {
  if (notes.length === 0) return [];
  return [
    '',
    ...notes.flatMap((note) => {
      const [first = '', ...more] = sentenceLines(note, output, '  ');
      return [`${output.glyphs.dot} ${first.trimStart()}`, ...more];
    }),
  ];
}

function sentenceLines(text: string, { columns, cells }: TerminalOutput, margin = indent): string[] {
  return proseLines(cleanLine(text), margin, { cells, columns: columns ?? mostProseCells });
}

function listed(ids: readonly string[]): string {
  const shown = ids.slice(0, 8).join(', ');
  return ids.length > 8 ? `${shown} and ${ids.length - 8} more` : shown;
}

function lateText(ms: number | null): string {
  return ms === null ? 'never' : durationText(ms);
}
