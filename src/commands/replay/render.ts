/** Renders a comparison for the person in front of the terminal. */
import { durationText, minuteText } from '../../engine/core/duration.ts';
import type { Difference } from '../../engine/core/replay/compare.ts';
import type { Judged } from '../../engine/core/replay/tell.ts';
import { cleanLine } from '../../engine/core/text.ts';
import { wrapCells } from '../terminal/wrap.ts';
import type { Sheet } from '../terminal/sheet.ts';
import { tableLines, type Cell } from '../terminal/table.ts';
import { arrowOf } from '../tune/bars.ts';
import type { NotReplayed } from './not-replayed.ts';

export interface Comparison {
  readonly fromAt: number;
  readonly toAt: number;
  /** The names of the two files. */
  readonly files: { readonly now: string; readonly then: string };
  readonly samples: number;
  /** The monitors of both, in the order of the present configuration. */
  readonly monitors: readonly MonitorComparison[];
  readonly onlyNow: readonly string[];
  readonly onlyThen: readonly string[];
  readonly notReplayed: readonly NotReplayed[];
}

interface MonitorComparison {
  readonly id: string;
  readonly alerts: readonly Difference[];
}

/** So many alerts are listed in each part; JSON has them all. */
const longestList = 20;
const maxColumns = 110;
/** Changes of the delay below this are of no interest. */
const sameMs = 1000;

export function countOf(alerts: readonly Difference[], told: Difference['told']): number {
  return alerts.filter((each) => each.told === told).length;
}

export function comparisonText(
  comparison: Comparison,
  { isQuiet }: { readonly isQuiet: boolean },
  sheet: Sheet,
): string {
  const { files, monitors } = comparison;
  const lists = [
    listLines(`Told under ${cleanLine(files.now)} only:`, alertsOf(monitors, 'now'), sheet),
    listLines(`Told under ${cleanLine(files.then)} only:`, alertsOf(monitors, 'then'), sheet),
  ];
  const blocks = isQuiet
    ? lists
    : [headLines(comparison, sheet), tableOf(comparison, sheet), ...lists, tailLines(comparison, sheet)];
  const text = blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
  return text === '' ? '' : `${text}\n`;
}

interface Named extends Difference {
  readonly id: string;
}

function alertsOf(monitors: Comparison['monitors'], told: Difference['told']): Named[] {
  return monitors
    .flatMap(({ id, alerts }) => alerts.map((alert) => ({ id, ...alert })))
    .filter((alert) => alert.told === told)
    .sort((a, b) => startOf(b) - startOf(a));
}

function headLines({ fromAt, toAt, files, monitors }: Comparison, sheet: Sheet): string[] {
  const all = monitors.flatMap(({ alerts }) => alerts);
  const [both, now, then] = [countOf(all, 'both'), countOf(all, 'now'), countOf(all, 'then')];
  const span = `From ${minuteText(fromAt)} to ${minuteText(toAt)} UTC`;
  const sums =
    now + then === 0
      ? `both tell the same ${counted(both)}`
      : `${cleanLine(files.now)} tells ${counted(both + now)}, ${cleanLine(files.then)} ${both + then}; ${both === 1 ? 'one is' : `${both} are`} the same`;
  return prose(`${span} ${sums}.`, sheet);
}

/** A line for each monitor that differs. */
function tableOf({ monitors }: Comparison, sheet: Sheet): string[] {
  const { paint } = sheet;
  const differing = monitors.filter(({ alerts }) => isDifferent(alerts));
  if (differing.length === 0) return [];
  const columns = [
    { heading: 'MONITOR', least: 8 },
    { heading: 'NOW', isNumber: true },
    { heading: 'THEN', isNumber: true },
    { heading: 'BOTH', isNumber: true },
    { heading: 'ONLY NOW', isNumber: true },
    { heading: 'ONLY THEN', isNumber: true },
    { heading: 'TOLD AFTER' },
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
      { text: delayText(alerts, sheet), paint: paint.dim },
    ];
  });
  return tableLines({ columns, rows }, sheet);
}

