/** Summarises a week: one line about everything and one line a monitor. */
import { durationText } from '../core/duration.ts';
import { counted, numberText } from '../core/words.ts';
import { type ErrorBudget, errorBudget, type Slo, type StatusSecs } from '../core/slo.ts';
import { percentText } from './page-wording.ts';

export interface DigestMonitor {
  readonly name: string;
  /** Credited to it within the week. */
  readonly secs: StatusSecs;
  /** How much of the week it was under maintenance, which is not measured. */
  readonly maintainedSecs?: number;
  /** How many were open at some time of the week. */
  readonly incidents: number;
  /** One of them still is. */
  readonly isDown: boolean;
  /** It cannot be checked at the moment. */
  readonly isUnchecked?: boolean;
  /** The SLO, with the seconds of its own window; null: there is none. */
  readonly slo: (Slo & { readonly secs: StatusSecs; readonly maintainedSecs?: number }) | null;
}

/** How often something was decided within the week, a decision a channel. */
interface DecisionCount {
  readonly verdict: string;
  readonly reason: string;
  readonly count: number;
}

export interface DigestContents {
  readonly fromAt: number;
  readonly toAt: number;
  /** In the order of the configuration. */
  readonly monitors: readonly DigestMonitor[];
  readonly decisions: readonly DecisionCount[];
}

export interface DigestText {
  readonly summary: string;
  /** Those with trouble first: a channel cuts off what is too long for it. */
  readonly lines: readonly string[];
}

export function digestOf({ fromAt, toAt, monitors, decisions }: DigestContents): DigestText {
  const spanSecs = (toAt - fromAt) / 1000;
  const lines = monitors.map(
    (monitor): DigestLine => ({
      text: lineOf(monitor, spanSecs),
      hasTrouble:
        monitor.incidents > 0 ||
        monitor.isDown ||
        monitor.isUnchecked === true ||
        (leftSecs(monitor.slo) ?? 0) < 0,
    }),
  );
  const sentences = [stateOf(monitors), messagesOf(decisions)].filter((sentence) => sentence !== '');
  return {
    summary: sentences.join('. '),
    lines: bounded([
      ...lines.filter(({ hasTrouble }) => hasTrouble),
      ...lines.filter(({ hasTrouble }) => !hasTrouble),
    ]),
  };
}

interface DigestLine {
  readonly text: string;
  readonly hasTrouble: boolean;
}

/** In characters of JSON: a message that waits to be sent has to fit into a row. */
const maxLength = 80_000;

/** As many lines as there is room for, then how many are left out. */
function bounded(lines: readonly DigestLine[]): string[] {
  let length = 0;
  const fitting = lines.findIndex(({ text }) => {
    length += JSON.stringify(text).length + 1;
    return length > maxLength;
  });
  if (fitting === -1) return lines.map(({ text }) => text);
  const trouble = lines.slice(fitting).some(({ hasTrouble }) => hasTrouble) ? '' : ', all of them up';
  return [
    ...lines.slice(0, fitting).map(({ text }) => text),
    `${counted(lines.length - fitting, 'more monitor')}${trouble}`,
  ];
}

/** `12 monitors: 99.95% uptime, 3 incidents, 1 down now`. */
function stateOf(monitors: readonly DigestMonitor[]): string {
  if (monitors.length === 0) return 'No monitors';
  const incidents = monitors.reduce((sum, monitor) => sum + monitor.incidents, 0);
  const down = monitors.filter(({ isDown }) => isDown).length;
  const secs = monitors.reduce(
    (sum, monitor) => ({
      up: sum.up + monitor.secs.up,
      degraded: sum.degraded + monitor.secs.degraded,
      down: sum.down + monitor.secs.down,
      unknown: 0,
    }),
    { up: 0, degraded: 0, down: 0, unknown: 0 },
  );
  const unchecked = monitors.filter(({ isUnchecked }) => isUnchecked === true).length;
  const parts = [
    uptimeText(secs),
    incidentsText(incidents),
    ...(down === 0 ? [] : [`${numberText(down)} down now`]),
    ...(unchecked === 0 ? [] : [`${numberText(unchecked)} cannot be checked now`]),
  ];
  return `${counted(monitors.length, 'monitor')}: ${parts.join(', ')}`;
}

