/** Prints a report in the format that was asked for. */
import type { Context } from '../../context.ts';
import { toJson } from '../../terminal/json.ts';
import { openTerminalOutput } from '../../terminal/output.ts';
import type { TestReport } from '../report.ts';
import type { TestFormat } from './formats.ts';
import { humanText, textsOf } from './human.ts';
import { reportJson } from './json.ts';
import { junitText } from './junit.ts';
import { tapText } from './tap.ts';

export interface Printing {
  readonly format: TestFormat;
  readonly isQuiet: boolean;
  readonly isColourRefused: boolean;
}

export async function printReport(
  report: TestReport,
  { format, isQuiet, isColourRefused }: Printing,
  context: Context,
): Promise<void> {
  const { stdout } = context;
  switch (format) {
    case 'human':
      stdout.write(
        humanText(report, { isQuiet }, await openTerminalOutput(context, isColourRefused, textsOf(report))),
      );
      return;
    case 'json':
      stdout.write(`${toJson(reportJson(report))}\n`);
      return;
    case 'junit':
      stdout.write(junitText(report));
      return;
    case 'tap':
      stdout.write(tapText(report));
  }
}
