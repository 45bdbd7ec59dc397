/** Renders a comparison for a terminal. */
import { durationText } from '../../engine/core/duration.ts';
import { minuteText } from '../../engine/core/instant.ts';
import { counted } from '../../engine/core/words.ts';
import type { AlertDifference } from '../../engine/alerting/replay/compare.ts';
import type { JudgedEpisode } from '../../engine/alerting/replay/judge-episodes.ts';
import { cleanLine } from '../../engine/core/text.ts';
import { mostProseCells, proseLines } from '../../engine/views/text/cells.ts';
import { type Cell, tableLines } from '../../engine/views/text/table.ts';
import type { Rename } from '../../engine/monitoring/renames.ts';
import type { TerminalOutput } from '../terminal/output.ts';
import { arrowOf } from '../tune/figures.ts';
import type { NotReplayed } from './sides.ts';

export interface Comparison {
  readonly fromAt: number;
  readonly toAt: number;
  /** The names of the two files. */
  readonly files: { readonly now: string; readonly then: string };
  readonly samples: number;
  /** The monitors of both, in the order of the present configuration. */
  readonly monitors: readonly MonitorComparison[];
  /** The monitors of both that the other configuration gives another id. */
  readonly renames: readonly Rename[];
  readonly onlyNow: readonly string[];
  readonly onlyThen: readonly string[];
  readonly notReplayed: readonly NotReplayed[];
}

interface MonitorComparison {
  readonly id: string;
  readonly alerts: readonly AlertDifference[];
}

/** How many alerts are listed in each part; JSON has them all. */
const longestList = 20;
/** Changes of the delay below this are of no interest. */
const sameMs = 1000;

export function countOf(alerts: readonly AlertDifference[], notified: AlertDifference['notified']): number {
  return alerts.filter((each) => each.notified === notified).length;
}

export function comparisonText(
  comparison: Comparison,
  { isQuiet }: { readonly isQuiet: boolean },
  output: TerminalOutput,
): string {
  const { files, monitors } = comparison;
  const lists = [
    listLines(`Sent under ${cleanLine(files.now)} only:`, alertsOf(monitors, 'now'), output),
    listLines(`Sent under ${cleanLine(files.then)} only:`, alertsOf(monitors, 'then'), output),
  ];
  const blocks = isQuiet
    ? lists
    : [headLines(comparison, output), tableOf(comparison, output), ...lists, tailLines(comparison, output)];
  const text = blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
  return text === '' ? '' : `${text}\n`;
}

interface NamedDifference extends AlertDifference {
  readonly id: string;
}

function alertsOf(
  monitors: Comparison['monitors'],
  notified: AlertDifference['notified'],
): NamedDifference[] {
  return monitors
    .flatMap(({ id, alerts }) => alerts.map((alert) => ({ id, ...alert })))
    .filter((alert) => alert.notified === notified)
    .sort((a, b) => startOf(b) - startOf(a));
}

function headLines({ fromAt, toAt, files, monitors }: Comparison, output: TerminalOutput): string[] {
  const all = monitors.flatMap(({ alerts }) => alerts);
  const [both, now, then] = [countOf(all, 'both'), countOf(all, 'now'), countOf(all, 'then')];
  const span = `From ${minuteText(fromAt)} to ${minuteText(toAt)} UTC`;
  const sums =
    now + then === 0
      ? `both send the same ${alertsText(both)}`
      : `${cleanLine(files.now)} sends ${alertsText(both + now)}, ${cleanLine(files.then)} ${both + then}; ${both === 1 ? 'one is' : `${both} are`} the same`;
  const [ours, theirs] = [followedBy(all, 'now'), followedBy(all, 'then')];
  const follow =
    ours === '' && theirs === ''
      ? ''
      : ours === theirs
        ? ` Both follow them with ${ours}.`
        : ` ${cleanLine(files.now)} follows them with ${ours === '' ? 'nothing' : ours}, ${cleanLine(files.then)} with ${theirs === '' ? 'nothing' : theirs}.`;
  const held = (['now', 'then'] as const).map((side) => heldText(files[side], all, side)).join('');
  return prose(`${span} ${sums}.${follow}${held}`, output);
}