/** What of it is noise that was not sent. */
const suppressedWords = [
  ['flap', (count: number) => `${counted(count, 'flap')} absorbed`],
  ['folded', (count: number) => counted(count, 'folded into its cause', 'folded into their causes')],
  ['muted', (count: number) => `${numberText(count)} muted`],
] as const;

/** `12 alerts sent, 58 suppressed: 41 flaps absorbed, 17 folded into their causes`. */
function messagesOf(decisions: readonly DecisionCount[]): string {
  const countOf = (verdict: string, reason: string | null) =>
    decisions
      .filter((each) => each.verdict === verdict && (reason === null || each.reason === reason))
      .reduce((sum, { count }) => sum + count, 0);
  const sent = countOf('told', null);
  const spared = suppressedWords
    .map(([reason, words]) => ({ count: countOf('spared', reason), words }))
    .filter(({ count }) => count > 0);
  if (spared.length === 0) return sent === 0 ? '' : `${counted(sent, 'alert')} sent`;
  const total = spared.reduce((sum, { count }) => sum + count, 0);
  const kinds = spared.map(({ count, words }) => words(count)).join(', ');
  return `${counted(sent, 'alert')} sent, ${numberText(total)} suppressed: ${kinds}`;
}

/** `API: 99.98% uptime, 2 incidents, 31m of 43m 12s error budget left`. */
function lineOf(
  { name, secs, maintainedSecs = 0, incidents, isDown, isUnchecked, slo }: DigestMonitor,
  spanSecs: number,
): string {
  const parts = [
    uptimeText(secs),
    ...coverageText(secs, spanSecs - maintainedSecs),
    incidentsText(incidents),
    ...(isDown ? ['down now'] : []),
    ...(isUnchecked === true ? ['cannot be checked now'] : []),
    ...budgetText(slo),
  ];
  return `${name}: ${parts.join(', ')}`;
}

function knownSecs({ up, degraded, down }: StatusSecs): number {
  return up + degraded + down;
}

/** Cut after two decimals and never rounded up. */
function uptimeText(secs: StatusSecs): string {
  const known = knownSecs(secs);
  if (known === 0) return 'no data';
  return `${percentText(Math.floor(((known - secs.down) * 10_000) / known))} uptime`;
}

/** Said only where much of the week was not seen; time under maintenance is no part of it. */
function coverageText(secs: StatusSecs, spanSecs: number): string[] {
  const known = knownSecs(secs);
  const hundredths = Math.floor((known * 10_000) / spanSecs);
  if (known === 0 || hundredths >= 9900) return [];
  return [`seen ${hundredths === 0 ? 'under 0.01%' : percentText(hundredths)} of the time`];
}

function incidentsText(count: number): string {
  return count === 0 ? 'no incidents' : counted(count, 'incident');
}

function budgetOf(slo: NonNullable<DigestMonitor['slo']>): ErrorBudget {
  return errorBudget(slo, slo.secs, slo.maintainedSecs);
}

/** Whole seconds, cut: what is left of the budget is never shown larger than it is. */
function leftSecs(slo: DigestMonitor['slo']): number | null {
  return slo === null ? null : Math.floor(budgetOf(slo).leftMinutes * 60 + 1e-6);
}

function budgetText(slo: DigestMonitor['slo']): string[] {
  const left = leftSecs(slo);
  if (slo === null || left === null) return [];
  const total = durationText(budgetOf(slo).totalMinutes * 60_000);
  if (left < 0) return [`error budget of ${total} overspent by ${durationText(-left * 1000)}`];
  return [`${durationText(left * 1000)} of ${total} error budget left`];
}
