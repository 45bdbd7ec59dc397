/** Writes a run to the terminal: results to stdout, messages to stderr. */
import { counted } from '../../engine/core/words.ts';
import type { Writable } from 'node:stream';
import { cleanLine } from '../../engine/core/text.ts';
import type { Context } from '../context.ts';
import { isColourWanted, paintWith } from '../terminal/colour.ts';
import { glyphsFor } from '../terminal/glyphs.ts';
import { rendererOf } from './formats.ts';
import type { CheckOptions } from './options.ts';
import { noProgress, type Progress, showProgress } from './progress.ts';
import {
  type CheckedMonitor,
  type CheckReport,
  type CheckView,
  type ConfigProblem,
  type ConfigVerdict,
  placeOf,
  sentenceOf,
} from './report.ts';
import type { Cells } from '../../engine/views/text/cells.ts';
import { measureFor } from '../terminal/output.ts';

export interface Output {
  /** A line on stderr that shows how far the run has come, where it can be seen. */
  readonly progress: (names: readonly string[]) => Promise<Progress>;
  /** Prints a result as it comes; null in the formats that wait for all of them. */
  readonly result: ((result: CheckedMonitor) => void) | null;
  readonly report: (report: CheckReport) => Promise<void>;
  readonly config: (verdict: ConfigVerdict) => Promise<void>;
  readonly warnings: (warnings: readonly ConfigProblem[]) => void;
}

export async function openOutput(options: CheckOptions, context: Context): Promise<Output> {
  const { format, isQuiet, isColourRefused: isRefused } = options;
  const { stdout, stderr, env, clock } = context;
  const renderer = await rendererOf(format);
  const { result: line } = renderer;
  const glyphs = glyphsFor(env);
  const paintFor = (stream: Writable) => paintWith(isColourWanted({ isRefused, isTty: isTty(stream), env }));
  const cellsFor = async (texts: Iterable<string>): Promise<Cells> => ({
    measure: await measureFor(texts),
    ellipsis: glyphs.ellipsis,
  });
  const viewFor = async (stream: Writable, texts: Iterable<string>): Promise<CheckView> => ({
    paint: paintFor(stream),
    glyphs,
    cells: await cellsFor(texts),
    columns: isTty(stream) ? columnsOf(stream) : null,
    isQuiet,
  });
  const isProgressSeen =
    isTty(stderr) && env['TERM'] !== 'dumb' && !isQuiet && (format === 'human' || !isTty(stdout));
  return {
    progress: async (names) => {
      if (!isProgressSeen) return noProgress;
      const target = {
        clock,
        write: (text: string) => stderr.write(text),
        columns: () => columnsOf(stderr),
      };
      return showProgress(names.length, target, {
        paint: paintFor(stderr),
        glyphs,
        cells: await cellsFor(names.map(cleanLine)),
      });
    },
    result:
      line === undefined
        ? null
        : (result) => {
            stdout.write(line(result));
          },
    report: async (report) => {
      stdout.write(renderer.report(report, await viewFor(stdout, format === 'human' ? textsOf(report) : [])));
      const notNotified = report.results.filter(({ status }) => status === 'unknown');
      if (notNotified.length > 0 && !report.failing.includes('unknown'))
        stderr.write(unknownLine(notNotified));
    },
    config: async (verdict) => {
      // Problems for people are messages; for programs they are the result.
      const stream = format === 'human' && verdict.problems.length > 0 ? stderr : stdout;
      stream.write(renderer.config(verdict, await viewFor(stream, [])));
    },
    warnings: (warnings) => {
      if (renderer.warnings !== undefined) stdout.write(renderer.warnings(warnings));
      else if (!isQuiet)
        for (const warning of warnings) stderr.write(warningText(warning, paintFor(stderr).yellow));
    },
  };
}

/** Everything a table is measured by. */
function* textsOf({ results }: CheckReport): Generator<string> {
  for (const { name, group, error, answer } of results) {
    yield* [
      name,
      group ?? '',
      error ?? '',
      answer?.statusLine ?? '',
      answer?.body.replaceAll(/\s/g, '') ?? '',
    ];
  }
}

function unknownLine(unknown: readonly CheckedMonitor[]): string {
  const what = counted(unknown.length, 'monitor');
  return `statusd: ${what} could not be checked: ${unknown.map(({ id }) => id).join(', ')}\n`;
}

function warningText(warning: ConfigProblem, paint: (text: string) => string): string {
  const text = cleanLine(`${placeOf(warning)}: `) + paint('warning') + cleanLine(`: ${sentenceOf(warning)}`);
  return warning.hint === null ? `${text}\n` : `${text}\n  ${cleanLine(warning.hint)}\n`;
}

function isTty(stream: Writable): boolean {
  return 'isTTY' in stream && stream.isTTY === true;
}

/** A terminal that does not know its size says 0. */
function columnsOf(stream: Writable): number {
  const columns = 'columns' in stream ? Number(stream.columns) : 0;
  return columns > 0 ? columns : 80;
}