/** `3 steps of an escalation and 12 reminders`; empty: neither. */
function followedBy(alerts: readonly AlertDifference[], side: 'now' | 'then'): string {
  const all = alerts.flatMap((alert) => alert[side] ?? []);
  const steps = all.reduce((sum, each) => sum + stepsOf(each), 0);
  const reminders = all.reduce((sum, each) => sum + each.reminders, 0);
  return [
    ...(steps > 0 ? [counted(steps, 'message of an escalation', 'messages of an escalation')] : []),
    ...(reminders > 0 ? [counted(reminders, 'reminder')] : []),
  ].join(' and ');
}

/** ` other.toml holds 3 messages back in quiet hours, for up to 6h.`; empty: none. */
function heldText(file: string, alerts: readonly AlertDifference[], side: 'now' | 'then'): string {
  const spans = alerts
    .flatMap((alert) => alert[side]?.calls ?? [])
    .flatMap(({ heldMs }) => (heldMs > 0 ? [heldMs] : []));
  if (spans.length === 0) return '';
  const longest = durationText(Math.max(...spans));
  return ` ${cleanLine(file)} holds ${counted(spans.length, 'message')} back in quiet hours, for up to ${longest}.`;
}

function stepsOf(judged: JudgedEpisode | null): number {
  return judged?.calls.filter(({ step }) => step > 0).length ?? 0;
}

/** A line for each monitor that differs. */
function tableOf({ monitors }: Comparison, output: TerminalOutput): string[] {
  const { paint } = output;
  const differing = monitors.filter(({ alerts }) => isDifferent(alerts));
  if (differing.length === 0) return [];
  const columns = [
    { heading: 'MONITOR', least: 8 },
    { heading: 'NOW', isNumber: true },
    { heading: 'THEN', isNumber: true },
    { heading: 'BOTH', isNumber: true },
    { heading: 'ONLY NOW', isNumber: true },
    { heading: 'ONLY THEN', isNumber: true },
    { heading: 'NOTIFIED AFTER' },
  ];
  const rows = differing.map(({ id, alerts }): Cell[] => {
    const [both, now, then] = [countOf(alerts, 'both'), countOf(alerts, 'now'), countOf(alerts, 'then')];
    return [
      { text: cleanLine(id), paint: paint.bold },
      { text: String(both + now) },
      { text: String(both + then) },
      { text: String(both) },
      { text: now === 0 ? '' : String(now), paint: paint.green },
      { text: then === 0 ? '' : String(then), paint: paint.yellow },
      { text: delayText(alerts, output), paint: paint.dim },
    ];
  });
  return tableLines({ columns, rows }, output);
}

function isDifferent(alerts: readonly AlertDifference[]): boolean {
  return alerts.some(
    ({ notified, now, then }) =>
      notified !== 'both' ||
      Math.abs(delayOf(now) - delayOf(then)) > sameMs ||
      stepsOf(now) !== stepsOf(then) ||
      now?.reminders !== then?.reminders,
  );
}

/** The median delays of what both send. */
function delayText(alerts: readonly AlertDifference[], { glyphs }: TerminalOutput): string {
  const both = alerts.filter(({ notified }) => notified === 'both');
  if (both.length === 0) return '';
  const now = durationText(medianOf(both.map((each) => delayOf(each.now))));
  const then = durationText(medianOf(both.map((each) => delayOf(each.then))));
  return now === then ? now : `${now} ${arrowOf(glyphs)} ${then}`;
}

