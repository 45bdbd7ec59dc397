/** Renders the figures behind a recommendation: each threshold tried, and the durations of failures and answers. */
import { durationText } from '../../engine/core/duration.ts';
import type { MonitorTuning } from '../../engine/views/tune/tuning.ts';
import { wrapCells } from '../../engine/views/text/cells.ts';
import { type Cell, tableLines } from '../../engine/views/text/table.ts';
import type { TerminalOutput } from '../terminal/output.ts';
import { type Glyphs, asciiGlyphs } from '../terminal/glyphs.ts';
import { counted } from '../../engine/core/words.ts';

const barCells = 30;

/** Each block begins with an empty line. */
export function figureLines(tuning: MonitorTuning, output: TerminalOutput): string[] {
  if (tuning.samples === 0) return ['', 'No sample of these days is stored.'];
  return [
    ...(tuning.isPush || tuning.failures.length === 0 ? [] : ['', ...trialLines(tuning, output)]),
    ...runLines(tuning, output),
    ...limitLines(tuning, output),
    ...latencyLines(tuning, output),
  ];
}

function trialLines({ trials, threshold, outages }: MonitorTuning, output: TerminalOutput): string[] {
  const { paint } = output;
  const columns = [
    { heading: '' },
    { heading: 'FAIL_THRESHOLD', isNumber: true },
    { heading: 'ALERTS', isNumber: true },
    { heading: 'FLAPS', isNumber: true },
    { heading: 'OUTAGES NOTIFIED', isNumber: true },
    { heading: 'AFTER', isNumber: true },
    { heading: 'AT MOST', isNumber: true },
  ];
  const rows = trials.map((trial): Cell[] => {
    const isNow = trial.threshold === threshold.now;
    const isThen = trial.threshold === threshold.then;
    const own = isThen && !isNow ? paint.yellow : isNow ? paint.bold : paint.dim;
    const kept = outages === 0 ? '' : `${trial.kept} of ${outages}`;
    const words = [
      isNow ? 'now' : isThen ? 'then' : '',
      String(trial.threshold),
      String(trial.alerts),
      String(trial.flaps),
      kept,
      trial.medianMs === null ? '' : durationText(trial.medianMs),
      trial.worstMs === null ? '' : durationText(trial.worstMs),
    ];
    return words.map((text, index) => ({
      text,
      paint: index === 4 && trial.kept < outages ? paint.red : own,
    }));
  });
  return tableLines({ columns, rows }, output);
}

function runLines({ runs, failures, outages }: MonitorTuning, output: TerminalOutput): string[] {
  if (runs.length === 0) return ['', 'No check failed.'];
  const { paint, glyphs } = output;
  const most = Math.max(...runs.map(({ count }) => count));
  const rows = runs.map(({ from, to, count, outages: real }): Cell[] => [
    { text: from === to ? String(from) : to === null ? `${from} and more` : `${from} to ${to}` },
    { text: count === 0 ? '' : String(count) },
    { text: barOf(count / most, barCells, glyphs), paint: real === count ? paint.red : paint.yellow },
    {
      text: real === 0 ? '' : real === count ? (real === 1 ? 'outage' : 'outages') : counted(real, 'outage'),
      paint: paint.dim,
    },
  ]);
  const columns = [
    { heading: 'CHECKS', isNumber: true },
    { heading: 'TIMES', isNumber: true },
    { heading: '' },
    { heading: '' },
  ];
  return ['', failedText(failures.length, outages), ...tableLines({ columns, rows }, output)];
}

function failedText(times: number, outages: number): string {
  if (times === 1) return `It failed once, ${outages === 1 ? 'a' : 'no'} real outage:`;
  return `It failed ${times} times, ${outages === 0 ? 'none' : outages} of them ${outages === 1 ? 'a real outage' : 'real outages'}:`;
}

function limitLines({ limit }: MonitorTuning, output: TerminalOutput): string[] {
  if (limit.trials.length === 0) return [];
  const { paint } = output;
  const columns = [
    { heading: '' },
    { heading: 'DEGRADED_OVER_MS', isNumber: true },
    { heading: 'SLOW ANSWERS', isNumber: true },
    { heading: 'SPELLS', isNumber: true },
    { heading: 'DEGRADED FOR', isNumber: true },
  ];
  const rows = limit.trials.map(({ limitMs, slow, spells, spellMs }): Cell[] => {
    const isNow = limitMs === limit.nowMs;
    const isThen = limitMs === limit.thenMs;
    const own = isThen && !isNow ? paint.yellow : isNow ? paint.bold : paint.dim;
    const words = [
      isNow ? 'now' : isThen ? 'then' : '',
      String(limitMs),
      String(slow),
      String(spells),
      durationText(spellMs),
    ];
    return words.map((text) => ({ text, paint: own }));
  });
  return ['', ...tableLines({ columns, rows }, output)];
}

function latencyLines({ latency, latencyBuckets, limit }: MonitorTuning, output: TerminalOutput): string[] {
  if (latency === null) return [];
  const { paint, glyphs } = output;
  const most = Math.max(...latencyBuckets.map(({ count }) => count));
  const limitMs = limit.thenMs ?? Infinity;
  const rows = latencyBuckets.map(({ overMs, toMs, count }): Cell[] => [
    { text: `${overMs} to ${toMs} ms` },
    { text: count === 0 ? '' : String(count) },
    {
      text: barOf(count / most, barCells, glyphs),
      paint: overMs >= limitMs ? paint.yellow : paint.green,
    },
  ]);
  const { p50Ms, p95Ms, p99Ms, p995Ms, maxMs } = latency;
  const said = `Half of its answers took at most ${p50Ms} ms, 95 % ${p95Ms}, 99 % ${p99Ms}, 99.5 % ${p995Ms}, all ${maxMs}:`;
  const columns = [
    { heading: 'TOOK', isNumber: true },
    { heading: 'ANSWERS', isNumber: true },
    { heading: '' },
  ];
  return [
    '',
    ...wrapCells(said, output.columns ?? Infinity, output.cells),
    ...tableLines({ columns, rows }, output),
  ];
}

const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'] as const;

/** A bar of `share` (0 to 1) of `width` cells; what is more than nothing is never drawn as nothing. */
export function barOf(share: number, width: number, glyphs: Glyphs): string {
  if (share <= 0) return '';
  if (isAscii(glyphs)) return '#'.repeat(Math.max(1, Math.round(share * width)));
  const parts = Math.max(1, Math.round(share * width * 8));
  return '█'.repeat(Math.floor(parts / 8)) + (eighths[parts % 8] ?? '');
}

export function arrowOf(glyphs: Glyphs): string {
  return isAscii(glyphs) ? '->' : '→';
}

function isAscii(glyphs: Glyphs): boolean {
  return glyphs.ellipsis === asciiGlyphs.ellipsis;
}
