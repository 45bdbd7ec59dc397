/** Prints what was imported of another program's history. */
import { cleanLine } from '../../../engine/core/text.ts';
import { type KeptOutages, type LeftOut, maxOutages } from './outages.ts';
import { type PastProgram, programName } from '../../../engine/core/past-uid.ts';
import { counted, inWords } from '../../../engine/core/words.ts';

export interface KeptPast {
  readonly id: string;
  /** Days that are on record now, of those that were found. */
  readonly days: number;
  readonly found: number;
  readonly outages: KeptOutages;
}

export interface HistoryReport {
  readonly program: PastProgram;
  readonly monitors: readonly KeptPast[];
  /** Names of monitors that the configuration does not have. */
  readonly unknown: readonly string[];
  /** What else the other program has on record, which has no place here. Absent: it is not looked for. */
  readonly others?: readonly OtherRecord[];
}

export interface OtherRecord {
  /** Its key in JSON. */
  readonly key: string;
  /** What one of them is called. */
  readonly noun: string;
  readonly count: number;
}

/** Keys are added here, never renamed. */
export function historyJson({ monitors, unknown, others }: HistoryReport) {
  return {
    days: sum(monitors, ({ days }) => days),
    incidents: sum(monitors, ({ outages }) => outages.kept),
    monitors: monitors.map(({ id, days, found, outages: { kept, leftOut } }) => ({
      id,
      days,
      found,
      incidents: kept,
      incidents_left_out: {
        on_record: leftOut.known,
        watched_here: leftOut.watched,
        unfinished: leftOut.unfinished,
        too_old: leftOut.tooOld,
        too_many: leftOut.tooMany,
        down_now: leftOut.waiting,
      },
    })),
    unknown,
    ...(others === undefined
      ? {}
      : { not_taken_over: Object.fromEntries(others.map(({ key, count }) => [key, count])) }),
  };
}

/** What was left out is always reported, but for what a run before brought in. */
export function historyText(report: HistoryReport, isQuiet: boolean): string {
  const { monitors, unknown, others = [] } = report;
  const missing =
    unknown.length === 0 ? [] : [`Not in the configuration: ${unknown.map(cleanLine).join(', ')}.`];
  const found = others.filter(({ count }) => count > 0).map(({ noun, count }) => counted(count, noun));
  const otherLines = found.length === 0 ? [] : [`Not taken over: ${inWords(found)}.`];
  const shown = isQuiet
    ? missing
    : [...keptLines(monitors), ...leftOutLines(report), ...otherLines, ...missing];
  return shown.map((line) => `${line}\n`).join('');
}

function keptLines(monitors: readonly KeptPast[]): string[] {
  const days = sum(monitors, (one) => one.days);
  const kept = sum(monitors, ({ outages }) => outages.kept);
  const owners = monitors.filter((one) => one.days > 0 || one.outages.kept > 0).length;
  const skipped = sum(monitors, ({ found }) => found) - days;
  return [
    `Brought in ${counted(days, 'day')} of uptime and ${counted(kept, 'incident')} of ${counted(owners, 'monitor')}.`,
    ...(skipped > 0
      ? [`${counted(skipped, 'day')} ${skipped === 1 ? 'was' : 'were'} on record already.`]
      : []),
  ];
}

/** One incident, then several. */
function reasonsOf(program: PastProgram): readonly (readonly [keyof LeftOut, string, string])[] {
  const unfinished = `not over when ${programName(program)} looked last`;
  return [
    ['known', 'was on record already', 'were on record already'],
    ['watched', 'ended when statusd was watching itself', 'ended when statusd was watching itself'],
    ['unfinished', `was ${unfinished}`, `were ${unfinished}`],
    ['tooOld', 'ended more than a year ago', 'ended more than a year ago'],
  ];
}

function leftOutLines({ monitors, program }: HistoryReport): string[] {
  const total = (key: keyof LeftOut) => sum(monitors, ({ outages }) => outages.leftOut[key]);
  const tooMany = total('tooMany');
  return [
    ...reasonsOf(program).flatMap(([key, one, several]) => {
      const number = total(key);
      return number === 0 ? [] : [`${counted(number, 'incident')} ${number === 1 ? one : several}.`];
    }),
    ...(tooMany === 0
      ? []
      : [
          `${counted(tooMany, 'older incident')} left out: the last ${maxOutages} of each monitor come over.`,
        ]),
    ...monitors.flatMap(({ id, outages: { leftOut } }) =>
      leftOut.waiting === 0
        ? []
        : [
            `${counted(leftOut.waiting, 'incident')} of ${id} left out: it is down now. Repeat the import when it is up.`,
          ],
    ),
  ];
}

function sum(monitors: readonly KeptPast[], of: (one: KeptPast) => number): number {
  return monitors.reduce((total, one) => total + of(one), 0);
}