function isDifferent(alerts: readonly Difference[]): boolean {
  return alerts.some(
    ({ told, now, then }) => told !== 'both' || Math.abs(delayOf(now) - delayOf(then)) > sameMs,
  );
}

/** The median delays of what both tell. */
function delayText(alerts: readonly Difference[], { glyphs }: Sheet): string {
  const both = alerts.filter(({ told }) => told === 'both');
  if (both.length === 0) return '';
  const now = durationText(medianOf(both.map((each) => delayOf(each.now))));
  const then = durationText(medianOf(both.map((each) => delayOf(each.then))));
  return now === then ? now : `${now} ${arrowOf(glyphs)} ${then}`;
}

function listLines(title: string, alerts: readonly Named[], sheet: Sheet): string[] {
  if (alerts.length === 0) return [];
  const { paint } = sheet;
  const columns = [
    { heading: 'MONITOR', least: 8 },
    { heading: 'EVENT' },
    { heading: 'STARTED (UTC)' },
    { heading: 'LASTED', isNumber: true },
    { heading: 'TOLD AFTER', isNumber: true },
    { heading: 'ON THE OTHER SIDE', least: 16 },
  ];
  const rows = alerts.slice(0, longestList).map((alert): Cell[] => {
    const [own, other] = alert.told === 'then' ? [alert.then, alert.now] : [alert.now, alert.then];
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
    ...tableLines({ columns, rows }, sheet),
    ...(more > 0 ? [`and ${more} more, which --json lists.`] : []),
  ];
}

function fateText(judged: Judged | null): string {
  if (judged === null) return 'not confirmed';
  switch (judged.fate.kind) {
    case 'told':
      return 'part of another alert';
    case 'flap':
      return 'over within the group window';
    case 'muted':
      return `muted by ${cleanLine(judged.fate.by)}`;
    case 'folded':
      return `folded into ${cleanLine(judged.fate.into)}`;
    case 'nobody_routed':
      return 'no channel hears of it';
    case 'degraded_not_told':
      return 'alert_on_degraded is off';
  }
}

function tailLines(comparison: Comparison, sheet: Sheet): string[] {
  const { files, monitors, onlyNow, onlyThen, notReplayed, samples } = comparison;
  const same = monitors.filter(({ alerts }) => !isDifferent(alerts)).length;
  const others = notReplayed.map(({ id, keys }) => `${cleanLine(id)} (${keys.join(', ')})`);
  return [
    ...(samples === 0 ? ['There is no history of these days.'] : []),
    ...(same > 0 && same < monitors.length
      ? [same === 1 ? 'One monitor is told the same.' : `${same} monitors are told the same.`]
      : []),
    ...(onlyNow.length > 0 ? [`Only in ${cleanLine(files.now)}: ${listed(onlyNow)}.`] : []),
    ...(onlyThen.length > 0 ? [`Only in ${cleanLine(files.then)}: ${listed(onlyThen)}.`] : []),
    ...(others.length > 0 ? [`Asked differently, which stored answers cannot tell: ${listed(others)}.`] : []),
    'Not replayed: storms, checks out of turn, other nodes, silences that are over.',
  ].flatMap((sentence) => prose(sentence, sheet));
}

function startOf({ told, now, then }: Difference): number {
  return (told === 'then' ? then : now)?.startedAt ?? 0;
}

function lengthText(judged: Judged | null): string {
  if (judged === null) return '';
  return judged.endedAt === null ? 'still open' : durationText(judged.endedAt - judged.startedAt);
}

/** From the first failed check to the message, in ms. */
function delayOf(judged: Judged | null): number {
  return judged?.fate.kind === 'told' ? judged.fate.at - judged.startedAt : 0;
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? 0;
}

function counted(count: number): string {
  return `${count} alert${count === 1 ? '' : 's'}`;
}

function listed(words: readonly string[]): string {
  const shown = words.slice(0, 10).map(cleanLine).join(', ');
  return words.length > 10 ? `${shown} and ${words.length - 10} more` : shown;
}

function prose(text: string, { columns, cells }: Sheet): string[] {
  return wrapCells(text, Math.min(columns ?? maxColumns, maxColumns), cells);
}
