/** Shows on a terminal how far an import of history has come. */
import { cleanLine } from '../../../engine/core/text.ts';
import { cutCells } from '../../../engine/views/text/cells.ts';
import type { Context } from '../../context.ts';
import { isTerminal, openTerminalOutput } from '../../terminal/output.ts';

export interface ImportProgress {
  /** Replaces the line. */
  readonly show: (text: string) => void;
  /** Removes the line. */
  readonly end: () => void;
}

/**
 * One line on standard error that is written over, narrower than the terminal, or it would leave lines behind. No line
 * where standard error is no terminal. `names`: foreign texts in the lines, by which their width is measured.
 */
export async function showProgress(
  { stderr, env }: Pick<Context, 'stderr' | 'env'>,
  names: readonly string[] = [],
): Promise<ImportProgress> {
  if (!isTerminal(stderr)) return { show: () => undefined, end: () => undefined };
  const { cells, columns } = await openTerminalOutput({ stdout: stderr, env }, true, names.map(cleanLine));
  const write = (line: string) => stderr.write(`\r${line}\u001b[K`);
  return {
    show: (text) => write(cutCells(cleanLine(text), (columns ?? 80) - 1, cells)),
    end: () => write(''),
  };
}