function listLines(title: string, alerts: readonly NamedDifference[], output: TerminalOutput): string[] {
  if (alerts.length === 0) return [];
  const { paint } = output;
  const columns = [
    { heading: 'MONITOR', least: 8 },
    { heading: 'EVENT' },
    { heading: 'STARTED (UTC)' },
    { heading: 'LASTED', isNumber: true },
    { heading: 'NOTIFIED AFTER', isNumber: true },
    { heading: 'ON THE OTHER SIDE', least: 16 },
  ];
  const rows = alerts.slice(0, longestList).map((alert): Cell[] => {
    const [own, other] = alert.notified === 'then' ? [alert.then, alert.now] : [alert.now, alert.then];
    return [
      { text: cleanLine(alert.id), paint: paint.bold },
      { text: own?.event ?? '' },
      { text: own === null ? '' : minuteText(own.startedAt) },
      { text: lengthText(own) },
      { text: durationText(delayOf(own)) },
      { text: fateText(other), paint: paint.dim },
    ];
  });
  const more = alerts.length - longestList;
  return [
    title,
    ...tableLines({ columns, rows }, output),
    ...(more > 0 ? [`and ${more} more, which --json lists.`] : []),
  ];
}

function fateText(judgedEpisode: JudgedEpisode | null): string {
  if (judgedEpisode === null) return 'not confirmed';
  switch (judgedEpisode.fate.kind) {
    case 'told':
      return 'part of another alert';
    case 'flap':
      return 'over within the group window';
    case 'muted':
      return `muted by ${cleanLine(judgedEpisode.fate.by)}`;
    case 'folded':
      return `folded into ${cleanLine(judgedEpisode.fate.into)}`;
    case 'quiet_hours':
      return 'over within quiet hours';
    case 'nobody_routed':
      return 'no channel is notified';
    case 'degraded_not_told':
      return 'alert_on_degraded is off';
  }
}

function tailLines(comparison: Comparison, output: TerminalOutput): string[] {
  const { files, monitors, renames, onlyNow, onlyThen, notReplayed, samples } = comparison;
  const renamed = renames.map(({ from, to }) => `${from} (${to})`);
  const same = monitors.filter(({ alerts }) => !isDifferent(alerts)).length;
  const others = notReplayed.map(({ id, keys }) => `${cleanLine(id)} (${keys.join(', ')})`);
  return [
    ...(samples === 0 ? ['There is no history of these days.'] : []),
    ...(same > 0 && same < monitors.length
      ? [same === 1 ? 'One monitor alerts the same.' : `${same} monitors alert the same.`]
      : []),
    ...(renamed.length > 0 ? [`Under another id in ${cleanLine(files.then)}: ${listed(renamed)}.`] : []),
    ...(onlyNow.length > 0 ? [`Only in ${cleanLine(files.now)}: ${listed(onlyNow)}.`] : []),
    ...(onlyThen.length > 0 ? [`Only in ${cleanLine(files.then)}: ${listed(onlyThen)}.`] : []),
    ...(others.length > 0 ? [`Asked differently, which stored answers cannot show: ${listed(others)}.`] : []),
    'Not replayed: storms, checks out of turn, other nodes, silences that are over.',
  ].flatMap((sentence) => prose(sentence, output));
}

function startOf({ notified, now, then }: AlertDifference): number {
  return (notified === 'then' ? then : now)?.startedAt ?? 0;
}

function lengthText(judgedEpisode: JudgedEpisode | null): string {
  if (judgedEpisode === null) return '';
  return judgedEpisode.endedAt === null
    ? 'still open'
    : durationText(judgedEpisode.endedAt - judgedEpisode.startedAt);
}

/** From the first failed check to the message, in ms. */
function delayOf(judgedEpisode: JudgedEpisode | null): number {
  return judgedEpisode?.fate.kind === 'told' ? judgedEpisode.fate.at - judgedEpisode.startedAt : 0;
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? 0;
}

/** Alerts of producers and warnings are not replayed, so these are fewer than the alerts sent of a digest. */
function alertsText(count: number): string {
  return counted(count, 'outage alert');
}

function listed(words: readonly string[]): string {
  const shown = words.slice(0, 10).map(cleanLine).join(', ');
  return words.length > 10 ? `${shown} and ${words.length - 10} more` : shown;
}

function prose(text: string, { columns, cells }: TerminalOutput): string[] {
  return proseLines(text, '', { cells, columns: columns ?? mostProseCells });
}
